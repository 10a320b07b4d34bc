"""The studies of a service as a whole: what they are called, and what becomes of them."""

from __future__ import annotations

from belated.client.connection import HttpConnection
from belated.storage import check_name


def names(url: str, *, archived: bool = False, token: str | None = None) -> list[str]:
    """The names of the studies that the token opens, or of those in the archive, in the order of their creation."""
    found = HttpConnection(url, token).get("studies", archived=True if archived else None)
    return [study["name"] for study in found["studies"]]


def rename(url: str, name: str, new: str, *, token: str | None = None) -> None:
    """Call a study otherwise; who has it open opens it by its new name, and tokens for it alone open it still."""
    call = f"RemoteStudy.rename({name!r})"
    connection, body = HttpConnection(url, token), {"name": check_name(call, new)}
    connection.send("PUT", "studies", check_name(call, name), "name", body=body, repeatable=False)


def delete(url: str, name: str, *, token: str | None = None) -> None:
    """Remove a study with its log, for good; tokens for it alone open nothing from then on."""
    check_name(f"RemoteStudy.delete({name!r})", name)
    HttpConnection(url, token).send("DELETE", "studies", name, repeatable=False)
