"""Spaces and contexts from files and texts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from belated import Candidates, Choice, Context, Float, Int, Space
from belated.cli.definitions import read_context, read_space
from belated.errors import BelatedError, SpaceError, TableError

YAML = """\
temperature: {float: [20, 120]}  # degrees
loading: {float: [1e-3, 0.1], log: true}
solvent: [DMF, THF, no]
steps: {int: [1, 8]}
batch: {int: [1, 512], log: true}
fast: {choice: [true, false]}
"""
SPACE = Space(
    temperature=Float(20, 120),
    loading=Float(1e-3, 0.1, log=True),
    solvent=Choice("DMF", "THF", "no"),
    steps=Int(1, 8),
    batch=Int(1, 512, log=True),
    fast=Choice(True, False),
)


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_space_is_read_from_yaml() -> None:
    Path("space.yaml").write_text(YAML)
    assert read_space("space.yaml") == SPACE


def test_a_file_may_begin_with_the_mark_that_some_programs_write() -> None:
    Path("space.yaml").write_text(YAML, encoding="utf-8-sig")
    assert read_space("space.yaml") == SPACE


def test_a_space_is_read_from_a_text_in_braces() -> None:
    text = "{temperature: {float: [20, 120]}, loading: {float: [1e-3, 0.1], log: true}, solvent: [DMF, THF, no]}"
    assert read_space(f" {text}") == Space(**dict(zip(SPACE.names[:3], SPACE.parameters[:3], strict=True)))


@pytest.mark.parametrize("domain", [SPACE, Candidates([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])], ids=["box", "table"])
def test_what_the_library_wrote_is_read_back(domain: Space | Candidates) -> None:
    Path("space.json").write_text(json.dumps(domain.to_json()))
    assert read_space("space.json") == domain
    assert read_space(json.dumps(domain.to_json())) == domain


def test_names_that_the_format_uses_are_names_like_others() -> None:
    text = "{kind: [a, b], candidates: [1, 2], float: {float: [0, 1]}, choice: [x]}"
    expected = Space(kind=Choice("a", "b"), candidates=Choice(1, 2), float=Float(0, 1), choice=Choice("x"))
    assert read_space(text) == expected


def test_a_table_is_read_beside_the_file_that_names_it() -> None:
    Path("sub").mkdir()
    Path("sub/rows.csv").write_text("ligand,dose,count,code\nA,1.0,1,007\nB,2e-1,2,011\n")
    Path("sub/space.yaml").write_text("candidates: rows.csv\n")
    rows = [
        {"ligand": "A", "dose": 1.0, "count": 1, "code": "007"},
        {"ligand": "B", "dose": 0.2, "count": 2, "code": "011"},
    ]
    assert read_space("sub/space.yaml") == read_space("sub/rows.csv") == Candidates(rows)


def test_a_small_table_can_be_written_out() -> None:
    assert read_space("{candidates: [{x: 1, y: a}, {x: 2, y: b}]}") == Candidates(
        [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]
    )


def test_a_table_may_have_semicolons_and_blank_lines() -> None:
    Path("rows.csv").write_text("a;b\n1;x\n\n2;y\n")
    assert read_space("rows.csv") == Candidates([{"a": 1, "b": "x"}, {"a": 2, "b": "y"}])


@pytest.mark.parametrize(
    "text, parts",
    [
        ("{x: {float: [3, 1]}}", ("--space: x: Float(3, 1)", "low is above high", "swap")),
        ("{x: {float: [1]}}", ("--space: x: got {'float': [1]}", "{float: [low, high]}")),
        ("{x: {float: [0, 1], scale: log}}", ("--space: x", "log: true")),
        ("{x: {float: [0, 1], log: yes}}", ("log is 'yes'",)),
        ("{x: {int: [0.5, 8]}}", ("--space: x: Int(0.5, 8)", "whole numbers")),
        ("{x: {float: [a, b]}}", ("low is 'a'", "finite numbers")),
        ("{x: {float: [0, .inf]}}", ("high is inf",)),
        ("{x: 3}", ("--space: x: got 3", "which is no parameter")),
        ("{x: []}", ("no options",)),
        ("{x: [a, a]}", ("options are distinct",)),
        ("{x: [[a]]}", ("is not a text",)),
        ("{x: {choice: [a], float: [0, 1]}}", ("which is no parameter",)),
        ("{1: [a, b]}", ("got 1 as a name", "quotes")),
        ("{}", ("got nothing", "maps names to parameters")),
        ("{x: [a], x: [b]}", ("the key 'x' a second time",)),
        ("{x", ("neither YAML nor JSON", "line 1")),
        ('{"kind": "box"}', ("the kind is 'box'",)),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_a_wrong_definition_is_refused_with_its_place_and_the_way_out(text: str, parts: tuple[str, ...]) -> None:
    with pytest.raises(SpaceError) as caught:
        read_space(text)
    assert all(part in str(caught.value) for part in parts)
    Path("wrong.yaml").write_text(text)
    with pytest.raises(SpaceError) as caught:
        read_space("wrong.yaml")
    assert str(caught.value).startswith("wrong.yaml: ")


@pytest.mark.parametrize(
    "name, content, kind, parts",
    [
        ("missing.yaml", None, SpaceError, ("'missing.yaml'", "no such file", "a text in braces")),
        ("x: {float: [0, 1]}", None, SpaceError, ("no such file", "'{temperature: {float: [20, 120]}}'")),
        ("missing.csv", None, TableError, ("missing.csv", "No such file")),
        ("binary.yaml", b"\xff\xfe\x00", SpaceError, ("binary.yaml", "UTF-8")),
        ("list.yaml", b"- a\n- b\n", SpaceError, ("list.yaml: got a list",)),
        ("empty.yaml", b"", SpaceError, ("empty.yaml: got nothing",)),
        ("empty.csv", b"", TableError, ("empty.csv", "the file is empty")),
        ("header.csv", b"a,b\n", TableError, ("header.csv", "no row")),
        ("twice.csv", b"a,a\n1,2\n", TableError, ("twice.csv", "'a' comes twice")),
        ("gap.csv", b"a,b\n1,2\n3,\n", TableError, ("gap.csv", "line 3", "column 'b'", "fill it in")),
        ("short.csv", b"a,b\n1\n", TableError, ("short.csv", "line 2", "1 cells for 2 columns")),
        (
            "thousands.csv",
            b'a,b\n1,x\n"2,500",y\n',
            TableError,
            ("row 2 (line 3), column 'a': got '2,500'", "write 2500"),
        ),
        ("gaps.csv", b"a,b\n1,x\nNaN,y\n", TableError, ("row 2 (line 3), column 'a': got 'NaN'", "delete the row")),
        ("na.csv", b"a,b\nn/a,x\n2,y\n", TableError, ("row 1 (line 2), column 'a': got 'n/a'", "write one")),
        ("minus.csv", "a\n−5\n2\n".encode(), TableError, ("row 1 (line 2), column 'a': got '−5'", "write one")),
        ("equal.csv", b"a,b\n1,2\n1,2\n", TableError, ("row 2 (line 3): it is equal to row 1 (line 2)", "delete one")),
        ("near.csv", b"a,b\n1,2\n1.0,2\n", SpaceError, ("near.csv", "rows 0 and 1 are equal")),
    ],
)
def test_a_wrong_file_is_refused_by_its_name(
    name: str, content: bytes | None, kind: type[BelatedError], parts: tuple[str, ...]
) -> None:
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(kind) as caught:
        read_space(name)
    assert all(part in str(caught.value) for part in parts)


@pytest.mark.parametrize("seen", ["before", "after"])
def test_a_context_is_written_like_a_space_and_says_when_it_is_seen(seen: str) -> None:
    context = Context.from_json({"kind": "context", "space": Space(hour=Float(0, 24)).to_json(), "seen": seen})
    assert read_context(f"{{hour: {{float: [0, 24]}}, seen: {seen}}}") == context
    assert read_context(json.dumps(context.to_json())) == context


def test_a_context_is_seen_before_the_decision_if_it_says_nothing() -> None:
    assert read_context("{hour: {float: [0, 24]}}") == Context(hour=Float(0, 24), seen="before")
    assert read_context("{seen: [a, b]}").space.names == ("seen",)


def test_a_context_may_clip_what_is_outside_its_bounds() -> None:
    clipped = Context(hour=Float(0, 24), seen="after", outside="clip")
    assert read_context("{hour: {float: [0, 24]}, seen: after, outside: clip}") == clipped
    assert read_context("{hour: {float: [0, 24]}, outside: clip}") == Context(
        hour=Float(0, 24), seen="before", outside="clip"
    )
    assert read_context("{seen: after, outside: [rain, sun]}").space.names == ("outside",)


@pytest.mark.parametrize(
    "text",
    [
        "{hour: {float: [0, 24]}, seen: never}",
        "{seen: before}",
        "{}",
        "{hour: {float: [0, 24]}, seen: after, outside: drop}",
        "{hour: {float: [0, 24]}, seen: 3}",
    ],
)
def test_a_wrong_context_is_refused(text: str) -> None:
    with pytest.raises(SpaceError, match=r"^--context: "):
        read_context(text)
