"""Tables, figures and the human study of the nDTW paper."""
