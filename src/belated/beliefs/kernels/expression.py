"""How a policy writes down a kernel: `matern52`, `se + linear`, `se[x, y] * rq[z]`.

A text is a sum of products of forms, each of the columns that are named behind it, or of all. It survives JSON and the
command line as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from belated.beliefs.kernels.composed import ColumnsKernel, ProductKernel, SumKernel
from belated.beliefs.kernels.form import Form
from belated.beliefs.kernels.forms import form_named
from belated.beliefs.kernels.kernel import Kernel
from belated.beliefs.kernels.simple import SimpleKernel
from belated.errors import ParameterError, unknown_name

# Outside brackets, in which names of columns may have such signs.
PLUS, TIMES = (re.compile(rf"{sign}(?![^\[]*\])") for sign in (r"\+", r"\*"))
SHAPED = re.compile(r"([^\[\]]*)(?:\[([^\[\]]*)\])?\s*")

# A kernel of this form over columns of which these are categorical.
Make = Callable[[Form, tuple[bool, ...]], SimpleKernel]


@dataclass(frozen=True)
class Shaped:
    """A form, and the names of the columns that it is of; None for all."""

    form: Form
    columns: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Expression:
    """A sum of products."""

    text: str
    terms: tuple[tuple[Shaped, ...], ...]

    @property
    def forms(self) -> tuple[Form, ...]:
        """All forms in it."""
        return tuple(shaped.form for term in self.terms for shaped in term)

    @property
    def single(self) -> Form | None:
        """The form, where it stands alone and for all columns."""
        ((first, *others), *rest) = self.terms
        return None if others or rest or first.columns is not None else first.form

    def kernel(self, names: Sequence[str], categorical: Sequence[bool], make: Make) -> Kernel:
        """The kernel over columns of these names."""
        products = [self._product(term, names, categorical, make) for term in self.terms]
        return products[0] if len(products) == 1 else SumKernel(tuple(products))

    def _product(
        self, term: tuple[Shaped, ...], names: Sequence[str], categorical: Sequence[bool], make: Make
    ) -> Kernel:
        parts: list[Kernel] = []
        compared: set[int] = set()
        for shaped in term:
            columns = tuple(range(len(names))) if shaped.columns is None else self._places(shaped.columns, names)
            # To compare the levels of a column once is enough in a product.
            own = tuple(place for place in columns if place not in compared)
            compared.update(place for place in columns if categorical[place])
            kernel = make(shaped.form, tuple(categorical[place] for place in own))
            parts.append(kernel if len(own) == len(names) else ColumnsKernel(own, kernel))
        return parts[0] if len(parts) == 1 else ProductKernel(tuple(parts))

    def _places(self, columns: tuple[str, ...], names: Sequence[str]) -> tuple[int, ...]:
        for name in columns:
            if name not in names:
                raise unknown_name(f"GP(kernel={self.text!r})", "parameter", name, names)
        return tuple(place for place, name in enumerate(names) if name in columns)


@cache
def expression(text: str, call: str) -> Expression:
    """What a text says; `call` is what the error names where a form is unknown."""
    terms = [[_shaped(text, factor, call) for factor in TIMES.split(term)] for term in PLUS.split(text)]
    return Expression(text, tuple(tuple(term) for term in terms))


def _shaped(text: str, factor: str, call: str) -> Shaped:
    found = SHAPED.fullmatch(factor)
    columns = None if found is None or found[2] is None else tuple(name.strip() for name in found[2].split(","))
    if found is None or (columns is not None and not all(columns)):
        raise ParameterError(
            f"GP(kernel={text!r}): a kernel is a sum of products of forms, each of the parameters named behind it "
            f"or of all; write it as 'se + linear' or 'se[x, y] * rq[z]'."
        )
    return Shaped(form_named(found[1].strip(), call), columns)


__all__ = ["Expression", "expression"]
