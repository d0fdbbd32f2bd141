"""Tables and figures of the Touchdown paper."""
