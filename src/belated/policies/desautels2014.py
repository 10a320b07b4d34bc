"""Batches and delays by hallucination [desautels2014], and the systems that the paper compares with."""

from __future__ import annotations

from belated.beliefs import Description
from belated.log import GivenWindow, as_window
from belated.pacing import (
    AfterInitialisation,
    Always,
    Batches,
    Bounded,
    InformationLimited,
    LocallyLimited,
    Predictable,
)
from belated.pending import Hallucinate, Ignore, Rehallucinate
from belated.policies.parameters import FITTED, Greedy, Initial, Searches, as_width, begin
from belated.policies.policy import Policy
from belated.policies.registry import policy
from belated.rules import Apart, Distinct, ExploreFirst, Improvement, Match, Thompson, UpperBound, Width


@policy("gp-bucb")
def gp_bucb(
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
    initial: Initial = None,
    maximum: int | None = None,
    rehallucinate: bool = False,
) -> Policy:
    """GP-BUCB: the mean from the answers, the deviation from all asked points [desautels2014, algorithm 2]."""
    return Policy(
        belief=belief,
        treatment=Rehallucinate(as_window(window)) if rehallucinate else Hallucinate(as_window(window)),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=Always() if maximum is None else Bounded(maximum),
        repeats=Apart(),
    )


@policy("gp-bucb-init")
def gp_bucb_init(
    batch: int = 5,
    threshold: float | None = None,
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
) -> Policy:
    """GP-BUCB after uncertainty sampling, until a batch can tell no more than C [desautels2014, section 4.5]."""
    rule = ExploreFirst(batch, threshold, UpperBound(as_width(width)))
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=rule,
        pacing=AfterInitialisation(rule),
        repeats=Apart(),
    )


@policy("gp-bts")
def gp_bts(
    belief: Description = FITTED, window: GivenWindow = None, initial: Initial = None, rehallucinate: bool = False
) -> Policy:
    """GP-BTS: Thompson sampling with hallucinated pending answers [verma2022, section 6]."""
    return Policy(
        belief=belief,
        treatment=Rehallucinate(as_window(window)) if rehallucinate else Hallucinate(as_window(window)),
        rule=begin(Thompson(), belief, initial),
        pacing=Always(),
        repeats=Apart(),
    )


@policy("gp-aucb")
def gp_aucb(
    limit: float | None = None,
    minimum: Greedy = 2,
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
    initial: Initial = None,
) -> Policy:
    """GP-AUCB: GP-BUCB that balks while pending queries will tell C or more about f [desautels2014, algorithm 4]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=InformationLimited(limit, minimum),
        repeats=Apart(),
    )


@policy("gp-aucb-local")
def gp_aucb_local(
    minimum: int = 2,
    maximum: int = 10,
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
    initial: Initial = None,
    limit: float | None = None,
) -> Policy:
    """GP-AUCB Local: GP-BUCB that balks when some deviation has shrunk too far [desautels2014, algorithm 5]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=LocallyLimited(minimum, maximum, limit),
    )


@policy("gp-aucb-init")
def gp_aucb_init(
    minimum: int = 5,
    limit: float = 1.0,
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
) -> Policy:
    """GP-AUCB after uncertainty sampling, until every batch may have so many queries [desautels2014, section 5.1]."""
    rule = ExploreFirst(minimum, limit, UpperBound(as_width(width)))
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=rule,
        pacing=AfterInitialisation(rule, InformationLimited(limit)),
        repeats=Apart(),
    )


@policy("gp-ucb-ranked")
def gp_ucb_ranked(width: float | Width = 2.0, belief: Description = FITTED, initial: Initial = None) -> Policy:
    """GP-UCB that asks its candidates in order while answers are out, none twice [desautels2014, section 3.4]."""
    return Policy(
        belief=belief,
        treatment=Ignore(),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=Always(),
        repeats=Distinct(),
    )


@policy("sm-ucb")
def sm_ucb(
    batch: Searches = 5,
    paths: Searches = 10,
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
) -> Policy:
    """SM-UCB: batches that match simulated runs of GP-UCB [azimi2010; desautels2014, section 7]."""
    return Policy(
        belief=belief,
        treatment=Ignore(as_window(window)),
        rule=Match(UpperBound(as_width(width)), batch, paths),
        pacing=Batches(batch),
        repeats=Apart(),
    )


@policy("sm-mei")
def sm_mei(
    batch: Searches = 5, paths: Searches = 10, belief: Description = FITTED, window: GivenWindow = None
) -> Policy:
    """SM-MEI: batches that match simulated runs of expected improvement [azimi2010; desautels2014, section 7]."""
    return Policy(
        belief=belief,
        treatment=Ignore(as_window(window)),
        rule=Match(Improvement(), batch, paths),
        pacing=Batches(batch),
        repeats=Apart(),
    )


@policy("hbbo-ucb")
def hbbo_ucb(
    tolerance: float | None = None,
    maximum: int = 10,
    width: float | Width = 2.0,
    belief: Description = FITTED,
    window: GivenWindow = None,
    initial: Initial = None,
) -> Policy:
    """HBBO-UCB: GP-BUCB that balks when pending answers would move the chosen point's mean [azimi2012]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(UpperBound(as_width(width)), belief, initial),
        pacing=Predictable(tolerance, maximum),
        repeats=Apart(),
    )


@policy("hbbo-mei")
def hbbo_mei(
    tolerance: float | None = None,
    maximum: int = 10,
    belief: Description = FITTED,
    window: GivenWindow = None,
    initial: Initial = None,
) -> Policy:
    """HBBO-MEI: expected improvement with hallucination, balking as HBBO-UCB does [azimi2012]."""
    return Policy(
        belief=belief,
        treatment=Hallucinate(as_window(window)),
        rule=begin(Improvement(), belief, initial),
        pacing=Predictable(tolerance, maximum),
        repeats=Apart(),
    )
