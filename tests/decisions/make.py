"""Keep the decisions of this release: python -m tests.decisions.make

They are made anew only where decisions are meant to change, and the change says so.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import warnings
from pathlib import Path

from belated.errors import BelatedWarning
from belated.log import Balk
from belated.study import Study
from tests.builders import mixed
from tests.decisions.kept import ARITHMETIC, FOLDER, arithmetic, keep
from tests.decisions.lives import lived, lives, value_of

PROCESSES, ASKS = 3, 8


def work(address: str, worker: str) -> None:
    """What one of several processes does."""
    import numpy as np

    rng, study = np.random.default_rng(len(worker)), Study.open(address, "shared")
    for _ in range(ASKS):
        query = study.ask(worker=worker)
        assert not isinstance(query, Balk)
        study.tell(query, value_of(study.space, query.point, {}, rng))


def keep_shared() -> None:
    """Keep what several processes decide at once, on SQLite."""
    for policy in ("auto", "gp-bucb"):
        with tempfile.TemporaryDirectory() as folder:
            address = f"sqlite:///{Path(folder, 'lab.db')}"
            study = Study.create(address, "shared", mixed(), policy=policy, seed=5)
            context = multiprocessing.get_context("spawn")
            processes = [context.Process(target=work, args=(address, f"worker {n}")) for n in range(PROCESSES)]
            for process in processes:
                process.start()
            for process in processes:
                process.join()
                assert process.exitcode == 0
            keep(f"{policy}, {PROCESSES} processes", study.events, [])


def main() -> None:
    """Live all lives, and keep them."""
    FOLDER.mkdir(exist_ok=True)
    for path in FOLDER.glob("*"):
        path.unlink()
    warnings.simplefilter("ignore", BelatedWarning)
    for life in lives():
        study, balks = lived(life)
        keep(life.name, study.events, balks)
    keep_shared()
    ARITHMETIC.write_text(arithmetic() + "\n")


if __name__ == "__main__":
    main()
