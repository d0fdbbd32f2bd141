"""Tables and figures of the Refer360 paper."""
