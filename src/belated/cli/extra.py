"""How commands reach the service, and in it the door for agents, whose packages may be missing."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

from belated.errors import MissingPackageError


def service_room(call: str) -> ModuleType:
    """The module of the service; if its packages are missing, an error names the extra."""
    return _room(call, "belated.service", "the service needs", "service")


def agents_room(call: str) -> ModuleType:
    """The module of the door for agents; if its packages are missing, an error names the extra."""
    return _room(call, "belated.service.agents", "the door for agents needs", "mcp")


def _room(call: str, name: str, needs: str, extra: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "belated":
            raise
        raise MissingPackageError(
            f"{call}: {needs} the package {error.name}, which is not installed; Belated's extra {extra!r} brings it."
        ) from None
