"""Published calibration is in step with the package, and runs go on where they stopped."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from betterthan.results.methods import JOINT_FALSE_VERDICTS
from validation import calibrate
from validation.decisions import cells, of_pairs, of_units, rates, stored
from validation.decisions.roster import CELLS, FAMILIES
from validation.decisions.tables_of_items import Rasch
from validation.in_step import what_differs

SMALL = [replace(cell, sets=25, block=10) for cell in of_pairs.CELLS[:3]]


@pytest.fixture(scope="module")
def kept():
    return stored.read()


def test_cells_are_named_once_and_kept_by_family(kept):
    names = [cell.name for cell in CELLS]
    assert len(set(names)) == len(names) >= 60
    assert list(kept) == [
        name for family in sorted(FAMILIES) for name in names if name.startswith(f"{family}/")
    ]


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell.name)
def test_what_is_published_is_what_the_package_computes(cell, kept):
    record = kept[cell.name]
    assert (record["sets"], record["truth"]) == (cell.sets, cell.truth)
    differs = what_differs(record["computes"], cells.computes(cell))
    assert not differs, f"{differs}; if it should, run: python -m validation.calibrate"


def test_a_stopped_run_goes_on(tmp_path, capsys):
    whole = {cell.name: cells.run(cell) for cell in SMALL}

    def stops(function, blocks):
        if capsys.readouterr().out:  # one cell is finished
            raise KeyboardInterrupt
        return map(function, blocks)

    with pytest.raises(KeyboardInterrupt):
        calibrate.calibrate(SMALL, tmp_path, map=stops)
    assert list(stored.read(tmp_path)) == [SMALL[0].name]
    assert calibrate.calibrate(SMALL, tmp_path) == 2
    assert stored.read(tmp_path) == whole
    assert calibrate.calibrate(SMALL, tmp_path) == 0


def test_numbers_do_not_depend_on_how_the_work_is_shared():
    alone = cells.run(SMALL[1])
    with ThreadPoolExecutor(2) as pool:
        assert cells.run(SMALL[1], map=pool.map) == alone


def test_a_changed_answer_or_truth_makes_its_cells_stale(tmp_path, monkeypatch):
    calibrate.calibrate(SMALL, tmp_path)
    found = stored.read(tmp_path)
    assert list(cells.stale(SMALL, found)) == []
    longer = [replace(SMALL[0], sets=26), *SMALL[1:]]
    assert next(why for _, why in cells.stale(longer, found)).startswith("was 25 sets of: two")
    formula = of_pairs.beta.prob_above_half
    monkeypatch.setattr(of_pairs.beta, "prob_above_half", lambda a, b: formula(a + 1e-6, b))
    (_, why), *_ = stale = list(cells.stale(SMALL, found))
    assert len(stale) == 3
    assert "better" in why


def test_rates_count_by_set():
    share = rates.rate(
        "a", "b", [[True, False], [True, True]], 0.5, among=[[True, True], [True, False]]
    )
    assert share.actual == pytest.approx(2 / 3)
    # x - r m of the two sets: 1 - 4 / 3, 1 - 2 / 3
    assert share.error == pytest.approx(np.sqrt(2 * 2 / 9) / 3)
    single = rates.rate("a", "b", [True] * 30 + [False] * 70)
    assert single.error == pytest.approx(np.sqrt(0.3 * 0.7 / 99))
    assert rates.rate("a", "b", [False] * 50).error == 1 / 50


def test_verdicts_are_right_wrong_or_missing():
    better = np.array([[0.99, 0.01, 0.5], [0.99, 0.96, 0.02]])
    right, wrong, per_set = rates.of_verdicts("a", better, [0.1, 0.1, -0.1])
    assert (right.actual, wrong.actual) == (pytest.approx(4 / 6), pytest.approx(1 / 6))
    assert per_set.actual == 0.5
    assert per_set.nominal == pytest.approx((0.01 + 0.01 + 0.01 + 0.04 + 0.02) / 2)
    (named, _) = rates.of_verdicts("a", [0.99, 0.5, 0.01, 0.9], 0.0)
    assert (named.actual, named.nominal) == (0.5, 0.1)


def test_units_correlate_as_told():
    truth = of_units.Truth(0.0, (4,) * 6)
    for rho in of_units.CORRELATIONS:
        outcome = truth.outcomes(rho, 40_000, np.random.default_rng(1)).reshape(40_000, 6, 4)
        found = np.mean(outcome[:, :, 0] * outcome[:, :, 1]) / of_units.DECISIVE
        assert found == pytest.approx(rho, abs=0.01)


def test_choices_of_the_command_line(tmp_path, capsys):
    assert calibrate.main(["nothing"]) == 2
    assert "no cell begins with 'nothing'" in capsys.readouterr().err
    assert calibrate.main(["looks", "--list"]) == 0
    assert capsys.readouterr().out.startswith("looks/20 decisive items: 40000 sets\n")
    assert calibrate.main(["looks/20", "--folder", str(tmp_path), "--workers", "2"]) == 0
    assert (
        stored.read(tmp_path)["looks/20 decisive items"] == stored.read()["looks/20 decisive items"]
    )
    assert len(stored.table("looks", tmp_path)) == 2


def test_equal_systems_are_equal_and_others_are_as_able_as_they_score():
    equal = Rasch(systems=10, items=30, families=3, copied=0.5).draw(np.random.default_rng(1))
    assert len(set(equal.truth.tolist())) == 1
    apart = Rasch(systems=4, items=60_000, sd=0.8, opposite=0.5, twins=1.0)
    scores = apart.draw(np.random.default_rng(2))
    np.testing.assert_allclose(scores.values.mean(0), scores.truth, atol=0.01)
    many = Rasch(systems=6, items=60_000, sd=0.3, families=2, copied=0.9, groups=2, gap=1.0)
    scores = many.draw(np.random.default_rng(3))
    np.testing.assert_allclose(scores.values.mean(0), scores.truth, atol=0.01)
    alike = np.corrcoef(scores.values.T)
    assert alike[0, 2] > 0.85 > 0.5 > alike[0, 1]


def test_rates_that_are_known_exactly():
    equal, looks = stored.table("pairs"), stored.table("looks")
    named = equal[equal["says"] == "names one of two equal systems"].set_index("cell")
    exact = {"equal, ties 0, 20 items": 0.1153, "equal, ties 0, 50 items": 0.1189}
    exact |= {"equal, ties 0, 200 items": 0.1036}
    for cell, value in exact.items():
        assert abs(named.loc[cell, "actual"] - value) < 4 * named.loc[cell, "error"]
    after_each = looks[looks["answer"].str.contains("after each")].set_index("cell")
    for cell, value in {"20 decisive items": 0.3302, "100 decisive items": 0.5282}.items():
        assert abs(after_each.loc[cell, "actual"] - value) < 4 * after_each.loc[cell, "error"]


def test_reports_give_no_fewer_verdicts_on_equal_systems_than_were_simulated():
    many = stored.table("many")
    wrong = many[(many["says"] == "wrong verdicts a set") & (many["answer"] == "among all")]
    equal = wrong[wrong["cell"].str.contains(", equal") & ~wrong["cell"].str.contains("above")]
    systems = equal["cell"].str.extract(r"^(\d+) systems")[0].astype(int)
    assert len(equal) > 1
    assert (equal["actual"] / (systems * (systems - 1) / 2) < JOINT_FALSE_VERDICTS).all()
