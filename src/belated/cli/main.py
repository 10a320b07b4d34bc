"""The entry point of the command `belated`.

It imports nothing outside the standard library before it knows that the packages of the command line are there.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import NoReturn

from belated.errors import BelatedError, MissingPackageError

# What Typer and Rich bring along counts as theirs.
PACKAGES = ("typer", "rich", "click", "typing_extensions", "shellingham")


def run() -> NoReturn:
    """Run the command line, and end the process with its exit code."""
    try:
        _application()()
    except BelatedError as error:
        sys.stderr.write(f"belated: {' '.join(str(error).split())}\n")
        sys.exit(error.exit_code)
    sys.exit(0)


def _application() -> Callable[[], object]:
    try:
        from belated.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in PACKAGES:
            raise
        raise MissingPackageError(
            f"the command line needs the package {error.name}, which is not installed; pip install 'belated[cli]'."
        ) from None
    return app


if __name__ == "__main__":
    run()
