"""How figures are written to files: pages that open without a network, and images, which a browser draws."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

from belated.errors import MissingPackageError, ParameterError, Way
from belated.report.compact_svg import compact
from belated.report.page import Section, render, write_file
from belated.report.style import Figure, graph_objects

WIDTH = 1000
# Pixels to a point, for images that are sharp in print; vector images need none.
PIXELS = {".png": 2, ".svg": 1}
PAPER, INK = "#ffffff", "#1d2430"


def save(figure: Figure, path: str | Path, title: str = "") -> Path:
    """Write a figure as .html, .png or .svg, whichever the path ends with, and return where it is.

    A page has the `title` as its heading, and opens without a network; an image has none.
    """
    suffix = Path(path).suffix.lower()
    if suffix == ".html":
        return write_file("save", path, render(title or Path(path).stem, [Section(figures=[figure])]).encode())
    if suffix in PIXELS:
        return write_file("save", path, _image(f"save({str(path)!r})", suffix, _on_paper(figure), PIXELS[suffix]))
    raise ParameterError(
        f"save({str(path)!r}): got the suffix {suffix!r}; a figure is written as .html, .png or .svg; end the path "
        f"with one of them."
    )


def png(figure: Figure) -> bytes:
    """A figure as an image for a screen, of as many pixels as it has points."""
    return _image("png()", ".png", _on_paper(figure), 1)


def _on_paper(figure: Figure) -> Figure:
    """The figure in dark on white, since an image cannot follow the colours of the page around it."""
    copy = graph_objects().Figure(figure)
    return copy.update_layout(paper_bgcolor=PAPER, plot_bgcolor=PAPER, font_color=INK)


def _image(call: str, suffix: str, figure: Figure, scale: int) -> bytes:
    way = Way("page", (), "write .html")
    try:
        import kaleido
        from choreographer.errors import BrowserFailedError, ChromeNotFoundError
    except ImportError:
        raise MissingPackageError(
            f"{call}: images need the package kaleido, which is not installed; Belated's extra 'images' brings it, or ",
            way,
            ".",
        ) from None
    # A browser that is closed may leave half a message behind, which would be logged as an error.
    logging.getLogger("choreographer").setLevel(logging.CRITICAL)
    # MathJax would come from the network, and no text of ours is TeX.
    page = kaleido.PageGenerator(mathjax=False)
    options: dict[str, Any] = {
        "format": suffix.removeprefix("."),
        "width": figure.layout.width or WIDTH,
        "height": figure.layout.height,
        "scale": scale,
    }
    try:
        image: bytes = kaleido.calc_fig_sync(figure, opts=options, kopts={"page_generator": page})
    except ChromeNotFoundError:
        raise MissingPackageError(
            f"{call}: an image is drawn by Chrome or Chromium, and none is found; install one, or run "
            f"kaleido_get_chrome, or ",
            way,
            ".",
        ) from None
    except BrowserFailedError as error:
        raise MissingPackageError(
            f"{call}: an image is drawn by Chrome or Chromium, which did not start ({error}); mend or "
            f"reinstall it, or ",
            way,
            ".",
        ) from None
    return compact(image.decode()).encode() if suffix == ".svg" else image
