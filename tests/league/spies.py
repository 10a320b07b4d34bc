"""Optimizers that write down everything that happens to them, and a walk through all that they could look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any, ClassVar

import numpy as np


@dataclass
class Diary:
    """What a spy was given and told: its events are ("ask", None), ("tell", point, …) and ("fail", point)."""

    given: list[Any] = field(default_factory=list)
    events: list[tuple[Any, ...]] = field(default_factory=list)


class Spy:
    """Asks random points, and keeps everything that it gets hold of in the diary of its class."""

    contexts: ClassVar[Any] = ("before", "after")
    diary: ClassVar[Diary] = Diary()
    silent: ClassVar[frozenset[int]] = frozenset()  # the asks that it lets pass

    def __init__(self, space: Any, goal: str, *, seed: int, queries: int, **others: Any) -> None:
        self.__class__.diary = Diary([self, space, goal, seed, queries, others])
        self.space, self.rng = space, np.random.default_rng(seed)
        self.asks = 0

    def ask(self, *others: Any) -> Any:
        self.diary.given.extend(others)
        self.asks += 1
        if self.asks in self.silent:
            self.diary.events.append(("ask", None))
            return None
        point = self.space.decode(self.space.sample(1, self.rng)[0])
        self.diary.events.append(("ask", point))
        return point

    def tell(self, point: Any, value: float, *others: Any) -> None:
        self.diary.given.extend((point, value, *others))
        self.diary.events.append(("tell", point, value, *others))

    def fail(self, point: Any) -> None:
        self.diary.given.append(point)
        self.diary.events.append(("fail", point))


class Plain:
    """The fifteen lines of anybody: no contexts, no failures, no recommendation."""

    def __init__(self, space: Any, goal: str, *, seed: int, queries: int) -> None:
        self.space, self.rng = space, np.random.default_rng(seed)

    def ask(self) -> Any:
        return self.space.decode(self.space.sample(1, self.rng)[0])

    def tell(self, point: Any, value: float) -> None:
        pass


class Broken(Plain):
    """Raises in its third ask."""

    asks = 0

    def ask(self) -> Any:
        self.asks += 1
        if self.asks == 3:
            raise ValueError("no idea")
        return super().ask()


def reachable(start: object) -> Iterator[object]:
    """Everything that can be looked at from something: its parts, their parts, and what functions carry with them."""
    seen: set[int] = set()
    waiting = [start]
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, ModuleType | type | BuiltinFunctionType | str | bytes | int | float):
            continue
        seen.add(id(one))
        yield one
        waiting.extend(_parts(one))


def _parts(one: Any) -> Iterator[object]:
    if isinstance(one, Mapping):
        yield from one.keys()
        yield from one.values()
    elif isinstance(one, list | tuple | set | frozenset):
        yield from one
    elif isinstance(one, MethodType):
        yield from (one.__self__, one.__func__)
    elif isinstance(one, FunctionType):
        yield from one.__defaults__ or ()
        yield from (one.__kwdefaults__ or {}).values()
        for cell in one.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:  # nothing has been put into it
                continue
    elif isinstance(one, partial):
        yield from (one.func, one.args, one.keywords)
    elif isinstance(one, np.ndarray) and one.dtype == object:
        yield from one.ravel().tolist()
    yield from vars(one).values() if hasattr(one, "__dict__") else ()
    for kind in type(one).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if hasattr(one, name):
                yield getattr(one, name)
