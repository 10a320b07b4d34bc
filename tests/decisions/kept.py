"""Where the decisions are kept: a file for each study, the balks first, then the log, all as lines of JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
from scipy.linalg import cholesky
from scipy.special import log_ndtr

from belated.log import Event
from tests.decisions.lives import Balked

FOLDER = Path(__file__).parent / "kept"
ARITHMETIC = FOLDER / "arithmetic.txt"


def paths() -> list[Path]:
    """The files that are kept."""
    return sorted(FOLDER.glob("*.jsonl"))


def keep(name: str, events: Sequence[Event], balks: Sequence[Balked]) -> None:
    """Write one study."""
    lines = [json.dumps({"balk": asdict(balk)}, ensure_ascii=False) for balk in balks]
    lines += [json.dumps(event.to_json(), ensure_ascii=False) for event in events]
    (FOLDER / f"{name}.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")


def read(path: Path) -> tuple[list[Event], list[Balked]]:
    """What is kept of one study."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    balks = [Balked(**line["balk"]) for line in lines if "balk" in line]
    return [Event.from_json(line) for line in lines if "balk" not in line], balks


def arithmetic() -> str:
    """A digest of sums and functions: where it is the same, so is every rounding."""
    rng = np.random.default_rng(0)
    tall, wide = rng.random((200, 60)), rng.random((60, 200))
    gram = wide @ wide.T
    found = [tall @ wide, gram, cholesky(gram, lower=True), np.exp(-tall), np.log(wide), log_ndtr(4.0 - 9.0 * tall)]
    return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in found)).hexdigest()
