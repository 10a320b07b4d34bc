"""The entry point of the command `belated`.

It imports the standard library alone until it knows that the packages of the command line are installed.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper
from typing import NoReturn

from belated.checks import harmless
from belated.errors import BelatedError, MissingPackageError, StorageError, out_of_memory

# Typer and Rich, and what they bring along.
PACKAGES = ("typer", "rich", "yaml", "click", "pydantic", "annotated_doc", "typing_extensions", "shellingham")

# The exit code that shells report for a command ended by Ctrl-C.
INTERRUPTED = 130


def run() -> NoReturn:
    """Run the command line, and end the process with its exit code."""
    # Without a place to write to, the output is lost, and the command goes on.
    sys.stdout, sys.stderr = (
        stream or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w") for stream in (sys.stdout, sys.stderr)
    )
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # A terminal that cannot show a character shows a question mark, and the command goes on.
            stream.reconfigure(errors="replace")
    try:
        _call()
    except BelatedError as error:
        _refuse(error)
    except MemoryError as error:
        _refuse(out_of_memory("belated", error))
    except OSError as error:
        if error.filename is not None:
            raise  # it is about another file
        sys.stderr.write(f"belated: the output cannot be written ({error.strerror}); see that its disk has space.\n")
        sys.exit(StorageError.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(0)


def _refuse(error: BelatedError) -> NoReturn:
    sys.stderr.write(f"belated: {harmless(str(error))}\n")
    sys.exit(error.exit_code)


def _call() -> None:
    try:
        from belated.cli.app import command_line

        command_line(prog_name="belated")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PACKAGES:
            raise
        raise MissingPackageError(
            f"the command line needs the package {error.name}, which is not installed; Belated's extra 'cli' brings it."
        ) from None


if __name__ == "__main__":
    run()
