"""Load on the web application: many workers at once, some of whom walk away, with every answer sent twice."""
