"""Run the command line: `python -m bearleft`."""

from bearleft.cli import main

if __name__ == "__main__":
    main()
