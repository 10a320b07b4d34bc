"""A remote study has the face of a local one: the same names, with the same parameters and results."""

from __future__ import annotations

import inspect
import re
from typing import Any

import pytest

from belated.client import RemoteStudy
from belated.study import Study

# A study of this process alone; one that is moved with its whole log; who did it, which a token says; and what is done
# on behalf of several people.
LOCAL_ALONE = {"in_memory", "restore", "signed", "tell_each"}
# The service has the clock, knows by its token who calls, and keeps all of its studies in one storage.
LOCAL_PARAMETERS, REMOTE_PARAMETERS = {"clock", "by", "to"}, {"token"}


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def face(kind: type, name: str) -> str:
    """The signature of a method, or the type of a property, as it is written."""
    member: Any = inspect.getattr_static(kind, name)
    if isinstance(member, property):
        assert member.fget is not None
        return f"property {inspect.signature(member.fget)}"
    signature = inspect.signature(getattr(kind, name))
    own = LOCAL_PARAMETERS | REMOTE_PARAMETERS
    kept = [parameter for parameter in signature.parameters.values() if parameter.name not in own]
    return re.sub(r"\bRemoteStudy\b", "Study", str(signature.replace(parameters=kept)))


def test_a_remote_study_has_every_name_of_a_local_one_and_no_other() -> None:
    assert public(RemoteStudy) == public(Study) - LOCAL_ALONE


@pytest.mark.parametrize("name", sorted(public(Study) - LOCAL_ALONE))
def test_a_name_means_the_same_to_both(name: str) -> None:
    assert face(RemoteStudy, name) == face(Study, name)


def test_both_show_themselves_in_notebooks() -> None:
    assert "_repr_html_" in dir(Study)
    assert "_repr_html_" in dir(RemoteStudy)


@pytest.mark.parametrize("name", ["create", "open", "names", "rename", "copy", "delete"])
def test_a_token_may_be_given_wherever_a_service_is_named(name: str) -> None:
    assert inspect.signature(getattr(RemoteStudy, name)).parameters["token"].default is None
