"""Every text of the pages can be read on what it stands on, by light and by dark: WCAG AA."""

from __future__ import annotations

import re

import pytest

from belated.service.dashboard.assets import contents

CSS = contents()["dashboard.css"].decode()
# Of text, and of the borders of fields and buttons [WCAG 2.1, 1.4.3 and 1.4.11].
TEXT, BORDER = 4.5, 3.0
# What a text stands on unless its rule says otherwise.
SURFACES = ("paper", "card")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


def colours(dark: bool) -> dict[str, str]:
    """The colours by name; those of the dark take the place of those of the light."""
    found = dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", CSS.split("@media (prefers-color-scheme: dark)")[0]))
    if dark:
        block = CSS.split("@media (prefers-color-scheme: dark)")[1].split("\n}")[0]
        return found | dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", block))
    return found


def pairs() -> list[tuple[str, str, str]]:
    """Of every rule that colours a text: the rule, the colour, and what the text stands on."""
    found = []
    for selector, body in RULE.findall(re.sub(r"/\*.*?\*/", "", CSS)):
        text = re.search(r"(?<![a-z-])color: var\(--([a-z-]+)\)", body)
        ground = re.search(r"background(?:-color)?: var\(--([a-z-]+)\)", body)
        if text:
            found += [(selector.strip(), text[1], surface) for surface in ([ground[1]] if ground else SURFACES)]
    return found


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


def test_the_contrast_of_black_and_white_is_the_greatest() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_every_text_can_be_read(dark: bool) -> None:
    known = colours(dark)
    assert len(pairs()) > 60
    for selector, text, ground in pairs():
        assert contrast(known[text], known[ground]) >= TEXT, f"{selector}: {text} on {ground}"


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_fields_buttons_and_the_focus_can_be_seen(dark: bool) -> None:
    known = colours(dark)
    for line in ("edge", "accent"):
        for surface in SURFACES:
            assert contrast(known[line], known[surface]) >= BORDER, f"{line} on {surface}"


def test_light_and_dark_name_the_same_colours() -> None:
    block = CSS.split("@media (prefers-color-scheme: dark)")[1].split("\n}")[0]
    assert set(re.findall(r"--([a-z-]+): #", block)) == set(colours(dark=False))
