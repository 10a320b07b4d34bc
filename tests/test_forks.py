"""Programs that are forked behave as programs do that are started."""

from __future__ import annotations

import signal
from pathlib import Path

from tests.forks import BARE, fork, ran


def test_a_program_has_its_own_folder_words_environment_output_and_end(tmp_path: Path) -> None:
    program = "import os, sys\nprint(os.getcwd(), sys.argv[1:], os.environ['MINE'])\nsys.exit('over')"
    done = ran(program, tmp_path, "a", 1, environment={"MINE": "x"}, modules=BARE)
    assert (done.returncode, done.stdout, done.stderr) == (1, f"{tmp_path} ['a', '1'] x\n", "over\n")


def test_what_one_program_changes_no_other_sees(tmp_path: Path) -> None:
    changes = "import belated, os\nbelated.changed = os.environ['CHANGED'] = 'yes'"
    assert ran(changes, tmp_path, modules=BARE).returncode == 0
    looks = "import belated, os\nassert not hasattr(belated, 'changed') and 'CHANGED' not in os.environ"
    assert ran(looks, tmp_path, modules=BARE).returncode == 0


def test_a_program_runs_until_it_is_ended(tmp_path: Path) -> None:
    begun = fork("import time\nprint('begun', flush=True)\ntime.sleep(600)", tmp_path, None, modules=BARE)
    assert begun.stdout.readline() == "begun\n"
    assert begun.poll() is None
    begun.end(signal.SIGTERM)
    assert begun.poll() == -signal.SIGTERM
