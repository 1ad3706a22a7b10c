"""Figures of posterior draws: the masses are shares of draws and agree with the closed form."""

import warnings

import arviz as az
import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.results import numbers

pytestmark = pytest.mark.usefixtures("no_layout")

B = bt.counts.from_contingency(500, 210, 200, 90)
THREE = bt.counts.from_table(
    {("A", "B"): (5, 20, 75), ("A", "C"): (30, 10, 60), ("B", "C"): (8, 8, 84)}
)
DRAWN = bt.posterior.draws(B, rng=1)
DRAWN_THREE = bt.posterior.draws(THREE, rng=1)
DECISIVE = bt.posterior.draws(bt.counts.apply_ties(B, "drop"), rng=1)
ERROR = 4 * (0.25 / 4000) ** 0.5  # four Monte Carlo errors of a share of 4,000 independent draws


def adopted(pairs=("A vs B",), seed=1, counts=None, **variables):
    """Hand-made draws of a model of one's own, adopted."""
    dims = {k: ["pair", "outcome"] if k == "theta" else ["pair"] for k in variables}
    coords = {"pair": list(pairs), "outcome": ["win", "loss", "tie"]}
    tree = az.from_dict({"posterior": variables}, dims=dims, coords=coords)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that some of them have not converged
        return bt.fits.adopt(tree, counts)


def independent(seed=1):
    """Draws as those of ``models.independent_betas``."""
    random = np.random.default_rng(seed)
    win, loss = random.beta(211, 791, (4, 1000, 1)), random.beta(201, 801, (4, 1000, 1))
    tree = adopted(difference=win - loss, p_win=win, p_loss=loss)
    tree["posterior"].attrs["model"] = "independent_betas"
    return tree


P_ALONE = adopted(p=np.random.default_rng(1).beta(13, 3, (4, 500, 1)))


def unconverged():
    random = np.random.default_rng(1)
    theta = random.dirichlet([60, 20, 20], (4, 500, 1))
    theta[2:] = random.dirichlet([40, 20, 40], (2, 500, 1))
    return adopted(theta=theta)


def _title(ax):
    return " ".join(ax.get_title(loc="left").split())


