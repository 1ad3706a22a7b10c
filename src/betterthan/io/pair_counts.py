"""Pairs of systems in tables: counts, votes, and judgments one by one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import special

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.items import at_least_two, item_ids
from betterthan.io.layouts import candidates, find
from betterthan.io.problems import counted, listed, problem, quoted, warn
from betterthan.io.system_names import refuse_alike_by_pairs, tell_alike
from betterthan.io.table import Reading, Table, most_cells, refuse_large, unread
from betterthan.io.texts import BLOCK, Coded, array_from_codes, narrow, text_array


def pair_columns(table: Table) -> tuple[str, str]:
    """The columns that name the two systems."""
    return str(find(table, names.SYSTEM_A)), str(find(table, names.SYSTEM_B))


def dataset_column(table: Table) -> str | None:
    """The column 'dataset'; a 'task' beside pairs is often a prompt, so no other name will do."""
    column = find(table, "dataset")
    return column if column is not None and column.casefold() == "dataset" else None


def read_datasets(table: Table) -> tuple[list[str], np.ndarray]:
    """The datasets in the order they first occur (none without a column), and the one of each
    row.
    """
    if (column := dataset_column(table)) is None:
        return [], np.zeros(len(table.rows), dtype=np.int8)
    ids = item_ids(table, column, "each row its dataset, or leave the column out")
    tell_alike(table.source, ids.distinct, "datasets")
    return list(ids.distinct), ids.codes


def paired(*sides: Coded) -> tuple[list[str], np.ndarray, np.ndarray]:
    """Return the systems in order of first occurrence, and both of each row as codes."""
    ordered = sorted(
        (row, k, name)
        for k, side in enumerate(sides)
        for row, name in zip(side.first.tolist(), side.distinct, strict=True)
    )
    place = {name: k for k, name in enumerate(dict.fromkeys(name for *_, name in ordered))}
    a, b = (
        narrow(np.array([place[name] for name in side.distinct]), len(place))[side.codes]
        for side in sides
    )
    return list(place), a, b


def _read_pairs(table: Table) -> tuple[list[str], np.ndarray, np.ndarray]:
    """The systems of a table, and the two of each row as codes."""
    return paired(*(cells.read_once(table, c, cells.system_names) for c in pair_columns(table)))


def empty_square(
    table: Table, datasets: list[str], systems: list[str], outcomes: int
) -> np.ndarray:
    """Zeros (dataset, system, system, outcome), with a leading axis also without datasets."""
    shape = max(len(datasets), 1), len(systems), len(systems), outcomes
    dims = ("datasets", "systems", "opponents", "outcomes")
    refuse_large(table.source, most_cells(len(table.rows)), **dict(zip(dims, shape, strict=True)))
    return np.zeros(shape, dtype=np.int64)


def counts_array(square: np.ndarray, systems: list[str], datasets: list[str]) -> xr.DataArray:
    """Counts over ([dataset,] system_a, system_b, outcome) from int64 with a leading axis for the
    dataset.
    """
    coords: dict[Any, Any] = {names.DATASET: datasets} if datasets else {}
    coords |= dict.fromkeys(names.SQUARE, systems)
    coords[names.OUTCOME] = list(names.OUTCOMES[: square.shape[-1]])
    return xr.DataArray(square if datasets else square[0], coords, tuple(coords), name="counts")


def pair_counts(table: Table) -> Reading:
    """Counts of a table of pairs, each given once or in both directions."""
    columns = pair_columns(table)
    systems, a, b = _read_pairs(table)
    at_least_two(table, systems)
    refuse_alike_by_pairs(table.source, systems, a, b)
    values, read = _numbers(table)
    datasets, dataset = read_datasets(table)
    lopsided = (a == b) & (values[:, :2] != 0).any(axis=-1)
    _refuse_against_itself(table, lopsided, systems, a, "wins and losses there must be 0")
    ab, ba = (
        (dataset * np.int64(len(systems)) + i) * len(systems) + j for i, j in ((a, b), (b, a))
    )
    mirrored = [1, 0, 2][: values.shape[1]]
    pairs = _count_pairs(table, systems, ab, ba, values, mirrored)
    square = empty_square(table, datasets, systems, values.shape[1])
    flat = square.reshape(-1, values.shape[1])
    flat[ba] = values[:, mirrored]
    flat[ab] = values
    counts = counts_array(square, systems, datasets)
    ties = read[2] if len(read) == 3 else None
    counts.attrs = {"ties": "unknown" if ties is None else "third", "n_missing": 0}
    ignored = unread(table, {*columns, *read, dataset_column(table)})
    ties_text = "ties unknown (no column 'ties')" if ties is None else f"ties from column {ties!r}"
    summary = f"{len(systems)} systems, {counted(pairs, 'pair')}, {ties_text}"
    return Reading(counts, summary, ignored)


def _numbers(table: Table) -> tuple[np.ndarray, list[str]]:
    """Return wins, losses and, with a column, ties of each row; and the columns."""
    roles = ("wins", "losses", "ties")
    columns = [column for role in roles if (column := find(table, role)) is not None]
    if other := candidates(table, "ties")[1:]:
        reason = f"{columns[2]!r} and {other[0]!r} both hold ties; pass ignore={other[0]!r}"
        raise problem(table.source, f"columns {reason} to leave one out")
    numbers = [cells.whole_numbers(table, column) for column in columns]
    _refuse_another_total(table, columns, np.sum(numbers, axis=0))
    return np.stack([narrow(column, int(column.max()) + 1) for column in numbers], -1), columns


def _refuse_another_total(table: Table, columns: list[str], total: np.ndarray) -> None:
    """Refuse a number of items that is not that of wins, losses and ties."""
    column = find(table, "total")
    if column is None or not cells.holds_numbers(table, column):
        return
    items = cells.numbers(table, column)
    wrong = ~np.isnan(items) & (items != total)
    if wrong.any():
        k, right = int(wrong.argmax()), f"pass ignore={column!r} to leave it out"
        if len(columns) == 2:
            right = f"if the others are ties, give these as a column 'ties'; else {right}"
        reason = f"{items[k]:g} items, but the sum of {listed(columns)} is {total[k]:,}; {right}"
        raise table.problem(k, reason, column=column)


def _refuse_against_itself(
    table: Table, bad: np.ndarray, systems: list[str], a: np.ndarray, right: str
) -> None:
    if bad.any():
        k = int(bad.argmax())
        reason = f"{quoted(systems[a[k]])} is compared with itself; {right}"
        raise table.problem(k, reason, column=pair_columns(table)[1], value=systems[a[k]])


def _count_pairs(
    table: Table,
    systems: list[str],
    ab: np.ndarray,
    ba: np.ndarray,
    values: np.ndarray,
    mirrored: list[int],
) -> int:
    """Count the pairs of different systems; refuse one given twice in one direction, or in two
    directions that contradict each other.

    Parameters
    ----------
    ab, ba : numpy.ndarray of int
        The place of each row in the square, and of its other direction.
    """
    pair = np.minimum(ab, ba)
    order = np.argsort(pair, kind="stable")
    pair = pair[order]
    again = pair[1:] == pair[:-1]
    first, second, third = order[:-1][again], order[1:][again], order[2:][again[1:] & again[:-1]]
    wrong = (ab[first] == ab[second]) | (values[first][:, mirrored] != values[second]).any(-1)
    refused = np.concatenate([second[wrong], third])
    if not len(refused):
        return int(np.count_nonzero(ab != ba)) - len(second)
    k = int(refused.min())
    a, b = divmod(int(ab[k]) % len(systems) ** 2, len(systems))
    named = f"{quoted(systems[a])} against {quoted(systems[b])}"
    same = np.flatnonzero(ab[:k] == ab[k])
    if len(same):
        reason = f"{named} is already in row {table.rows[int(same[0])]}; give each pair one row"
        raise table.problem(k, reason)
    other = int((ab == ba[k]).argmax())
    reverse = f"row {table.rows[other]} has {values[other].tolist()} the other way round"
    right = "one must be the other with wins and losses exchanged"
    reason = f"{named} is {values[k].tolist()}, but {reverse}; {right}"
    raise table.problem(k, reason)


_A, _B, _TIE, _BLANK, _UNKNOWN = 0, 1, 2, 3, 4
OUTCOME_WORDS = (
    {"a": _A, "left": _A, "first": _A, "model_a": _A, "system_a": _A}
    | {"b": _B, "right": _B, "second": _B, "model_b": _B, "system_b": _B}
    | dict.fromkeys(
        ("tie", "draw", "both", "tie (bothbad)", "both bad", "both_bad", "bothbad"), _TIE
    )
    | {"": _BLANK}
)


def vote_counts(table: Table) -> Reading:
    """Counts of a table of votes."""
    systems, a, b, outcome = vote_outcomes(table)
    refuse_alike_by_pairs(table.source, systems, a, b)
    datasets, dataset = read_datasets(table)
    square = empty_square(table, datasets, systems, 3)
    for begin in range(0, len(outcome), BLOCK):
        rows = np.flatnonzero(outcome[begin : begin + BLOCK] >= 0) + begin
        np.add.at(square, (dataset[rows], a[rows], b[rows], outcome[rows]), 1)
    square += square.swapaxes(1, 2)[..., [1, 0, 2]]
    counts = counts_array(square, systems, datasets)
    n = int((outcome >= 0).sum())
    counts.attrs = {"ties": "third", "n": n, "n_missing": len(outcome) - n}
    shared = _shared_items(table, systems, a, b, outcome >= 0)
    if shared := shared or _few_judges(table, outcome >= 0):
        counts.attrs["dependent"] = shared  # which the answer repeats
    columns = pair_columns(table)
    used = {*columns, find(table, "winner"), dataset_column(table)}
    refuse_weights(table, used)
    return Reading(counts, describe_systems(systems, columns), unread(table, used))


_VOTES = "(votes|judge?ments)"
_WEIGHTS = re.compile(
    rf"counts?|n|num|{_VOTES}|freq(uency)?|multiplicity|(sample )?weights?|vote counts?"
    rf"|(n|num|number( of)?|total) ?{_VOTES}|{_VOTES} counts?"
)
_SURELY, _GAPS = 10, 1.25  # rows from which a number of each may count them, and how many it skips


def refuse_weights(table: Table, used: Collection[str | None]) -> None:
    """Refuse a column that may be how many votes each row stands for; not a running number."""
    for column in table.columns:
        name = re.sub(r"[\W_]+", " ", column).strip().casefold()
        if column in used or not _WEIGHTS.fullmatch(name) or not cells.holds_numbers(table, column):
            continue
        numbers = cells.numbers(table, column)
        if _is_running(numbers):
            continue
        reason = "may be the number of votes of this row, but a row counts as one vote; repeat "
        reason += "the rows, give wins and losses of each pair, or leave the column out: "
        reason += f"ignore={quoted(column)}"
        table.refuse_first(~np.isnan(numbers) & (numbers != 1), column, reason)


def _is_running(numbers: np.ndarray) -> bool:
    """Whether numbers count the rows: from 0, or up to one of many; each once, or anew from 1."""
    steps = np.diff(numbers)
    begins = numbers[:1].tolist() == [0] and len(numbers) > 2 and (steps == 1).all()
    anew = ((steps == 1) | (numbers[1:] == numbers[0])).all() and (steps == 1).mean() > 1 / 2
    few_gaps = np.ptp(numbers) < _GAPS * len(numbers) and len(np.unique(numbers)) == len(numbers)
    return bool(begins or (len(numbers) > _SURELY and (few_gaps or anew)))


_SWAPPED = ("swapped", "is_swapped", "swap", "flipped", "is_flipped", "order_swapped", "reversed")
_ITEMS = ("prompt_id", "prompt", "question")  # of votes, next to the usual names of items
# of items or of groups of them: as many as votes, but for a number of judges
_OBJECTS = ("dialogue", "dialog", "conversation", "context", "sample", "instruction", "query")
_OBJECTS += ("passage", "segment", "text", *(f"{name}_id" for name in _OBJECTS))
_SEVERAL, _JUDGES = 1.1, 20  # votes of a pair on an item, on average, and on one of those


def _shared_items(
    table: Table, systems: list[str], a: np.ndarray, b: np.ndarray, decided: np.ndarray
) -> str:
    """Warn of several votes of a pair on an item, or in a cluster of items, and return why: they
    make a verdict too certain.
    """
    named = {find(table, "cluster"): "cluster", find(table, "item"): "item"}
    named |= {table.by_name.get(name): "item" for name in (*_ITEMS, *_OBJECTS)}
    pair = np.minimum(a, b) * np.int64(len(systems)) + np.maximum(a, b)
    for column in filter(None, named):
        items = cell_codes([table], column)
        n_items = int(items.max(initial=-1)) + 1
        n_units = len(np.unique((pair * n_items + items)[decided]))
        n = int(decided.sum())
        groups = column.casefold() in _OBJECTS and n > _JUDGES * n_items
        one = n_items < 2  # such as the instruction of all judges
        if n_units > 1 and n >= _SEVERAL * n_units and not groups and not one:
            reason = f"{counted(n, 'vote')} are on {counted(n_units, named[column])} of a pair, so "
            reason += "they are not independent, and verdicts are too certain"
            right = f"give one vote per pair and {named[column]}, or take each {named[column]} as "
            right += f"a cluster: layout='judgments', cluster={quoted(column)}"
            warn(table.source, f"{reason}; {right}", column=column)
            return reason
    return ""


def _few_judges(table: Table, decided: np.ndarray) -> str:
    """Warn of votes by judges of several votes, and return why they are not independent."""
    column = find(table, "judge")
    if column is None:
        return ""
    judges = cell_codes([table], column)
    named = np.array([cells.plain_text(cell).strip() != "" for cell in table.columns[column]])
    sizes = np.unique(judges[decided & named], return_counts=True)[1]
    if not several_votes_each(sizes):
        return ""
    reason = f"{sizes.sum():,} votes are by {len(sizes):,} judges; if these differ in what they "
    reason += "prefer, votes of one are not independent, and verdicts are too certain about other "
    reason += "judges"
    right = f"take each as a cluster: layout='judgments', cluster={quoted(column)}"
    right = right if named.all() else "name all judges to take each as a cluster"
    warn(table.source, f"{reason}; {right}", column=column)
    return reason


def several_votes_each(sizes: np.ndarray) -> bool:
    """Whether two judges or more, of so many votes, have several on average over votes."""
    return len(sizes) > 1 and (sizes**2).sum() >= names.SEVERAL_VOTES * sizes.sum()


_COPIES = 0.01  # share of rows


def copied_rows(tables: Sequence[Table], *, judged: bool = False) -> str:
    """Warn of votes that are the same in all columns, where a column such as their time or number
    tells votes apart, and return why they count too much.

    Votes with one number are then the same throughout; those of several people on one item, and
    those of one minute, are not.
    """
    columns = [c for c in tables[0].columns if all(c in table.columns for table in tables)]
    roles = {find(tables[0], role) for role in ("winner", "judge", "item")}
    roles |= {tables[0].by_name.get(name) for name in (*_ITEMS, *_OBJECTS)}
    roles |= {*pair_columns(tables[0])}
    n, codes = sum(len(table.rows) for table in tables), {}
    for column in (c for c in columns if c not in roles):
        codes[column] = cell_codes(tables, column)
        if codes[column].max(initial=-1) + 1 == n:
            return ""  # no two rows are the same
    again = {c: n - 1 - int(own.max(initial=-1)) for c, own in codes.items()}
    if not again or min(again.values()) > n * 2 / 3:
        return ""
    rows = pd.DataFrame(codes | {c: cell_codes(tables, c) for c in columns if c in roles})
    copies = int(rows.duplicated().sum())
    if copies < max(2, _COPIES * n) or copies < 0.99 * min(again.values()):
        return ""
    reason = f"{copies:,} of {n:,} votes are the same as others in all columns, and count again"
    right = "leave copies out" + ", or name who voted in a column 'judge'" * (not judged)
    warn(", ".join(table.source for table in tables), f"{reason}; {right}")
    return f"{reason}: as copies they make verdicts too certain"


def cell_codes(tables: Sequence[Table], column: str) -> np.ndarray:
    """A number for each distinct cell of a column of all tables."""
    parts = [table.columns[column] for table in tables]
    if len(parts) == 1 and isinstance(parts[0], Coded):
        return parts[0].codes
    values = np.fromiter(chain.from_iterable(parts), object, sum(map(len, parts)))
    try:
        return pd.factorize(values, use_na_sentinel=False)[0]
    except TypeError:  # a list, or an object
        return pd.factorize(np.array([*map(str, values)], object))[0]


_SHARED, _LEVEL = 10, 0.001  # items with votes in two tables, and p where they agree by chance


def votes_in_several_tables(tables: Sequence[Table]) -> str:
    """Warn of items of a pair on which several tables have votes that agree more often than by
    chance, as copies and votes of several judges do, and return why.
    """
    first: dict[tuple[str, ...], int] = {}
    both: list[tuple[tuple[str, ...], int, int]] = []  # pair, and its outcomes on one item
    for table in tables:
        columns = [find(table, "item"), *(table.by_name.get(name) for name in (*_ITEMS, *_OBJECTS))]
        column = next(filter(None, columns), None)
        if column is None:
            return ""
        systems, a, b, outcome = vote_outcomes(table)
        items = cells.read_once(table, column, cells.texts).texts
        here: dict[tuple[str, ...], int] = {}
        for x, y, item, won in zip(a.tolist(), b.tolist(), items, outcome.tolist(), strict=True):
            if won >= 0:
                pair, swapped = sorted((systems[x], systems[y])), systems[x] > systems[y]
                here[(*pair, item)] = (1, 0, 2)[won] if swapped else won
        both += [(key[:2], first[key], won) for key, won in here.items() if key in first]
        first = here | first
    if len(both) < _SHARED:
        return ""
    number = {pair: k for k, pair in enumerate(dict.fromkeys(pair for pair, *_ in both))}
    votes = np.zeros((2, len(number), 3))
    for pair, *won in both:
        votes[(0, 1), number[pair], won] += 1
    agree = sum(x == y for _, x, y in both)
    chance = float((votes.prod(0).sum(1) / votes[0].sum(1)).sum() / len(both))  # pair by pair
    if chance == 1 or special.bdtrc(agree - 1, len(both), chance) > _LEVEL:
        return ""
    reason = f"{counted(len(both), 'item')} of a pair have votes in several tables, which agree on "
    reason += f"{agree / len(both):.0%}, so they are not independent, and verdicts are too certain"
    right = "if they are the same items, put all votes in one table, with layout='judgments' and "
    warn(", ".join(t.source for t in tables), f"{reason}; {right}the column of items as cluster")
    return reason


def describe_systems(systems: list[str], columns: tuple[str, str]) -> str:
    """Describe the systems after the number of votes or judgments."""
    return f"on {len(systems)} systems in columns {columns[0]!r} and {columns[1]!r}"


def vote_outcomes(table: Table) -> tuple[list[str], np.ndarray, np.ndarray, np.ndarray]:
    """The systems, the two of each row as numbers, and how it went: 0 the first won, 1 the second,
    2 a tie, -1 no winner given.
    """
    systems, a, b = _read_pairs(table)
    _refuse_against_itself(table, a == b, systems, a, "give two different systems")
    outcome = _outcomes(table, systems, a, b)
    outcome[outcome == _BLANK] = -1
    return systems, a, b, outcome


def _outcomes(table: Table, systems: list[str], a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return win, loss or tie of each row; the winner is a word for a side, or the name of a
    system.
    """
    column = str(find(table, "winner"))
    winner = cells.read_once(table, column, _winners)
    by_word = _outcomes_by_word(table, winner.distinct)[winner.codes]
    by_name = named = _outcomes_by_name(winner.distinct, winner.codes, systems, a, b)
    column_a, column_b = pair_columns(table)
    folded = [system.casefold() for system in systems]
    winners = [text.casefold() for text in winner.distinct]
    if len({*folded}) == len(folded) and {*winners} & {*folded} & {*OUTCOME_WORDS}:
        named = _outcomes_by_name(winners, winner.codes, folded, a, b)
    conflicting = (named != _UNKNOWN) & (by_word != _UNKNOWN) & (named != by_word)
    reason = "the name of one system here and the word for another outcome; "
    reason += f"write {column_a}, {column_b} or tie"
    table.refuse_first(conflicting, column, reason, winner)
    outcome = np.where(by_name != _UNKNOWN, by_name, by_word)
    if (outcome == _UNKNOWN).any():
        k = int((outcome == _UNKNOWN).argmax())
        both = f"{quoted(systems[a[k]])} or {quoted(systems[b[k]])}"
        reason = f"unknown winner; give {column_a}, {column_b}, tie, or {both}"
        raise table.cell_problem(k, column, reason, winner)
    if (by_name == _UNKNOWN).any():
        _warn_of_swapped_sides(table, np.isin(outcome, (_A, _B)) & (by_name == _UNKNOWN))
    return outcome


