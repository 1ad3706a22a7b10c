"""What is read off orders and off many p-values: sizes of documents, shares of items, rounding."""

import numpy as np
import pytest
import xarray as xr

import betterthan as bt
from betterthan.models import mallows


def test_a_new_document_has_as_many_items_as_the_middle_one():
    # 19 documents of 5 items and one of 51: the middle of the distinct sizes is 28
    tree = bt.datasets.example_fit("mallows")
    tree["posterior"].attrs |= {"items": [5, 51], "items_counts": [38, 2]}
    found = bt.fits.compare(tree)
    assert found.attrs["items"] == 5
    tree["posterior"].attrs["items_counts"] = [2, 38]
    assert bt.fits.compare(tree).attrs["items"] == 51
    # a new tau of few items is spread more widely
    assert (found.data["new_tau_lower"] < bt.fits.compare(tree).data["new_tau_lower"]).all()


def test_a_fit_keeps_how_many_documents_have_how_many_items():
    sizes = [5] * 19 + [51]
    lists = {f"d{k}": {s: list(range(n)) for s in ("gold", "A")} for k, n in enumerate(sizes)}
    cells = mallows.to_cells(bt.orders.kendall_tau(bt.orders.from_lists(lists), "gold"), "error")
    assert mallows._sizes(cells) == {"items": [5, 51], "items_counts": [19, 1]}


def test_expected_tau_is_said_to_be_of_these_documents():
    written = bt.report(bt.fits.compare(bt.datasets.example_fit("mallows")), format="markdown")
    assert "Expected tau is for these documents" in written


def test_a_partial_order_is_not_ranked_above_a_full_one_silently():
    full = list("abcdefgh")
    lists = {"ref": full, "part": full[:2], "swap": ["b", "a", *full[2:]]}
    with pytest.warns(UserWarning, match="'part' 25%, 'swap' 100%"):
        found = bt.orders.kendall_tau(lists, "ref", restrict="common")
    assert found["coverage"].values.tolist() == [0.25, 1]
    assert found["exact_match"].values.tolist() == [0, 0]  # 1 for two items of eight before
    assert list(found.data_vars)[:2] == ["tau", "coverage"]
    documents = {"d1": lists, "d2": lists}
    with pytest.warns(UserWarning, match="do not rank systems by this tau"):
        scores = bt.orders.tau_scores(documents, "ref", restrict="common")
    assert scores["coverage"].sel(system="part").values.tolist() == [0.25, 0.25]
    for orders in (lists, documents):
        with pytest.warns(UserWarning, match="different proportions"):
            taus = bt.orders.kendall_tau(orders, "ref", restrict="common")
        written = bt.report(taus, figures=False)
        assert "Coverage" in written
        assert "0.25" in written
    same = {"ref": full, "x": full[:4], "y": full[4:]}
    assert bt.orders.kendall_tau(same, "ref", restrict="common")["exact_match"].sum() == 0


def test_the_only_order_has_no_rank_among_others():
    assert np.isnan(bt.orders.reference_rank([1.0], ["ab"], "ab")["share"].item())


@pytest.mark.parametrize("ulps", [1, 3])
def test_triangles_that_differ_by_rounding_are_one_hypothesis_a_pair(ulps):
    p = np.full((3, 3), np.nan)
    p[np.triu_indices(3, 1)] = 0.01, 0.02, 0.04
    p = np.fmax(p, p.T)
    rounded = p.copy()
    for _ in range(ulps):
        rounded[1, 0] = np.nextafter(rounded[1, 0], 1)
    dims = ("system_a", "system_b")
    whole, off = (bt.significance.adjust(xr.DataArray(v, dims=dims)) for v in (p, rounded))
    assert off.attrs["hypotheses"] == whole.attrs["hypotheses"] == 3
    np.testing.assert_allclose(off, whole, rtol=1e-9)
    assert (off.values >= rounded)[~np.isnan(rounded)].all()
    rounded[1, 0] = 0.0101  # a test of its own
    assert bt.significance.adjust(xr.DataArray(rounded, dims=dims)).attrs["hypotheses"] == 6


def test_the_level_of_either_system_stands_first():
    p_values = {"B": (0.06, 0.10, 0.20, 0.30, 0.33, 0.35, 0.40, 0.40), "A": (0.02, 0.17)}
    found = bt.significance.strength(p_values, measures=10, rng=1, simulations=2_000)
    assert next(iter(found.data_vars)) == "level_overall"
    assert found["level_overall"] > found["level"].min()
