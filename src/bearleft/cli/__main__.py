"""`python -m bearleft.cli`."""

from bearleft.cli import main

main()
