"""Colors of the page: text and marks stand out from what they are on, in light and in dark."""

import re

import pytest

import betterthan as bt

TEXT, MARK = 4.5, 3.0
PAIRS = [
    *((ink, "bg", TEXT) for ink in ("ink", "ink-2", "ink-3", "link", "better", "worse", "same")),
    *((ink, "surface", TEXT) for ink in ("ink", "ink-2", "ink-3")),
    ("open", "bg", TEXT),
    ("warn-ink", "warn", TEXT),
    ("line-2", "bg", MARK),
    ("focus", "bg", MARK),
    *((f"t{k}", f"h{k}", TEXT) for k in range(7)),
]


@pytest.fixture(scope="module")
def themes():
    """Tokens by theme, as the page has them."""
    page = bt.report(bt.compare(bt.datasets.contingency_case("a")), format="html")
    blocks = [
        dict(re.findall(r"--([\w-]+): ?(#[0-9a-f]+)", block))
        for block in re.findall(r"color-scheme: ?\w+;[^}]*", page)
    ]
    return {"light": blocks[0], "dark": blocks[1], "dark as chosen": blocks[2]}


def luminance(color):
    digits = color[1:] if len(color) == 7 else "".join(2 * digit for digit in color[1:])
    values = [int(digits[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    linear = [v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in values]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize("theme", ["light", "dark", "dark as chosen"])
@pytest.mark.parametrize(("front", "back", "least"), PAIRS)
def test_contrast(themes, theme, front, back, least):
    one, two = (luminance(themes[theme][name]) for name in (front, back))
    assert (max(one, two) + 0.05) / (min(one, two) + 0.05) >= least


def test_themes_have_the_same_tokens(themes):
    light, dark, chosen = (set(theme) for theme in themes.values())
    assert light == dark == chosen
