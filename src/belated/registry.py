"""What can be named: functions or classes that register themselves, each under a name of its own."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from belated.errors import ParameterError, unknown_name

Entry = TypeVar("Entry", bound=Callable[..., Any])


@dataclass(frozen=True)
class Registry(Generic[Entry]):
    """Entries by name, which join in place as modules are imported."""

    kind: str  # what an error calls an entry
    taken: str = "that name is taken"
    more: Callable[[], object] = field(default=lambda: None, repr=False)  # imports what else has entries
    entries: dict[str, Entry] = field(default_factory=dict)

    def add(self, call: str, name: str, entry: Entry) -> None:
        """Register an entry; a name that another one has is refused."""
        if self.entries.setdefault(name, entry) is not entry:
            raise ParameterError(f"{call}: {self.taken}; choose another.")

    def names(self) -> tuple[str, ...]:
        """All names, in alphabetical order."""
        self.more()
        return tuple(sorted(self.entries))

    def entry(self, call: str, name: object) -> Entry:
        """The entry of that name; an unknown name is refused with the nearest one."""
        if not isinstance(name, str) or name not in self.entries:
            self.more()
        if not isinstance(name, str) or name not in self.entries:
            raise unknown_name(call, self.kind, name, self.entries)
        return self.entries[name]

    def describe(self, name: str) -> str:
        """The first line of what an entry says about itself."""
        return first_line(self.entry("describe()", name))


def first_line(entry: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(entry) or "").partition("\n")[0]
