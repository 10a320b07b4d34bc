"""The values of a point or a context, as a log keeps them: a read-only dictionary."""

from __future__ import annotations

from typing import Any, NoReturn


class Values(dict[str, Any]):
    """A read-only dictionary; `dict(values)` is a copy to change."""

    __slots__ = ()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("the values of a query never change; take a copy with dict(…).")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = __ior__ = _refuse

    def __reduce__(self) -> tuple[type[Values], tuple[dict[str, Any]]]:
        return Values, (dict(self),)

    def __copy__(self) -> Values:
        return self

    def __deepcopy__(self, memo: object) -> Values:
        return self
