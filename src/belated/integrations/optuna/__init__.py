"""Belated inside Optuna: its policies as a sampler, and studies that move from one to the other."""

from belated.errors import MissingPackageError

try:
    import optuna as _optuna  # noqa: F401
except ImportError:
    raise MissingPackageError(
        "belated.integrations.optuna: needs the package optuna, which is not installed; Belated's extra 'optuna' "
        "brings it."
    ) from None

from belated.integrations.optuna.migration import from_optuna, to_optuna
from belated.integrations.optuna.refusals import UnsupportedStudyError
from belated.integrations.optuna.sampler import BelatedSampler

__all__ = ["BelatedSampler", "UnsupportedStudyError", "from_optuna", "to_optuna"]
