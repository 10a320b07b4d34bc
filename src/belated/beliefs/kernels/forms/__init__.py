"""The shapes that a correlation may take over numeric coordinates, one file each: every file here is read."""

from importlib import import_module
from pkgutil import iter_modules

from belated.beliefs.kernels.form import FORMS, Form, Stationary, form_named

for _file in sorted(iter_modules(__path__), key=lambda file: file.name):
    import_module(f"{__name__}.{_file.name}")

__all__ = ["FORMS", "Form", "Stationary", "form_named"]
