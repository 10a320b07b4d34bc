"""Short labels for the members of an ensemble, which tell them apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from belated.beliefs import FORMS, GP, AfterQueries, Features

Member = GP | Features
Aspect = Callable[[Member], str]

MEANS = {"fitted": "", "smallest": "mean the smallest answer", "zero": "mean zero"}


def labels(members: Sequence[Member]) -> tuple[str, ...]:
    """The kernel of each member, and as much else as tells it from the others; no two labels are equal."""
    places = range(len(members))
    kernels = [process(member).kernel for member in members]
    words = [FORMS[kernel].label if kernel in FORMS else kernel for kernel in kernels]
    for word in dict.fromkeys(words):
        _tell_apart(members, words, [place for place in places if words[place] == word])
    return tuple(words)


def process(member: Member) -> GP:
    """The Gaussian process that a member is, or approximates."""
    return member.process if isinstance(member, Features) else member


def _tell_apart(members: Sequence[Member], words: list[str], alike: list[int]) -> None:
    """Add to equal labels the aspect that differs most among their members, until no two are equal."""
    if len(alike) == 1:
        return
    parted = [{place: aspect(members[place]) for place in alike} for aspect in ASPECTS]
    texts = max(parted, key=lambda texts: len(set(texts.values())))
    assert len(set(texts.values())) > 1, "members of an ensemble differ"
    for place, text in texts.items():
        words[place] += f", {text}" if text else ""
    for text in dict.fromkeys(texts.values()):
        _tell_apart(members, words, [place for place in alike if texts[place] == text])


# What members may differ in beside the kernel, the more telling first; a usual value needs no word. The words of two
# aspects are never the same.


def _scales(member: Member) -> str:
    scale = process(member).lengthscale
    if isinstance(scale, tuple):
        return f"ℓ = ({', '.join(map(_number, scale))})"
    return "" if scale is None else f"ℓ = {_number(scale)}"


def _ard(member: Member) -> str:
    return "a lengthscale per parameter" if process(member).ard else ""


def _features(member: Member) -> str:
    return f"features (D = {member.count:,})" if isinstance(member, Features) else ""


def _noise(member: Member) -> str:
    noise = process(member).noise
    return "" if noise is None else f"noise {_number(noise)}"


def _variance(member: Member) -> str:
    variance = process(member).variance
    return "" if variance is None else f"variance {_number(variance)}"


def _mean(member: Member) -> str:
    mean = process(member).mean
    return MEANS[mean] if isinstance(mean, str) else f"mean {_number(mean)}"


def _fit(member: Member) -> str:
    return "maximum likelihood" if process(member).fit == "ml" else ""


def _refit(member: Member) -> str:
    refit = process(member).refit
    if isinstance(refit, AfterQueries):
        return f"fitted every {refit.count:,} queries"
    return "" if refit is None else f"fitted every {refit:,} answers"


ASPECTS: tuple[Aspect, ...] = (_scales, _ard, _features, _noise, _variance, _mean, _fit, _refit)


def _number(value: float) -> str:
    """A number with all the digits that it needs: 0.01, 100, 1e6."""
    short = f"{value:g}"
    exact = short if float(short) == value else repr(float(value))
    return re.sub(r"e([+-])0*", lambda sign: "e-" if sign[1] == "-" else "e", exact)
