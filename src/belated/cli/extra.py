"""Access to the room of the service, whose packages may not be installed."""

from __future__ import annotations

from types import ModuleType

from belated.errors import MissingPackageError


def service_room(call: str) -> ModuleType:
    """The room of the service; without its packages, an error that names the extra."""
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
