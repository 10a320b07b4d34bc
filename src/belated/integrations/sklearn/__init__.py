"""Belated inside scikit-learn: a search with the look of RandomizedSearchCV, whose candidates are chosen by a study."""

from belated.errors import MissingPackageError

try:
    import sklearn  # noqa: F401
except ModuleNotFoundError:
    raise MissingPackageError(
        "belated.integrations.sklearn: needs the package scikit-learn, which is not installed; "
        "Belated's extra 'sklearn' brings it."
    ) from None

from belated.integrations.sklearn.search import BelatedSearchCV

__all__ = ["BelatedSearchCV"]
