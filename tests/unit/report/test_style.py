"""Names of parameters are shown as they are, and Plotly is asked for only when a figure is."""

from __future__ import annotations

import builtins
import subprocess
import sys
from typing import Any

import pytest

import belated as bl
from belated import report
from belated.errors import MissingPackageError
from belated.report.style import cut, literal
from belated.space import Parameter
from tests.builders import Clock
from tests.unit.report.studies import asked, laboratory


@pytest.mark.parametrize(
    "text, shown",
    [
        ("<b>dose</b>", "&lt;b&gt;dose&lt;/b&gt;"),
        ("$x^2$", "&#36;x^2&#36;"),
        ("%{y} & 5 %", "&#37;{y} &amp; 5 %"),
        ("yield (%)", "yield (%)"),
    ],
)
def test_tags_formulas_and_variables_are_shown_as_they_are(text: str, shown: str) -> None:
    assert literal(text) == shown


@pytest.mark.parametrize("kind", ["progress", "belief", "pairs"])
def test_no_name_or_option_reaches_plotly_unescaped(kind: str) -> None:
    odd = ("<script>", "$a$", "%{x}")
    parameters: dict[str, Parameter] = {odd[0]: bl.Float(0, 1), odd[1]: bl.Choice(*odd), odd[2]: bl.Float(0, 1)}
    space = bl.Space.from_parameters(parameters)
    study = bl.Study.in_memory(space, seed=0, clock=Clock())
    for value in (1.0, 2.0):
        study.tell(asked(study), value)
    text = str(study.plot(kind, value="<i>yield</i> in $"))
    assert "<script>" not in text
    assert "<i>" not in text
    assert "$" not in text
    assert "%{x}" not in text


def test_long_texts_are_cut() -> None:
    assert cut("temperature", 11) == "temperature"
    assert cut("temperature", 6) == "tempe…"


@pytest.mark.parametrize("kind", ["progress", "timeline", "waits", "delays", "belief", "weights", "pairs"])
def test_without_plotly_the_error_says_how_to_get_it(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = laboratory()
    for name in [name for name in sys.modules if name.partition(".")[0] == "plotly"]:
        monkeypatch.delitem(sys.modules, name)
    real = builtins.__import__

    def without_plotly(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.partition(".")[0] == "plotly":
            raise ModuleNotFoundError(name=name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_plotly)
    with pytest.raises(MissingPackageError, match=r"Belated's extra 'report' brings it"):
        study.plot(kind)


def test_importing_the_room_imports_neither_plotly_nor_kaleido() -> None:
    code = "import sys, belated.report; sys.exit(bool({'plotly', 'kaleido'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_figures_are_drawn_on_the_paper_around_them() -> None:
    assert report.progress(laboratory()).layout.paper_bgcolor == "rgba(0, 0, 0, 0)"
