"""How long the import takes, and how much disk the core needs."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from benchmarks.measure import Row, keep, seconds

ROOT = Path(__file__).parent.parent


def main() -> None:
    """Import in fresh processes, and install the core in an empty environment."""
    bare = seconds(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True), 5)
    whole = seconds(lambda: subprocess.run([sys.executable, "-c", "import belated"], check=True), 5)
    with tempfile.TemporaryDirectory() as folder:
        megabytes = installed_megabytes(Path(folder))
    keep(
        "footprint",
        [
            Row("import belated", f"{whole - bare:.2f} s", "", None, "< 0.5 s", whole - bare < 0.5),
            Row("the core, installed", f"{megabytes:.0f} MB", "", None, "< 250 MB", megabytes < 250),
        ],
        "Import less the start of an interpreter, median of five; the size of what pip adds to an empty environment.",
    )


def installed_megabytes(folder: Path) -> float:
    """The size of everything that `pip install belated` brings, without pip itself."""
    venv.create(folder, with_pip=True)
    before = size(folder)
    python = folder / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(ROOT)], check=True)
    return (size(folder) - before) / 1e6


def size(folder: Path) -> int:
    """Bytes below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
