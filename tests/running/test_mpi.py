"""A study whose objective is evaluated by the processes of an MPI job."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from belated.study import Study
from tests.meanwhile import PATIENCE
from tests.running.objectives import Noting
from tests.running.programs import NAME
from tests.running.studies import states

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
from pathlib import Path
from mpi4py.futures import MPIPoolExecutor
from tests.running.objectives import Noting
from tests.running.programs import created

if __name__ == "__main__":
    address, folder = sys.argv[1:]
    with MPIPoolExecutor() as executor:
        ran = created(address).run(Noting(Path(folder)), 12, executor=executor)
    print(f"asked {ran.asked}, answered {ran.answered}", flush=True)
"""


@pytest.mark.slow
def test_the_processes_of_an_mpi_job_evaluate(sqlite: str, tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    mpiexec = Path(sys.executable).with_name("mpiexec")
    if not mpiexec.exists():
        pytest.skip("no mpiexec beside Python")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command: list[str | Path] = [mpiexec, "-n", "3", sys.executable, "-m", "mpi4py.futures", program, sqlite, tmp_path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (ended.returncode, ended.stdout) == (0, "asked 12, answered 12\n"), ended.stderr
    study = Study.open(sqlite, NAME)
    assert states(study) == ["answered"] * 12
    evaluated = Noting(tmp_path).read()
    assert Counter(heat for heat, _ in evaluated) == Counter(query.point["heat"] for query in study.queries())
    assert len({process for _, process in evaluated}) == 2, "the first process asks and tells, the others evaluate"
