"""Where runs are kept: a folder for each definition of an arm, and in it parts, each of some seeds.

A part is an .npz file and a JSON file beside it, which has the definition, the seeds and the hash of the former. Both
are written whole or not at all, the JSON last; so a part counts iff its JSON is there and everything in it agrees.
Names contain the hash, so that two experiments at work in one folder never write the same file.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from belated.errors import StorageError
from belated.experiments.arm import Arm
from belated.experiments.runs import Runs
from belated.study.files import write_whole


def prepare(folder: Path) -> None:
    """Make the folder, before anything is run for it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(folder, error) from None


def keep(folder: Path, arm: Arm, runs: Runs) -> None:
    """Write runs of an arm as one part."""
    data = _packed(runs)
    digest = hashlib.sha256(data).hexdigest()
    seeds = [int(seed) for seed in runs.seeds]
    about = {"definition": arm.definition, "seeds": seeds, "sha256": digest}
    path = folder / arm.digest / f"{seeds[0]}-{seeds[-1]}-{digest[:12]}.npz"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
        write_whole(path.with_suffix(".json"), json.dumps(about).encode())
    except OSError as error:
        raise _unwritable(folder, error) from None


def kept(folder: Path, arm: Arm) -> tuple[list[Runs], list[Path]]:
    """The parts of an arm that are sound, and the JSON files of those that are not."""
    sound: list[Runs] = []
    damaged: list[Path] = []
    definition = arm.definition
    for path in sorted((folder / arm.digest).glob("*.json")):
        runs = _read(path, definition)
        if runs is None:
            damaged.append(path)
        else:
            sound.append(runs)
    return sound, damaged


def discard(part: Path) -> None:
    """Remove a damaged part, so that nobody has to read it again."""
    part.with_suffix(".npz").unlink(missing_ok=True)
    part.unlink(missing_ok=True)


def _unwritable(folder: Path, error: OSError) -> StorageError:
    return StorageError(
        f"conduct({str(folder)!r}): cannot be written to ({error.strerror or error}); name a folder that you may write "
        f"to, on a disk with space; what is there is kept."
    )


def _read(path: Path, definition: dict[str, Any]) -> Runs | None:
    """The runs of a part; None where it is damaged, cut short or of another definition."""
    try:
        about = json.loads(path.read_bytes())
        data = path.with_suffix(".npz").read_bytes()
        if about["definition"] != definition or about["sha256"] != hashlib.sha256(data).hexdigest():
            return None
        with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
            runs = Runs(**{part.name: _widened(arrays[part.name]) for part in fields(Runs)})
    except (OSError, ValueError, LookupError, TypeError, zipfile.BadZipFile):
        return None
    return runs if runs.seeds.tolist() == about.get("seeds") else None


def _packed(runs: Runs) -> bytes:
    file = io.BytesIO()
    arrays = {part.name: _narrowed(getattr(runs, part.name)) for part in fields(runs)}
    np.savez_compressed(file, **arrays)  # type: ignore[arg-type]  # names are ours, and none is an option
    return file.getvalue()


def _narrowed(values: NDArray[Any]) -> NDArray[Any]:
    """The values as single precision where that loses nothing."""
    if values.dtype != np.float64:
        return values
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
    return single if np.array_equal(single, values, equal_nan=True) else values


def _widened(values: NDArray[Any]) -> NDArray[Any]:
    return values.astype(float) if values.dtype == np.float32 else values
