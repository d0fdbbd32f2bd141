"""Refer360 paper: tables, figures, and training of the models of Tables 7 and 9."""
