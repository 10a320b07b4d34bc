"""The shapes that a correlation may take over numeric coordinates, one file each: every file here is read."""

from importlib import import_module
from pathlib import Path

from belated.beliefs.kernels.form import FORMS, form_named

for _file in sorted(Path(__file__).parent.glob("[!_]*.py")):
    import_module(f"{__name__}.{_file.stem}")

__all__ = ["FORMS", "form_named"]
