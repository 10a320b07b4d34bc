"""The sets that are searched: parameters, boxes, tables, contexts, and their place in the unit cube."""

from belated.space.arrays import Array, Indices, Mask
from belated.space.candidates import Candidates
from belated.space.context import Context
from belated.space.domain import Domain
from belated.space.parameters import Choice, Float, Int, Parameter
from belated.space.performed import performed_units, read_performed
from belated.space.serial import domain_from_json
from belated.space.space import Space

__all__ = [
    "Array",
    "Candidates",
    "Choice",
    "Context",
    "Domain",
    "Float",
    "Indices",
    "Int",
    "Mask",
    "Parameter",
    "Space",
    "domain_from_json",
    "performed_units",
    "read_performed",
]