def _legend(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def _numbers(ax):
    return [float(text.split(" = ")[1]) for text in _legend(ax)]


def _curves(ax):
    return [line.get_xydata().T for line in ax.lines if len(line.get_xdata()) > 2]


@pytest.mark.parametrize("show", ["outcomes", "decisive", "difference"])
def test_a_kernel_of_exact_draws_is_near_the_exact_density(show):
    sampled = _curves(bt.plot.densities(DRAWN, show=show))
    exact = _curves(bt.plot.densities(B, show=show))
    for (x, y), (at, density) in zip(sampled, exact, strict=True):
        assert np.trapezoid(y, x) == pytest.approx(1, abs=0.01)
        expected = np.interp(x, at, density, left=0, right=0)
        assert np.abs(y - expected).max() < 0.1 * density.max()


@pytest.mark.parametrize(("show", "rope"), [("decisive", None), ("difference", 0.02)])
def test_masses_in_the_legend_are_those_of_the_closed_form(show, rope):
    sampled = bt.plot.densities(DRAWN, show=show, rope=rope)
    exact = bt.plot.densities(B, show=show, rope=rope)
    np.testing.assert_allclose(_numbers(sampled), _numbers(exact), atol=ERROR)
    assert sum(_numbers(sampled)) == pytest.approx(1, abs=0.0015)  # rounded to three digits
    assert _legend(sampled)[0].split(" = ")[0] == _legend(exact)[0].split(" = ")[0]
    assert _title(sampled).endswith("Kernel density of 4,000 draws")
    assert "draws" not in _title(exact)


def test_masses_are_shares_of_all_draws_and_equal_draws_count_half():
    p = np.tile([0.4, 0.5, 0.5, 0.7, 0.8], (4, 20))[..., None]
    p = np.random.default_rng(1).permuted(p, axis=1)  # chains are no copies
    ax = bt.plot.densities(adopted(p=p), show="decisive")
    assert _legend(ax) == ["P(A better) = 0.600", "P(B better) = 0.400"]
    ax = bt.plot.densities(adopted(difference=2 * p - 1), show="difference", rope=0.1)
    assert _legend(ax) == [
        "P(|d| ≤ 0.1) = 0.400",
        "P(A better by more than 0.1) = 0.400",
        "P(B better by more than 0.1) = 0.200",
    ]


def test_outcomes_have_the_means_of_the_draws():
    assert _legend(bt.plot.densities(independent())) == [
        f"by {s}: mean {float(independent()['posterior'][k].mean()):.3f}"
        for s, k in (("A", "p_win"), ("B", "p_loss"))
    ]


@pytest.mark.parametrize("show", ["outcomes", "decisive", "difference"])
def test_draws_from_the_other_side_are_the_mirror_image(show):
    one = _curves(bt.plot.densities(DRAWN_THREE, systems=("A", "C"), show=show))
    two = _curves(bt.plot.densities(DRAWN_THREE, systems=("C", "A"), show=show))
    tops = [[x[np.argmax(y)] for x, y in curves] for curves in (one, two)]
    if show == "outcomes":
        assert tops[0] == tops[1][::-1]
    else:
        assert sum(tops[0] + tops[1]) == pytest.approx(float(show == "decisive"), abs=0.02)


def test_draws_of_judged_counts_are_drawn():
    table = ([[18, 2, 5], [3, 9, 4], [4, 3, 12]], (210, 120, 170))
    counts = bt.judged.from_table({("A", "B"): table})
    drawn = bt.posterior.draws(counts, rng=1)
    exact = bt.prob_better(counts).item()
    for show in ("decisive", "difference"):
        ax = bt.plot.densities(drawn, show=show)
        assert _numbers(ax)[0] == pytest.approx(exact, abs=ERROR)
    assert "4,000 draws" in _title(bt.plot.simplex(drawn))


def test_a_pair_of_draws_is_picked_and_renamed():
    ax = bt.plot.densities(DRAWN_THREE, systems={"C": "new", "B": "old"}, show="decisive")
    assert _title(ax).startswith("Posterior of the non-tied items, new against old")
    expected = float(bt.prob_better(DRAWN_THREE).sel(system_a="C", system_b="B"))
    assert _legend(ax)[0] == f"P(new better) = {expected:.3f}"


def test_a_difference_of_ones_own_may_exceed_one():
    d = np.random.default_rng(1).normal(8, 2, (4, 500, 1))
    ax = bt.plot.densities(adopted(difference=d), show="difference")
    ((x, _),) = _curves(ax)
    assert x[-1] == d.max()
    assert ax.get_xlabel() == "Difference, above 0 where A is better"


def test_a_rope_of_a_difference_of_ones_own_is_in_its_unit():
    tree = adopted(difference=np.random.default_rng(1).normal(20, 15, size=(4, 500, 1)))
    d = tree["posterior"]["difference"].values
    ax = bt.plot.densities(tree, show="difference", rope=10)
    assert f"P(|d| ≤ 10) {numbers.equal_to((np.abs(d) <= 10).mean())}" in _legend(ax)
    for data in (tree, bt.fits.compare(tree, rope=10), bt.fits.compare(tree)):
        labels = bt.plot.differences(data, rope=10).get_legend().get_texts()
        assert "ROPE: |d| ≤ 10" in [t.get_text() for t in labels]
    assert bt.plot.differences(bt.fits.compare(tree, rope=10)).get_legend()  # that of its verdicts
    graded = bt.fits.compare(bt.datasets.example_fit("graded"), rope=2.0)
    assert bt.plot.differences(graded)
    assert bt.plot.differences(graded, rope=3.0)
    with pytest.raises(ValueError, match="rope is -1; give a number of at least 0, in units of"):
        bt.plot.differences(tree, rope=-1)


def test_the_matrix_of_draws_is_that_of_their_shares():
    ax = bt.plot.matrix(DRAWN_THREE)
    rows = [t.get_text() for t in ax.get_yticklabels()]
    expected = bt.prob_better(DRAWN_THREE).sel(system_a=rows, system_b=rows)
    np.testing.assert_allclose(ax.images[0].get_array(), expected)
    np.testing.assert_allclose(
        expected, bt.prob_better(THREE).sel(system_a=rows, system_b=rows), atol=ERROR
    )
    assert "from 4,000 draws" in _title(ax)


@pytest.mark.parametrize("rope", [0.0, 0.15])
def test_the_forest_of_draws_has_the_verdicts_of_the_closed_form(rope):
    sampled, exact = (bt.plot.differences(data, rope=rope) for data in (DRAWN_THREE, THREE))
    means = [np.sort(np.concatenate([x.get_xdata() for x in ax.lines])) for ax in (sampled, exact)]
    np.testing.assert_allclose(*means, atol=0.005)
    assert _legend(sampled) == _legend(exact)
    assert _title(sampled) == "Difference of each pair: mean and 95% HDI, from 4,000 draws"


def test_draws_by_pair_are_drawn_as_those_by_square():
    by_pair = bt.posterior.draws(bt.counts.to_pairs(THREE), rng=1)
    for data in (by_pair, bt.fits.compare(by_pair)):
        ax, square = bt.plot.matrix(data), bt.plot.matrix(DRAWN_THREE)
        np.testing.assert_allclose(ax.images[0].get_array(), square.images[0].get_array())
        weights = [[t.get_fontweight() for t in drawn.texts] for drawn in (ax, square)]
        assert weights[0] == weights[1]
        forest = bt.plot.differences(data)
        assert _legend(forest) == _legend(bt.plot.differences(DRAWN_THREE))


def test_without_convergence_no_pair_has_a_verdict():
    with pytest.warns(UserWarning, match="no verdict"):
        ax = bt.plot.matrix(unconverged())
    assert {t.get_fontweight() for t in ax.texts} == {"normal"}
    assert _title(ax).endswith("In percent; no verdict: the draws have not converged")
    with pytest.warns(UserWarning, match="no verdict"):
        ax = bt.plot.differences(unconverged())
    assert _legend(ax) == ["no verdict"]


@pytest.mark.parametrize("systems", [("A", "C"), ("C", "A")])
def test_the_simplex_shows_draws_as_points_in_view(systems):
    ax = bt.plot.simplex(DRAWN_THREE, systems=systems, rope=0.1)
    (points,) = [line for line in ax.lines if len(line.get_xdata()) > 2]
    x, y = points.get_data()
    assert len(x) == 2000
    theta = np.array([31, 11, 61]) / 103  # the posterior mean
    sign = 1 if systems[0] == "A" else -1
    assert x.mean() == pytest.approx(sign * (theta[0] - theta[1]), abs=0.01)
    assert y.mean() == pytest.approx(theta[2] * 3**0.5, abs=0.01)
    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    assert np.mean((left < x) & (x < right) & (bottom < y) & (y < top)) == 1
    assert _legend(ax) == ["2,000 of the 4,000 draws", "win = loss", "|win − loss| ≤ 0.1"]
    share = float(bt.prob_better(DRAWN_THREE).sel(system_a=systems[0], system_b=systems[1]))
    said = numbers.equal_to(share)
    assert _title(ax).endswith(f"P({systems[0]} better) {said}, from 4,000 draws")


def test_a_simplex_of_few_draws_shows_each():
    few = bt.posterior.draws(B, draws=400, rng=1)
    ax = bt.plot.simplex(few)
    assert _legend(ax)[0] == "1,600 draws"
    theta = few["posterior"]["theta"].values.reshape(-1, 3)
    x, y = ax.lines[[len(line.get_xdata()) for line in ax.lines].index(1600)].get_data()
    np.testing.assert_array_equal(x, theta[:, 0] - theta[:, 1])
    np.testing.assert_array_equal(y, theta[:, 2] * 3.0**0.5)


def test_the_frame_of_a_simplex_is_that_of_the_closed_form():
    sampled, exact = bt.plot.simplex(DRAWN, rope=0.01), bt.plot.simplex(B, rope=0.01)
    names = [
        {t.get_text() for t in ax.texts if not t.get_text()[0].isdigit()} for ax in (sampled, exact)
    ]
    assert names[0] == names[1]
    assert len(sampled.child_axes) == len(exact.child_axes) == 1


FIGURES = (bt.plot.matrix, bt.plot.differences, bt.plot.densities, bt.plot.simplex)


@pytest.mark.parametrize("model", ["hierarchical", "davidson", "clustered", "graded", "mallows"])
def test_fits_of_other_models_are_sent_to_compare(model):
    fit = bt.datasets.example_fit(model)
    for figure in FIGURES:
        with pytest.raises(ValueError, match=f"fit of {model}, .*fits.compare") as caught:
            figure(fit)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("model", ["davidson", "clustered", "graded", "mallows"])
def test_the_comparison_of_another_model_is_drawn(model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the fits found
        found = bt.fits.compare(bt.datasets.example_fit(model))
    assert "draws" in _title(bt.plot.matrix(found))
    assert "draws" in _title(bt.plot.differences(found))


@pytest.mark.parametrize(
    ("tree", "why"),
    [(P_ALONE, "the adopted model has p alone"), (DECISIVE, "which beta_binomial does not know")],
)
def test_a_comparison_of_p_alone_gives_the_reason_of_its_draws(tree, why):
    with pytest.raises(ValueError, match=f"^a difference needs .*{why}"):
        bt.plot.differences(bt.fits.compare(tree))
    with pytest.raises(ValueError, match=f"^a rope needs .*{why}"):
        bt.fits.compare(tree, rope=0.05)


def test_one_target_of_a_hierarchical_comparison_is_drawn():
    found = bt.fits.compare(bt.datasets.example_fit("hierarchical"))
    one = found.data.sel(target="new")
    assert "draws" in _title(bt.plot.matrix(one))
    assert "draws" in _title(bt.plot.differences(one))


def test_what_a_comparison_of_draws_does_not_hold_is_said():
    found, alone = bt.fits.compare(DRAWN), bt.fits.compare(DECISIVE)
    own = bt.fits.compare(adopted(p=np.random.default_rng(1).beta(9, 5, (4, 500, 1))))
    holds = r"data are a comparison by {}, which holds no counts; give scores or counts"
    for figure in (bt.plot.densities, bt.plot.simplex):
        with pytest.raises(ValueError, match=holds.format("dirichlet_multinomial") + ", or the dr"):
            figure(found)
    for figure in (bt.plot.outcomes, bt.plot.rope_curve):
        with pytest.raises(ValueError, match=holds.format("an adopted model") + "; plot.matrix"):
            figure(own)
    with pytest.raises(ValueError, match="hold no ranks: an adopted model is pairwise"):
        bt.plot.ranks(own)
    with pytest.raises(ValueError, match="the adopted model has p alone"):
        bt.plot.differences(own)
    with pytest.raises(ValueError, match="which beta_binomial does not know"):
        bt.plot.differences(alone)


def test_bars_of_a_comparison_by_pair_are_those_of_its_square():
    sides = {"A vs B": (30, 30), "A vs C": (40, 8), "B vs C": (35, 30)}
    random = np.random.default_rng(1)
    p = np.stack([random.beta(w, l, (4, 500)) for w, l in sides.values()], axis=-1)
    square = bt.fits.compare(adopted(tuple(sides), p=p))
    assert square["verdict"].dims == ("system_a", "system_b")
    table = {tuple(name.split(" vs ")): counts for name, counts in sides.items()}
    counts = bt.counts.to_pairs(bt.counts.from_table(table))
    by_pair = bt.fits.compare(adopted(tuple(sides), counts=counts, p=p))
    assert by_pair["verdict"].dims == ("pair",)
    turned = ("A vs B", "C vs A", "B vs C")
    reversed_pair = bt.fits.compare(adopted(turned, p=np.where([False, True, False], 1 - p, p)))
    for found in (square, by_pair, reversed_pair):
        bars = [line.get_ydata().tolist() for line in bt.plot.cliques(found).lines]
        assert bars == [[0, 1], [1, 2]]
    hierarchical = bt.fits.compare(bt.datasets.example_fit("hierarchical"))
    assert bt.plot.cliques(hierarchical)
    with pytest.raises(ValueError, match=r"dims \(target, pair\).*select the others first"):
        bt.plot.matrix(hierarchical)


@pytest.mark.parametrize("figure", FIGURES)
def test_a_warning_points_at_the_line_that_asked(figure):
    with pytest.warns(UserWarning, match="no verdict") as caught:
        figure(unconverged())
    assert {w.filename for w in caught} == {__file__}
    with pytest.warns(UserWarning, match="no verdict") as caught:
        bt.report(unconverged(), format="html")
    assert {w.filename for w in caught} == {__file__}


@pytest.mark.parametrize("figure", FIGURES)
def test_a_tree_of_ones_own_is_sent_to_adopt(figure):
    own = az.from_dict({"posterior": {"p": np.full((4, 10, 1), 0.6)}})
    with pytest.raises(ValueError, match=r"DataTree of no known model; .*fits\.adopt") as caught:
        figure(own)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("figure", "tree", "choice", "message"),
    [
        ("densities", DRAWN, {"prior": "jeffreys"}, "prior is for counts"),
        ("simplex", DRAWN, {"prior": (1, 1, 1)}, "prior is for counts"),
        ("densities", DRAWN_THREE, {}, "data hold 3 pairs; give systems="),
        ("densities", DRAWN_THREE, {"systems": ("A", "X")}, "systems names 'X'"),
        ("densities", DRAWN_THREE, {"systems": ("A", "A")}, "compared with itself"),
        ("densities", DRAWN, {"rope": 0.1}, "show='outcomes' has no rope"),
        ("densities", DRAWN, {"rope": -1, "show": "difference"}, "rope is -1"),
        ("simplex", DRAWN, {"rope": 2}, "rope is 2"),
        (
            "densities",
            DECISIVE,
            {},
            "show='outcomes' needs the probabilities of a win and of a loss, which the draws of "
            "beta_binomial do not hold; use show='decisive'",
        ),
        (
            "densities",
            DECISIVE,
            {"show": "difference"},
            "show='difference' needs the difference, which the draws of beta_binomial do not hold; "
            "use show='decisive'",
        ),
        (
            "densities",
            independent(),
            {"show": "decisive"},
            "needs p or theta, .* independent_betas .*; use show='outcomes' or 'difference'",
        ),
        (
            "densities",
            adopted(p=np.ones((4, 10, 1))),
            {"show": "decisive"},
            "all 40 draws are 1: they have no density",
        ),
        ("simplex", DECISIVE, {}, "the simplex needs theta, which .* beta_binomial do not hold"),
        ("simplex", independent(), {}, "needs theta, which the draws of independent_betas do not"),
        ("differences", DECISIVE, {}, "a difference needs the number of ties"),
        ("differences", DECISIVE, {"rope": 0.1}, "the number of ties, which beta_binomial does"),
        ("differences", P_ALONE, {}, "a difference needs theta or difference, and the adopted"),
        ("differences", P_ALONE, {"rope": 0.1}, "needs theta or difference, and the adopted model"),
    ],
)
def test_bad_input_is_one_line(figure, tree, choice, message):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that constant draws have no R-hat
        with pytest.raises(ValueError, match=message) as caught:
            getattr(bt.plot, figure)(tree, **choice)
    assert "\n" not in str(caught.value)


def test_differences_of_means_have_the_unit_of_the_score():
    rng = np.random.default_rng(1)
    scores = xr.DataArray(
        rng.normal([[60, 53]], 12, (40, 2)).round(1),
        dims=("item", "system"),
        coords={"system": ["A", "B"]},
    )
    tree = bt.compare(scores, rope=3).to_datatree(rng=1)
    draws = tree["posterior"]["difference"].values
    ax = bt.plot.densities(tree, show="difference", rope=3)
    x = ax.lines[0].get_xdata()
    assert x.min() <= np.quantile(draws, 0.01)
    assert x.max() >= np.quantile(draws, 0.99)
    assert "win rate" not in ax.get_xlabel()
    within = (np.abs(draws) <= 3).mean()
    assert bt.prob_equivalent(tree, rope=3).sel(region="rope").values[0, 1] == within
    assert bt.fits.compare(tree, rope=3)["mass"].sel(region="rope").values[0, 1] == within
    bt.plot.differences(tree, rope=3)