def _outcomes_by_name(
    winners: Sequence[str], codes: np.ndarray, systems: list[str], a: np.ndarray, b: np.ndarray
) -> np.ndarray:
    """Return the outcome of each row whose winner is the name of one of its systems."""
    place = {system: k for k, system in enumerate(systems)}
    won = narrow(np.array([place.get(text, -1) for text in winners]), len(systems))[codes]
    outcomes = np.full(len(won), _UNKNOWN, dtype=np.int8)
    outcomes[won == a], outcomes[won == b] = _A, _B
    return outcomes


def _warn_of_swapped_sides(table: Table, by_side: np.ndarray) -> None:
    """Warn of winners by their side if a column has sides swapped in some of these rows."""
    column = next((table.by_name[name] for name in _SWAPPED if name in table.by_name), None)
    if column is None or len(set(np.array(cells.texts(table, column))[by_side])) < 2:
        return
    column_a, column_b = pair_columns(table)
    reason = (
        f"is not read: winners by their side are those of columns {quoted(column_a)} and "
        f"{quoted(column_b)}; if the judge saw other sides, give winners by name"
    )
    warn(table.source, reason, column=column)


def _winners(table: Table, column: str) -> list[str]:
    return [text.strip() for text in cells.texts(table, column)]


def _outcomes_by_word(table: Table, winners: Sequence[str]) -> np.ndarray:
    """Return the outcome that each word for the winner stands for."""
    column_a, column_b = pair_columns(table)
    words = OUTCOME_WORDS | {column_a.casefold(): _A, column_b.casefold(): _B}
    return np.array([words.get(text.casefold(), _UNKNOWN) for text in winners], dtype=np.int8)


