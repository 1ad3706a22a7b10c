"""An order in a cell is read as it is written, or refused in one line; never as another one."""

import random

import pandas as pd
import pytest

import betterthan as bt
from betterthan.orders import reading
from betterthan.orders.reading import groups_of


def ranks_of(*orders):
    """The rank of each item by each judge."""
    frame = pd.DataFrame({"judge": [str(k) for k in range(len(orders))], "order": list(orders)})
    found = bt.orders.read(frame)
    if "position" in found.dims:
        return [{i: k + 1 for k, i in enumerate(order) if i} for order in found.values.tolist()]
    items = found["item"].values.tolist()
    return [{i: int(r) for i, r in zip(items, row, strict=True) if r == r} for row in found.values]


READ = {
    "all tied": ("a = b = c", {"a": 1, "b": 1, "c": 1}),
    "ties": ("a > b = c > d", {"a": 1, "b": 2, "c": 2, "d": 4}),
    "commas": ("b, a, c", {"b": 1, "a": 2, "c": 3}),
    "bars": ("b|a|c", {"b": 1, "a": 2, "c": 3}),
    "JSON": ('["b", "a", "c"]', {"b": 1, "a": 2, "c": 3}),
    "JSON with any sign": ('["a > b", "c, d", "<s>"]', {"a > b": 1, "c, d": 2, "<s>": 3}),
    "JSON of numbers": ("[3, 1, 2]", {"3": 1, "1": 2, "2": 3}),
}


@pytest.mark.parametrize("case", READ)
def test_read(case):
    written, ranks = READ[case]
    assert ranks_of(written, written) == [ranks, ranks]


REFUSED = {
    "the best last": ("a < b", "has the sign '<'"),
    "two kinds of signs": ("a > b, c", "has '>' and ',' in one order"),
    "ties among commas": ("a, b = c", "has '=' and ',' in one order"),
    "two separators": ("Smith, J; Doe, A", "has ';' and ',' in one order"),
    "a blank between": ("a > > b", "has a blank where an item should be"),
    "two signs": ("a >> b", "has a blank"),
    "a blank among ties": ("a > b = ", "has a blank"),
    "a blank at the end": ("a > b = c >", "has a blank"),
    "a blank among commas": ("a,,b", "has a blank"),
    "at least": ("a >= b", "has a blank"),
    "another sign": ("a ≻ b", "has the sign '≻'"),
    "an arrow": ("a → b", "has the sign '→'"),
    "a list of Python": ("['a', 'b']", "begins like a list in JSON, but is none"),
    "a list of lists": ('[["a", "b"], "c"]', "holds ['a', 'b']; give a list of plain items"),
    "nothing in a list": ('["a", null]', "has a blank"),
    "twice": ("a > b > a", "item 'a' occurs at positions 1 and 3"),
    "twice, tied": ("a > b = a", "item 'a' occurs twice"),
    "no sign": ("a b c", "is one item, or several without a sign between"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_line_that_says_where(tmp_path, case):
    written, said = REFUSED[case]
    path = tmp_path / "orders.csv"
    pd.DataFrame({"judge": ["1", "2"], "order": ["c > b > a", written]}).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"^orders\.csv, row 3, column 'order', value ") as error:
        bt.orders.read(path)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", ["a < b", "b a"])
def test_of_equal_cells_the_first_is_refused(tmp_path, wrong):
    path = tmp_path / "orders.csv"
    orders = ["a > b", "a > b", wrong, wrong]
    pd.DataFrame({"judge": range(4), "order": orders}).to_csv(path, index=False)
    with pytest.raises(ValueError, match=rf"^orders\.csv, row 4, .* value '{wrong}'"):
        bt.orders.read(path)


def test_orders_without_any_sign_are_refused():
    with pytest.raises(ValueError, match=r"row 0, .* is one item, or several without a sign"):
        ranks_of("a b", "b a")


def test_a_list_in_a_cell_of_a_frame():
    assert ranks_of(["b", "a"], ["a", "b"]) == [{"b": 1, "a": 2}, {"a": 1, "b": 2}]
    assert ranks_of([2, 1.0], [1, 2]) == [{"2": 1, "1": 2}, {"1": 1, "2": 2}]
    with pytest.raises(ValueError, match=r"row 0, column 'order', .*holds \['a'\]"):
        ranks_of([["a"], "b"], ["a", "b"])
    with pytest.raises(ValueError, match=r"row 0, column 'order', .*has a blank"):
        ranks_of(["a", None], ["a", "b"])


@pytest.mark.parametrize("cell", [{"a": 1, "b": 2}, {"a"}])
def test_what_has_no_order_is_none(cell):
    with pytest.raises(
        ValueError, match=r"row 0, column 'order', .*give a list of items, the best"
    ):
        ranks_of(cell, ["a", "b"])


def test_one_item_alone_is_an_order_where_others_are_longer():
    assert ranks_of("a > b", "b") == [{"a": 1, "b": 2}, {"b": 1}]
    assert ranks_of("x y > z", "x y") == [{"x y": 1, "z": 2}, {"x y": 1}]


def test_columns_of_which_nothing_is_read_are_named(tmp_path):
    frame = pd.DataFrame({"judge": ["1", "2"], "order": ["a > b", "b > a"], "age": [40, 50]})
    assert bt.orders.read(frame).attrs["reading"].endswith(", ignored columns 'age'")


def test_groups_of_nothing():
    assert groups_of(None) == groups_of("  ") == groups_of(float("nan")) == groups_of([]) == []


@pytest.mark.parametrize(
    "text",
    ["judge,a,b,c\n1,1,2,3\n2,1,2,4\n", "judge,item,rank\n1,a,1\n2,a,1\n1,b,2\n2,b,3\n"],
)
def test_a_gap_in_ranks_is_told_with_its_row(tmp_path, text):
    path = tmp_path / "r.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^r\.csv, row 3: system '2': ranks 1, .*have a gap"):
        bt.orders.read(path)


