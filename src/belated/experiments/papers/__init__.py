"""The experiments of the papers, as data."""

from belated.errors import unknown_name
from belated.experiments.papers import desautels2014, huang2024, lu2022, vakili2023, verma2022
from belated.experiments.papers.costs import CheapestClaim
from belated.experiments.papers.paper import (
    Claim,
    Claimed,
    Figure,
    LevelClaim,
    Paper,
    PaperPanel,
    RegretMeasure,
    Story,
    Tabulation,
    TimeClaim,
)
from belated.experiments.papers.provenance import Opening, provenance
from belated.experiments.papers.reproduction import Computed, PanelOutcome, Reproduction, reproduce
from belated.experiments.papers.verdict import ClaimVerdict, Finding, Outcome, verdict

_PAPERS: dict[str, Paper] = {
    paper.key: paper
    for paper in (desautels2014.PAPER, verma2022.PAPER, vakili2023.PAPER, lu2022.PAPER, huang2024.PAPER)
}


def names() -> tuple[str, ...]:
    """The papers that can be reproduced."""
    return tuple(_PAPERS)


def paper(key: str) -> Paper:
    """The paper of that key."""
    if key not in _PAPERS:
        raise unknown_name("reproduce()", "paper", key, _PAPERS)
    return _PAPERS[key]


__all__ = [
    "CheapestClaim",
    "Claim",
    "ClaimVerdict",
    "Claimed",
    "Computed",
    "Figure",
    "Finding",
    "LevelClaim",
    "Opening",
    "Outcome",
    "PanelOutcome",
    "Paper",
    "PaperPanel",
    "RegretMeasure",
    "Reproduction",
    "Story",
    "Tabulation",
    "TimeClaim",
    "names",
    "paper",
    "provenance",
    "reproduce",
    "verdict",
]