_CODE = np.array([1, -1, 0])  # first wins, second wins, tie
_ROLES = ("judge", "cluster")


def judgments(table: Table) -> Reading:
    """Judgments with the judge and the cluster of each, where there are such columns."""
    return judgments_by(table, {role: find(table, role) for role in _ROLES})


def judgments_by(table: Table, columns: dict[str, str | None]) -> Reading:
    """Judgments with coordinates from these columns; rows without a winner are left out."""
    pair = pair_columns(table)
    systems, a, b, won = vote_outcomes(table)
    decided = won >= 0
    named = [(role, column) for role, column in columns.items() if column is not None]
    texts = {role: text_array(_labels(table, column, role))[decided] for role, column in named}
    coords = {role: ("judgment", values) for role, values in texts.items()}
    refuse_alike_by_pairs(table.source, systems, a, b)
    variables: dict[Any, Any] = {
        names.SYSTEM_A: ("judgment", array_from_codes(systems, a[decided])),
        names.SYSTEM_B: ("judgment", array_from_codes(systems, b[decided])),
        names.OUTCOME: ("judgment", _CODE[won[decided]]),
    }
    data = xr.Dataset(variables, coords={names.SYSTEM: systems} | coords)
    data.attrs = {"n": int(decided.sum()), "n_missing": int((~decided).sum())}
    shared = "" if columns.get("cluster") else _shared_items(table, systems, a, b, decided)
    if shared:
        data.attrs["dependent"] = shared
    used = {*pair, find(table, "winner"), *columns.values()}
    refuse_weights(table, used)
    return Reading(data, describe_systems(systems, pair), unread(table, used))


def _labels(table: Table, column: str, role: str) -> Sequence[str]:
    if checks.label(column, role) not in table.columns:
        reason = f"there is no column {quoted(column)} for the {role}"
        raise problem(table.source, f"{reason}; found {listed(table.columns)}")
    values = cells.labels(table, column, f"each row its {role}")
    tell_alike(table.source, values, f"{role}s")
    return values
