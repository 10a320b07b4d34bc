"""Words of other libraries: refused with what they are called here, and none of them works."""

from __future__ import annotations

from typing import Any

import pytest

import belated as bl
from belated.study import other_libraries

SPACE = bl.Space(x=bl.Float(0, 1))
# As a program has them that is checked by nobody.
LOCAL: Any = bl.Study
REMOTE: Any = bl.RemoteStudy


def begun() -> Any:
    return bl.Study.in_memory(SPACE, policy="random", seed=1)


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: begun().run(len, n_trials=5), "Study.run(n_trials=5): there is no 'n_trials' here; give queries=100."),
        (
            lambda: begun().run(func=len, n_jobs=-1),
            "Study.run(func=<built-in function len>): there is no 'func' here; ",
        ),
        (lambda: LOCAL.create("sqlite:///lab.db", "lab", SPACE, direction="minimize"), "give goal='maximize' or "),
        (
            lambda: LOCAL.in_memory(SPACE, sampler=None),
            "Study.in_memory(sampler=None): there is no 'sampler' here; ",
        ),
        (lambda: REMOTE.create("http://x", study_name="lab"), "RemoteStudy.create(study_name='lab'): "),
    ],
)
def test_a_parameter_of_another_library_is_refused_with_ours(call: Any, said: str) -> None:
    with pytest.raises(bl.errors.ParameterError) as refused:
        call()
    assert said in str(refused.value)


@pytest.mark.parametrize(
    "name, ours",
    [("optimize", "run(objective, queries=100)"), ("best_params", "best().point"), ("trials", "queries()")],
)
def test_a_name_of_another_library_is_refused_with_ours(name: str, ours: str) -> None:
    with pytest.raises(AttributeError) as refused:
        getattr(begun(), name)
    assert isinstance(refused.value, bl.BelatedError)
    assert f"Study: there is no {name!r}; what others call so is {ours}" in str(refused.value)
    assert not hasattr(begun(), name)


@pytest.mark.parametrize("name", sorted(other_libraries.MAKERS))
def test_the_package_knows_what_others_begin_with(name: str) -> None:
    with pytest.raises(AttributeError, match=f"there is no '{name}'; what others call so is "):
        getattr(bl, name)


def test_a_name_that_nobody_has_is_refused_as_python_does() -> None:
    with pytest.raises(AttributeError, match=r"^Study has no attribute 'frobnicate'$"):
        begun().frobnicate()
    with pytest.raises(TypeError, match="unexpected keyword argument 'frobnicate'"):
        begun().run(len, 3, frobnicate=1)


@pytest.mark.parametrize("kind", [bl.Study, bl.RemoteStudy])
def test_no_foreign_word_is_one_of_ours(kind: type) -> None:
    assert not set(other_libraries.NAMES) & set(dir(kind))
    assert not set(other_libraries.MAKERS) & set(bl.__all__)


@pytest.mark.parametrize("words", [other_libraries.NAMES, other_libraries.MAKERS])
def test_what_is_offered_exists(words: dict[str, str]) -> None:
    owner = bl.Study if words is other_libraries.NAMES else bl
    for ours in words.values():
        assert hasattr(owner, ours.partition("(")[0].partition(",")[0].partition(".")[0])
