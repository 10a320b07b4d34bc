"""What a service refuses, as the error that a local study would have raised."""

from __future__ import annotations

import json
import re

from belated import errors
from belated.errors import BelatedError, ParameterError, StorageError


def _kinds() -> dict[str, type[BelatedError]]:
    """Every kind of error by the name that it has in a response: unknown-study is UnknownStudyError."""
    found = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, BelatedError)]
    return {re.sub(r"(?<=[a-z])(?=[A-Z])", "-", kind.__name__.removesuffix("Error")).lower(): kind for kind in found}


# What no error of ours has caused: a body of another form, and trouble inside the service.
KINDS: dict[str, type[BelatedError]] = {**_kinds(), "request": ParameterError, "internal": BelatedError}


def refused(url: str, status: int, text: str, location: str | None = None) -> BelatedError:
    """The error that a response stands for; a response in another form does not come from a service of ours."""
    try:
        error = json.loads(text)["error"]
        kind, message = error["kind"], error["message"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return stranger(url, status, location)
    if kind in ("unknown-route", "method"):
        return StorageError(f"{url}: {message} Check the address, and that client and service are of one release.")
    return KINDS.get(kind, BelatedError)(message)


def stranger(url: str, status: int, location: str | None = None) -> StorageError:
    """The error for what answers at an address and is no service of studies."""
    elsewhere = "check the address" if location is None else f"it sends elsewhere, to {location}; give that address"
    return StorageError(
        f"{url}: got status {status} from something that is no Belated service, or that stands before one; {elsewhere}."
    )
