"""Figures become files: pages without a network, and images on white paper."""

from __future__ import annotations

import builtins
import shutil
import struct
import sys
from pathlib import Path
from typing import Any

import pytest

from belated import report
from belated.errors import MissingPackageError, ParameterError
from tests.unit.report.outline import outlined
from tests.unit.report.studies import laboratory

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
browser = pytest.mark.skipif(not any(map(shutil.which, BROWSERS)), reason="images need Chrome or Chromium")


@pytest.fixture(scope="module")
def figure() -> Any:
    return report.progress(laboratory())


def test_a_page_of_one_figure_refers_to_nothing_outside_itself(figure: Any, tmp_path: Path) -> None:
    path = report.save(figure, tmp_path / "new" / "progress.html", "lab: progress")
    page = outlined(path.read_text(encoding="utf-8"))
    assert page.links == []
    assert page.texts.count("lab: progress") == 2  # as the title and as the heading


@browser
def test_an_image_is_sharp_and_on_white_paper(figure: Any, tmp_path: Path) -> None:
    image = report.save(figure, tmp_path / "progress.PNG").read_bytes()
    assert image.startswith(b"\x89PNG")
    assert struct.unpack(">II", image[16:24]) == (2000, 2 * figure.layout.height)
    assert figure.layout.paper_bgcolor == "rgba(0, 0, 0, 0)", "the figure itself stays as it was"


@browser
def test_a_drawing_has_its_text_in_dark_ink(figure: Any, tmp_path: Path) -> None:
    drawing = report.save(figure, tmp_path / "progress.svg").read_text(encoding="utf-8")
    assert drawing.startswith("<svg")
    assert "hours since the study began" in drawing
    assert "rgb(29, 36, 48)" in drawing
    assert "rgb(255, 255, 255)" in drawing


@pytest.mark.parametrize("name", ["figure.pdf", "figure"])
def test_other_suffixes_are_refused_by_name(name: str, figure: Any, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"written as \.html, \.png or \.svg"):
        report.save(figure, tmp_path / name)


def test_without_kaleido_the_error_says_how_to_get_it(
    figure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without_kaleido(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == "kaleido":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **kwargs)

    monkeypatch.delitem(sys.modules, "kaleido", raising=False)
    monkeypatch.setattr(builtins, "__import__", without_kaleido)
    with pytest.raises(MissingPackageError, match=r"Belated's extra 'images' brings it"):
        report.save(figure, tmp_path / "progress.png")


def test_without_a_browser_the_error_says_so(figure: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", str(tmp_path / "none"))
    with pytest.raises(MissingPackageError, match=r"Chrome or Chromium, and none is found"):
        report.save(figure, tmp_path / "progress.png")
    assert not (tmp_path / "progress.png").exists()


def test_a_path_that_cannot_be_written_is_refused_by_name(figure: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ParameterError, match=r"save\('.*page.html'\): the file cannot be written"):
        report.save(figure, tmp_path / "file" / "page.html")