def test_an_order_of_which_all_items_are_tied_is_told_without_nan():
    frame = pd.DataFrame({"judge": ["1", "2"], "order": ["a = b = c", "a > b = c"]})
    orders = bt.orders.read(frame)
    with pytest.warns(UserWarning, match="tau is not defined for 3 of 4 orders") as told:
        found = bt.orders.agreement(orders)
    assert len(told) == 1
    assert "nan" not in bt.report(orders, found)


def plainly(rows):
    """Systems and items in the order in which orders are read, and the ranks of each order."""
    by_document = {}
    for document, system, order in rows:
        groups = [group.split("=") for group in order.split(">")]
        ranks = [1 + sum(map(len, groups[:k])) for k, group in enumerate(groups) for _ in group]
        items = [item for group in groups for item in group]
        inner = by_document.setdefault(document, {})
        inner[system] = dict(zip(items, ranks, strict=True))
    orders = {(d, s): ranks for d, inner in by_document.items() for s, ranks in inner.items()}
    if any("=" in order for *_, order in rows):
        systems = dict.fromkeys(system for _, system, _ in rows)
    else:
        systems = dict.fromkeys(system for _, system in orders)
    return list(systems), list(dict.fromkeys(i for r in orders.values() for i in r)), orders


@pytest.mark.parametrize("signs", [">", ">>="])
def test_random_tables_are_read_as_one_row_after_the_other(monkeypatch, tmp_path, signs):
    monkeypatch.setattr(reading, "_PIECE", 3)  # so that orders are cut anywhere
    monkeypatch.setattr(reading, "BLOCK", 2)
    draw, path = random.Random(7), tmp_path / "orders.csv"
    for _ in range(60):
        pool = draw.sample(["a", "b", "cc", "d e", "fff"], draw.randint(2, 5))
        cells = [(d, s) for d in "321"[: draw.randint(2, 3)] for s in "BCA"[: draw.randint(2, 3)]]
        rows = [
            (d, s, "".join(item + draw.choice(signs) for item in draw.sample(pool, 2))[:-1])
            for d, s in draw.sample(cells, draw.randint(2, len(cells)))
        ]
        rows.append(("4", "A", draw.choice(signs).join(pool)))
        pd.DataFrame(rows, columns=["document", "judge", "order"]).to_csv(path, index=False)
        systems, items, orders = plainly(rows)
        found = bt.orders.read(path)
        assert found["system"].values.tolist() == systems
        tied = "item" in found.dims
        assert not tied or found["item"].values.tolist() == items
        for document in found["document"].values.tolist():
            for system in systems:
                cell = found.sel(document=document, system=system).values.tolist()
                if tied:
                    ranks = {i: r for i, r in zip(items, cell, strict=True) if r == r}
                else:
                    ranks = {item: k for k, item in enumerate(cell, 1) if item}
                assert ranks == orders.get((document, system), {})
        known = {d: set().union(*(r for (e, _), r in orders.items() if e == d)) for d, _ in orders}
        few, most = (extreme(map(len, known.values())) for extreme in (min, max))
        number = f"{few} to {most} items" if few < most else f"{few} items"
        assert f"), {number}" in found.attrs["reading"]


def test_an_order_far_longer_than_the_others_is_refused_before_it_takes_memory(monkeypatch):
    frame = pd.DataFrame(
        {"judge": range(50), "order": ["a > b"] * 49 + [" > ".join(map(str, range(90)))]}
    )
    assert bt.orders.read(frame).sizes["position"] == 90
    monkeypatch.setattr(reading, "_SLACK", 2**13)
    with pytest.raises(
        ValueError, match=r"holds 1 documents x 50 systems x 90 positions, more than"
    ):
        bt.orders.read(frame)


@pytest.mark.parametrize("order", ["a > b\x1c", "\x1fa", "a | b\x1d", ["a", "b\x1e"]])
def test_a_control_character_at_the_end_of_an_item_is_refused(order):
    table = pd.DataFrame({"system": ["A"], "document": ["d1"], "order": [order]})
    with pytest.raises(ValueError, match="holds a control character"):
        bt.orders.read(table)


def test_a_group_of_tied_items_is_no_item():
    lists = {"1": ["a", ["b", "c"]], "2": ["a", "b", "c"]}
    with pytest.raises(ValueError, match=r"system '1': item 2 is a list; ties are for"):
        bt.orders.from_lists(lists)
    frame = pd.DataFrame({"judge": ["1", "2"], "order": ["a > b = c", "a > b > c"]})
    assert bt.orders.read(frame).sizes["system"] == 2


def test_orders_stay_with_their_systems_in_any_order_of_rows():
    rows = [("d1", "A", "a > b"), ("d2", "B", "a > b"), ("d1", "C", "a > b"), ("d1", "D", "b > a")]
    orders = bt.orders.read(pd.DataFrame(rows, columns=["document", "system", "order"]))
    assert orders.sel(document="d1", system="D").values.tolist() == ["b", "a"]
    assert orders.sel(document="d1", system="B").values.tolist() == ["", ""]
    assert orders.sel(document="d2", system="B").values.tolist() == ["a", "b"]
