import numpy as np
import pytest
from matplotlib.collections import PolyCollection
from matplotlib.tri import TriContourSet
from scipy import special

import betterthan as bt

pytestmark = pytest.mark.usefixtures("no_layout")

ROOT3 = 3**0.5


def _counts(*cells):
    return bt.counts.from_table({("A", "B"): cells})


def _levels(ax):
    (filled, _) = [c for c in ax.collections if isinstance(c, TriContourSet)]
    return filled.levels


@pytest.mark.parametrize("cells", [(9, 4, 7), (12, 2, 986), (30, 0, 0), (300_000, 299_000, 10**6)])
def test_the_regions_hold_the_mass_they_claim(cells):
    ax = bt.plot.simplex(_counts(*cells))
    alpha = np.array(cells) + 1
    draws = np.random.default_rng(3).dirichlet(alpha, 20_000)

    def log_density(theta):
        return special.xlogy(alpha - 1, theta).sum(-1)

    relative = log_density(draws) - log_density(np.array(cells) / sum(cells))
    for level, mass in zip(_levels(ax)[:3], (0.95, 0.80, 0.50), strict=True):
        assert (relative > level).mean() == pytest.approx(mass, abs=0.02)


@pytest.mark.parametrize("cells", [(0, 0, 0), (9, 4, 7), (0, 0, 500), (10**9, 10**9, 10**8)])
def test_the_posterior_mean_is_in_view(cells):
    ax = bt.plot.simplex(_counts(*cells), prior="haldane")
    pseudo = 0.01
    theta = (np.array(cells) + pseudo) / (sum(cells) + 3 * pseudo)
    left, right = ax.get_xlim()
    bottom, top = ax.get_ylim()
    assert left < theta[0] - theta[1] < right
    assert bottom < theta[2] * ROOT3 < top


def test_a_wide_posterior_shows_the_whole_simplex():
    ax = bt.plot.simplex(_counts(2, 1, 2))
    corners = ax.patches[0].get_xy()[:3]
    np.testing.assert_allclose(corners, [[-1, 0], [1, 0], [0, ROOT3]], atol=1e-12)
    assert not ax.child_axes
    assert {"A wins\nevery item", "B wins\nevery item", "every item is a tie"} <= {
        t.get_text() for t in ax.texts
    }


def test_a_narrow_posterior_shows_where_it_lies():
    ax = bt.plot.simplex(_counts(210, 200, 590))
    assert len(ax.child_axes) == 1
    assert {"more wins of\nA", "more wins of\nB", "more ties"} <= {t.get_text() for t in ax.texts}
    numbers = [float(t.get_text()) for t in ax.texts if t.get_text().replace(".", "").isdigit()]
    assert min(numbers) > 0.1
    assert max(numbers) < 0.8


def test_the_numbers_stand_on_their_lines():
    ax = bt.plot.simplex(_counts(2, 1, 2))
    for text in ax.texts:
        if not text.get_text().replace(".", "").isdigit():
            continue
        x, y = text.xy
        tie, win = y / ROOT3, (1 - y / ROOT3 + x) / 2
        assert any(abs(float(text.get_text()) - v) < 0.03 for v in (win, tie, 1 - tie - win))


def test_the_rope_and_the_middle_line_are_named():
    ax = bt.plot.simplex(_counts(9, 4, 7), rope=0.1)
    told = [t.get_text() for t in ax.get_legend().get_texts()]
    assert told == [
        "densest 95%",
        "densest 80%",
        "densest 50%",
        "win = loss",
        "|win − loss| ≤ 0.1",
    ]


def test_a_flat_posterior_is_one_region():
    ax = bt.plot.simplex(_counts(0, 0, 0))
    assert not [c for c in ax.collections if isinstance(c, TriContourSet | PolyCollection)]
    assert "the same density everywhere" in [t.get_text() for t in ax.get_legend().get_texts()]


def test_the_title_is_the_answer():
    counts = bt.counts.from_contingency(500, 210, 200, 90, systems=("x", "y"))
    assert (
        bt.plot.simplex(counts, systems=("y", "x"))
        .get_title(loc="left")
        .endswith("P(y better) = 0.311")
    )


@pytest.mark.parametrize(
    ("counts", "choice", "message"),
    [
        (_counts(3, 2), {}, "the simplex needs the number of ties"),
        (
            bt.counts.apply_ties(_counts(3, 2, 1), "drop"),
            {},
            "the simplex needs the number of ties",
        ),
        (_counts(3, 2, 1), {"rope": 2}, "rope is 2"),
        (_counts(3, 2, 1), {"prior": "flat"}, "prior is 'flat'"),
        (_counts(3, 2, 1), {"systems": ("A", "C")}, "systems names 'C'"),
    ],
)
def test_bad_input_is_one_line(counts, choice, message):
    with pytest.raises(ValueError, match=message):
        bt.plot.simplex(counts, **choice)
