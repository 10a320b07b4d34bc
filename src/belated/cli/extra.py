"""How commands reach the service, whose packages may be missing."""

from __future__ import annotations

from types import ModuleType

from belated.errors import MissingPackageError


def service_room(call: str) -> ModuleType:
    """The module of the service; if its packages are missing, an error names the extra."""
    try:
        import belated.service
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "belated":
            raise
        raise MissingPackageError(
            f"{call}: the service needs the package {error.name}, which is not installed; Belated's extra "
            f"'service' brings it."
        ) from None
    return belated.service
