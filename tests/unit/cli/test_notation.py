"""What users write, read as they mean it."""

from __future__ import annotations

from typing import Any

import pytest
import typer

from belated.cli.notation import NotationError, load, pairs, scalar


@pytest.mark.parametrize(
    "text, value",
    [
        ("no", "no"),
        ("off", "off"),
        ("yes", "yes"),
        ("1e-3", 0.001),
        ("-2.5E+4", -25000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("010", 10),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("2024-05-01", "2024-05-01"),
        ("true", True),
        ("~", None),
        ("'1'", "1"),
        ("<<", "<<"),
        ("[on, 1, 1.5]", ["on", 1, 1.5]),
        ("{a: {b: [1e-3]}}", {"a": {"b": [0.001]}}),
        ('{"a": 1e-3}', {"a": 0.001}),
        ("", None),
    ],
)
def test_words_keep_the_meaning_that_people_give_them(text: str, value: Any) -> None:
    assert load(text) == value
    assert type(load(text)) is type(value)


@pytest.mark.parametrize(
    "text, reason",
    [
        ("a: 1\nb: 2\na: 3", "line 3 has the key 'a' a second time"),
        ('{"a": 1, "a": 2}', "the key 'a' stands twice"),
        ("? [a]\n: 1", "a key is a name"),
        ("a: b: c", "line 1, column 5"),
        ("a:\t- b", "line 1, column 3"),
        ("{x", "expected"),
        ("a\n---\nb", "another document"),
        ("!!python/object:os.system x", "could not determine a constructor"),
        ("a: &x {b: 1}\nc: *x", "it has an alias"),
        ("&a {b: *a}", "it has an alias"),
        ("a: \x00", "special characters"),
        ("[" * 5000, "nested too deeply"),
        ("1" * 5000, "limit"),
    ],
    ids=lambda text: text[:20],
)
def test_what_cannot_be_read_is_refused_with_the_place(text: str, reason: str) -> None:
    with pytest.raises(NotationError) as caught:
        load(text)
    assert reason in str(caught.value)


def test_a_word_is_a_number_a_truth_value_or_a_text() -> None:
    words = ["1", "-0.5", "1e-3", "true", "no", "null", "", "a: b", "[1]", "{", "nan"]
    assert [scalar(word) for word in words] == [1, -0.5, 0.001, True, "no", "null", "", "a: b", "[1]", "{", "nan"]


def test_pairs_are_cut_at_the_first_equals_sign() -> None:
    assert pairs(["window=20", " floor = a=b ", "empty="]) == {"window": "20", "floor": "a=b", "empty": ""}


@pytest.mark.parametrize(
    "texts, said",
    [
        (["heat"], "'heat' is not of the form NAME=VALUE; write heat=…."),
        (["=3"], "'=3' is not of the form NAME=VALUE; write NAME=…."),
        (["a=1", "a=2"], "'a' is given twice; keep one of them."),
    ],
    ids=str,
)
def test_what_is_no_pair_is_wrong_usage(texts: list[str], said: str) -> None:
    with pytest.raises(typer.BadParameter) as caught:
        pairs(texts)
    assert caught.value.message == said
