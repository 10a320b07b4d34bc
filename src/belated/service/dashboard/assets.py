"""Styles, scripts and Plotly, under addresses that change with their content, so that browsers keep them for long."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from functools import cache
from importlib.resources import files

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response

from belated.report.style import graph_objects

router = APIRouter(include_in_schema=False)

FOLDER = files("belated.service.dashboard").joinpath("static")
KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "Vary": "Accept-Encoding"}
PLOTLY = "plotly.js"


@cache
def contents() -> dict[str, bytes]:
    """All files by name."""
    return {entry.name: entry.read_bytes() for entry in FOLDER.iterdir() if not entry.name.startswith(".")}


@cache
def edition() -> str:
    """A word for the content of all files, which import one another and so share a folder."""
    digest = hashlib.sha256()
    for name, content in sorted(contents().items()):
        digest.update(name.encode() + b"\0" + content + b"\0")
    return digest.hexdigest()[:16]


def static_path(name: str) -> str:
    """Where a file is served."""
    assert name in contents(), name
    return f"/static/{edition()}/{name}"


@cache
def plotly_path() -> str:
    """Where Plotly is served."""
    graph_objects()
    from plotly.offline import get_plotlyjs_version

    return f"/static/{get_plotlyjs_version()}/{PLOTLY}"


@cache
def _content(name: str, zipped: bool) -> bytes:
    if zipped:
        return gzip.compress(_content(name, False), 6, mtime=0)
    if name != PLOTLY:
        return contents()[name]
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs()).encode()


@router.get("/static/{version}/{name}")
def asset(request: Request, version: str, name: str) -> Response:
    """A file; what an older page asks for under an older address is not kept."""
    wanted = f"/static/{version}/{name}"
    if not (wanted == plotly_path() if name == PLOTLY else name in contents() and wanted == static_path(name)):
        raise HTTPException(404, "Not Found")
    zipped = "gzip" in request.headers.get("accept-encoding", "")
    headers = {**KEPT, "Content-Encoding": "gzip"} if zipped else KEPT
    return Response(_content(name, zipped), media_type=mimetypes.guess_type(name)[0], headers=headers)


@router.get("/favicon.ico")
def icon() -> Response:
    """Browsers ask for it, whatever a page says."""
    return Response(contents()["icon.svg"], media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})
