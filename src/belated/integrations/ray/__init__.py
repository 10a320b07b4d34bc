"""Belated on Ray: an executor that evaluates on a cluster, and a searcher for Ray Tune."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from belated.errors import MissingPackageError

try:
    import ray  # noqa: F401
except ModuleNotFoundError:
    raise MissingPackageError(
        "belated.integrations.ray: needs the package ray, which is not installed; Belated's extra 'ray' brings it."
    ) from None

from belated.integrations.ray.executor import RayExecutor

if TYPE_CHECKING:
    from belated.integrations.ray.search import BelatedSearch

__all__ = ["BelatedSearch", "RayExecutor"]


def __getattr__(name: str) -> Any:
    """The searcher, on first use: Ray Tune takes seconds to import, and the executor does without."""
    if name == "BelatedSearch":
        from belated.integrations.ray.search import BelatedSearch

        return BelatedSearch
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
