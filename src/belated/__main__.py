"""The command line, as `python -m belated`."""

from belated.cli.main import run

if __name__ == "__main__":
    run()
