"""From one row an item, with the outcomes of judge and people, to judged counts."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from betterthan import checks, names
from betterthan.io import cells
from betterthan.io.frames import table_from_frame
from betterthan.io.layouts import PAIRS, candidates, find
from betterthan.io.pair_counts import OUTCOME_WORDS, copied_rows, paired, refuse_weights
from betterthan.io.problems import counted, listed, problem, quoted, warn
from betterthan.io.table import Table
from betterthan.io.texts import coded
from betterthan.judged.dataset import BESIDE, UNPARSED, WITHIN, dataset_of, judged_counts
from betterthan.text import first_flawed

FIRST, SECOND, TIE, BLANK, UNKNOWN = 0, 1, 2, 3, 4
_NUMBERED = (("model_1", "model_2"), ("system_1", "system_2"))
_SIDES = {"a": FIRST, "b": SECOND, "tie": TIE}


def pair_of(table: Table) -> tuple[str, str]:
    """Return the columns that name both systems."""
    by_name = table.by_name
    for pair in (*PAIRS, *_NUMBERED):
        if set(pair) <= set(by_name):
            return by_name[pair[0]], by_name[pair[1]]
    accepted = " or ".join(f"{a}, {b}" for a, b in (*PAIRS, *_NUMBERED))
    raise problem(
        table.source,
        f"no columns name the two systems of each item; give {accepted} (found "
        f"{listed(list(table.columns))})",
    )


def outcomes(
    table: Table,
    column: str,
    systems: tuple[np.ndarray, np.ndarray],
    words: Mapping[str, str] | None = None,
) -> np.ndarray:
    """The outcome of each cell: `FIRST`, `SECOND`, `TIE`, `BLANK`, or `UNKNOWN`.

    Parameters
    ----------
    table : Table
    column : str
    systems : two numpy.ndarray of str
        The systems of each row; a cell may name one of them.
    words : mapping of str to {"a", "b", "tie"}, optional
        What other words mean.
    """
    if column not in table.columns:
        present = listed(list(table.columns))
        raise problem(table.source, f"there is no column {quoted(column)}; found {present}")
    written = np.array([text.strip() for text in cells.texts(table, column)], dtype=object)
    codes_by_word = _words(table, words)
    codes = {text: codes_by_word.get(text.casefold(), UNKNOWN) for text in set(written.tolist())}
    by_word = np.array([codes[text] for text in written.tolist()])
    first, second = (written == names for names in systems)
    return np.select([first, second], [FIRST, SECOND], by_word)


def refuse_ambiguous(
    table: Table,
    column: str,
    systems: tuple[np.ndarray, np.ndarray],
    words: Mapping[str, str] | None,
) -> None:
    """Refuse a name of one system that is the word for another outcome, and one in other case."""
    if column not in table.columns:
        return  # which is refused where it is read
    texts = cells.texts(table, column)
    written = np.array([text.strip().casefold() for text in texts], dtype=object)
    first, second = (np.array([name.casefold() for name in own], dtype=object) for own in systems)
    is_first, is_second = ((written == name) & (first != second) for name in (first, second))
    by_name = np.select([is_first, is_second], [FIRST, SECOND], UNKNOWN)
    codes_by_word = _words(table, words)
    by_word = np.array([codes_by_word.get(text, UNKNOWN) for text in written.tolist()])
    named, a, b = by_name != UNKNOWN, *pair_of(table)
    conflicting = named & (by_word != UNKNOWN) & (by_word != by_name)
    reason = f"the name of one system here and the word for another outcome; write {a}, {b} or tie"
    table.refuse_first(conflicting, column, reason, texts)
    unlike = named & (by_word == UNKNOWN) & (outcomes(table, column, systems, words) == UNKNOWN)
    reason = "differs from the name of a system only by case; write it as the system"
    table.refuse_first(unlike, column, reason, texts)


def refuse_unknown(table: Table, column: str, codes: np.ndarray) -> None:
    """Refuse human labels that are no outcome."""
    a, b = pair_of(table)
    reason = f"no outcome; write {a}, {b}, the name of the better system, or tie, or pass its "
    reason += "meaning as 'words' of betterthan.judged.count"
    table.refuse_first(codes == UNKNOWN, column, reason, cells.texts(table, column))


def _words(table: Table, words: Mapping[str, str] | None) -> dict[str, int]:
    """Map each word in lower case to its code."""
    a, b = (column.casefold() for column in pair_of(table))
    codes_by_word = dict(OUTCOME_WORDS) | {a: FIRST, b: SECOND}
    if a.endswith("1") and b.endswith("2"):
        codes_by_word |= {"1": FIRST, "2": SECOND, "0": TIE}
    if words is not None:
        checks.of_type(words, Mapping, "words is", "mapping of words to 'a', 'b' or 'tie'")
    for word, side in (words or {}).items():
        if not isinstance(side, str) or side not in _SIDES:
            raise ValueError(f"words[{quoted(word)}] is {quoted(side)}; give 'a', 'b' or 'tie'")
        codes_by_word[str(word).casefold()] = _SIDES[side]
    return codes_by_word


def sides(
    table: Table, column: str, systems: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, Any]:
    """The stratum of each row as text, and where it is a side (else None): which system was shown
    first, by its name or as a word.
    """
    refuse_ambiguous(table, column, systems, None)
    codes = outcomes(table, column, systems)
    written = np.array([text.strip() for text in cells.texts(table, column)], dtype=object)
    blank = written == ""
    if blank.any():
        reason = "blank; give each item its stratum"
        raise table.problem(int(blank.argmax()), reason, column=column)
    return written, codes if np.isin(codes, (FIRST, SECOND)).all() else None


_MOST = 12  # columns that are looked at
_OPPOSED = 3  # rows on which two columns differ, below which a third may be so by chance


def refuse_merged(
    table: Table, columns: Sequence[str], human: str, words: Mapping[str, str] | None
) -> None:
    """Refuse a column of answers that is two others where they agree, and a tie where they do
    not.
    """
    sides = pair_of(table)
    first, second = (np.array(cells.texts(table, c), dtype=object) for c in sides)
    systems = first, second
    others = [c for c in table.columns if c not in (*columns, human, *sides)][:_MOST]
    others = [c for c in others if first_flawed(cells.as_written(table, c)) is None]
    read = {c: outcomes(table, c, systems, words) for c in others}
    answers = [c for c in others if (read[c] < BLANK).mean() > 0.5 and UNKNOWN not in read[c]]
    for column in columns:
        if column not in table.columns:
            continue
        merged = outcomes(table, column, systems, words)
        for a, b in combinations(answers, 2):
            if _is_merge(merged, read[a], read[b]):
                raise problem(
                    table.source,
                    f"is {quoted(a)} where {quoted(b)} agrees, and else a tie; a tie of the judge "
                    f"is not two answers that differ: keep both, judge=[{a!r}, {b!r}]",
                    column=column,
                )


def _is_merge(merged: np.ndarray, first: np.ndarray, second: np.ndarray) -> bool:
    decided = (first < BLANK) & (second < BLANK)
    if (decided & (first != second)).sum() < _OPPOSED:
        return False
    return bool((merged[decided] == np.where(first == second, first, TIE)[decided]).all())


_MIRRORED = np.array([1, 0, 2, 3, 4])  # of outcomes, seen from the other system
_LABELS = (*names.OUTCOMES, "", UNPARSED)


def count(
    frame: pd.DataFrame | Table,
    *,
    judge: str | Sequence[str],
    human: str,
    item: str | None = None,
    strata: str | Sequence[str] = (),
    words: Mapping[str, str] | None = None,
    drop: bool = False,
    ignore: str | Sequence[str] = (),
) -> xr.Dataset:
    """Count the outcomes of an LLM-as-a-judge study: human labels by judge output.

    Parameters
    ----------
    frame : pandas.DataFrame
        Table with one row per item and pair, with columns system_a and system_b (or model_a and
        model_b, left and right, and the like).
    judge : str or sequence of str
        Column of the judge output. Several columns are kept as a combination: the outputs in both
        orders, or those of two judges. A value is a side, the name of a system, or a tie; any other
        word is the output "unparsed". Rows with a blank are not judged and are left out;
        ``attrs["n_missing"]`` counts those without a label.
    human : str
        Column of human labels, blank if there is none. The labeled items must be a random sample of
        those with the same judge output.
    item : str, optional
        Column of item ids. Default: detected by its name.
    strata : str or sequence of str, optional
        Columns that further divide the judge output: the system shown first, a bin of lengths. A
        column that holds only sides or names of the two systems is taken as a side.
    words : mapping of str to {"a", "b", "tie"}, optional
        Meaning of other words, such as ``{"1": "a", "2": "b", "0": "tie"}``.
    drop : bool, default False
        Leave out items with a human label but without judge output. By default they raise an error.
    ignore : str or sequence of str, optional
        Columns to ignore, such as clusters of items that are to count as independent.

    Returns
    -------
    xarray.Dataset
        ``gold`` (pair, truth, signal) and ``judged`` (pair, signal), int64; judged items include
        the gold ones. Signals are the distinct judge outputs by stratum; with one column of output
        they always include win, loss, and tie.

    Raises
    ------
    ValueError
        If a column is missing, a human label is not an outcome, an item occurs twice, a labeled
        item has no judge output, no item has a label, there are more than 12 signals, the judge has
        only one output, or a column is two others merged into ties. If a column of clusters, data
        sets or runs groups the items.

    Examples
    --------
    >>> import pandas as pd, betterthan as bt
    >>> frame = pd.DataFrame(
    ...     {"system_a": "new", "system_b": "old", "judge": ["new", "old", "tie", "new"]}
    ... ).assign(human=["new", "", "old", ""])
    >>> bt.judged.count(frame, judge="judge", human="human")["gold"].values.tolist()
    [[[1, 0, 0], [0, 0, 1], [0, 0, 0]]]
    """
    if not isinstance(frame, Table | pd.DataFrame):
        kind = type(frame).__name__
        raise ValueError(f"frame is {kind}; give a pandas.DataFrame, or betterthan.read a file")
    table = frame if isinstance(frame, Table) else table_from_frame(frame, "DataFrame")
    columns, layers = checks.labels(judge, "judge"), list(checks.labels(strata, "strata"))
    if not columns:
        raise ValueError("judge is empty; give the column of the judge output, or several")
    roles = [*columns, checks.label(human, "human"), *layers]
    for column in (column for k, column in enumerate(roles) if column in roles[:k]):
        reason = f"column {quoted(column)} is passed twice among judge, human and strata"
        raise ValueError(f"{reason}; give each a column of its own")
    ignored = checks.labels(ignore, "ignore")
    of_strata_and_ignored = [(c, "strata") for c in layers] + [(c, "ignore") for c in ignored]
    for column, what in [(human, "human"), *of_strata_and_ignored]:
        if column not in table.columns:
            reason = f"no column {quoted(column)} for {what}; found {listed(list(table.columns))}"
            raise problem(table.source, reason)
    read = {name: cells_ for name, cells_ in table.columns.items() if name not in ignored}
    table = replace(table, columns=read)
    refuse_merged(table, columns, human, words)
    first, second = (np.array(cells.system_names(table, c), dtype=object) for c in pair_of(table))
    pair_columns = first, second
    systems, a, b = paired(*map(coded, pair_columns))
    if (a == b).any():
        k = int((a == b).argmax())
        what = f"{quoted(pair_columns[0][k])} is compared with itself; give two different systems"
        raise table.problem(k, what)
    _refuse_twice(table, item, a, b, systems)
    used = {human, item, *columns, *layers}
    _refuse_groups(table, used, a, b)
    refuse_weights(table, used)
    for column in (*columns, human):
        refuse_ambiguous(table, column, pair_columns, words)
    has_order = any(word in layer.casefold() for layer in layers for word in _ORDER)
    if len(columns) > 1 or has_order:  # one system may be shown first, and then the other one
        _warn_positions(table, columns, words)
    judge_outcomes = np.stack([outcomes(table, column, pair_columns, words) for column in columns])
    checks.flag(drop, "drop")
    truth = outcomes(table, human, pair_columns, words)
    refuse_unknown(table, human, truth)
    _warn_of_copies(table, columns, human, judge_outcomes, truth)
    copies = copied_rows([table], judged=True)
    judged, exchanged = (judge_outcomes != BLANK).all(0), a > b
    dropped = _refuse_unjudged(table, human, (truth != BLANK) & ~judged, drop)
    judge_outcomes, truth = (np.where(exchanged, _MIRRORED[x], x) for x in (judge_outcomes, truth))
    signal = _signals(judge_outcomes, [_stratum(table, c, pair_columns, exchanged) for c in layers])
    pair = np.minimum(a, b) * np.int64(len(systems)) + np.maximum(a, b)
    dataset = _tallied(pair[judged], signal[judged], truth[judged], systems, len(columns) == 1)
    attrs = {"unit": names.ITEM, "labels_by": human, "judge": ", ".join(columns)}
    attrs |= {"dependent": copies} if copies else {}
    attrs |= {
        "n": int(judged.sum()),
        "n_missing": int((~judged).sum()) - dropped,
        "n_dropped": dropped,
    }
    return judged_counts(_with_reading(dataset, table, attrs, layers))


_POSITIONS = ("first", "second", "left", "right")
_ORDER = ("first", "shown", "order", "position", "swap")  # in names of strata


def _warn_positions(table: Table, columns: Sequence[str], words: Mapping[str, str] | None) -> None:
    """Warn of judges that name a position, which is taken for a column of systems."""
    custom = {str(word).casefold() for word in words or ()}
    for column in columns:
        written = {text.strip().casefold() for text in cells.texts(table, column)}
        for position in _POSITIONS:
            if position in written - custom:
                side = pair_of(table)[_POSITIONS.index(position) % 2]
                reason = f"{quoted(position)} is read as the system in column {quoted(side)}, "
                right = "whatever was shown first; write names of systems if the order differs"
                return warn(table.source, reason + right, column=column)
    return None


_ALIKE = 50  # labels; a judge that agrees with all of them may be a copy


def _warn_of_copies(
    table: Table, columns: Sequence[str], human: str, judged: np.ndarray, truth: np.ndarray
) -> None:
    """Warn of a judge that agrees with all of many human labels."""
    labeled = truth != BLANK
    number = int(labeled.sum())
    for column, outcomes_of_judge in zip(columns, judged, strict=True):
        if number >= _ALIKE and (outcomes_of_judge == truth)[labeled].all():
            reason = f"agrees with all {number} labels of column {quoted(human)}"
            advice = "check that neither is a copy of the other"
            warn(table.source, f"{reason}; {advice}", column=column)


def _refuse_twice(
    table: Table, item: str | None, a: np.ndarray, b: np.ndarray, systems: list[str]
) -> None:
    """Refuse a pair that meets twice on one item."""
    column = find(table, names.ITEM) if item is None else checks.label(item, "item")
    if column is None:
        return
    if column not in table.columns:
        raise problem(table.source, f"there is no column {quoted(column)} of items")
    ids = cells.labels(table, column, "each row its item")
    low, high = np.minimum(a, b), np.maximum(a, b)
    again = pd.DataFrame({"id": ids, "low": low, "high": high}).duplicated().to_numpy()
    if again.any():
        k = int(again.argmax())
        who = f"{systems[low[k]]} and {systems[high[k]]}"
        reason = (
            f"this item occurs twice for {who}; an item is one example: give several answers on it "
            "as columns, judge=['first', 'second']"
        )
        raise table.problem(k, reason, column=column, value=ids[k])


def _refuse_groups(table: Table, used: set[str | None], a: np.ndarray, b: np.ndarray) -> None:
    """Refuse clusters of several items of a pair, and several data sets or runs."""
    for role in ("cluster", names.DATASET, "epoch"):
        for column in (column for column in candidates(table, role) if column not in used):
            rows = pd.DataFrame({"group": cells.texts(table, column)})
            if role == "cluster":
                rows = rows.assign(low=np.minimum(a, b), high=np.maximum(a, b))
                groups = rows.duplicated().any()
            else:
                groups = rows["group"].nunique() > 1
            if groups:
                raise problem(
                    table.source,
                    f"column {quoted(column)} groups the items, and judged outcomes are counted as "
                    f"independent items of one data set; pass ignore={quoted(column)} to count "
                    f"them so, or strata={quoted(column)} if the errors of the judge depend on it",
                )


def _refuse_unjudged(table: Table, human: str, unjudged: np.ndarray, drop: bool) -> int:
    """Count human labels without a judge output; refuse them unless they are dropped."""
    number = int(unjudged.sum())
    if number and not drop:
        reason = (
            f"{counted(number, 'label')} by people without an answer of the judge; judge these "
            "items, blank the labels, or leave them out: drop=True"
        )
        raise table.problem(int(unjudged.argmax()), reason, column=human)
    return number


def _stratum(
    table: Table, column: str, pair_columns: tuple[np.ndarray, np.ndarray], exchanged: np.ndarray
) -> np.ndarray:
    """Return the stratum of each row; a side is given relative to the first system of the pair."""
    written, side = sides(table, column, pair_columns)
    if side is None:
        return written
    return np.where((side == FIRST) != exchanged, f"{column} a", f"{column} b").astype(object)


def _signals(judge_outcomes: np.ndarray, layers: list[np.ndarray]) -> np.ndarray:
    """Return the label of the signal of each row."""
    labels = np.array(_LABELS, dtype=object)[judge_outcomes]
    rows = [BESIDE.join(row) for row in labels.T.tolist()]
    if not layers:
        return np.array(rows, dtype=object)
    more = [WITHIN.join(row) for row in np.stack(layers, 1).tolist()]
    return np.array([f"{x}{WITHIN}{y}" for x, y in zip(rows, more, strict=True)], dtype=object)


def _tallied(
    pair: np.ndarray, signal: np.ndarray, truth: np.ndarray, systems: list[str], plain: bool
) -> xr.Dataset:
    """Count the judged rows."""
    labels = _in_order(signal.tolist(), plain)
    place = {label: k for k, label in enumerate(labels)}
    keys, pair_index = np.unique(pair, return_inverse=True)
    order = np.array([place[s] for s in signal.tolist()], dtype=int)
    judged = np.zeros((len(keys), len(labels)), dtype=np.int64)
    gold = np.zeros((len(keys), 3, len(labels)), dtype=np.int64)
    np.add.at(judged, (pair_index, order), 1)
    labelled = truth < BLANK
    np.add.at(gold, (pair_index[labelled], truth[labelled], order[labelled]), 1)
    n = len(systems)
    pairs_of_systems = [(systems[k // n], systems[k % n]) for k in keys.tolist()]
    return dataset_of(gold, judged, pairs_of_systems, labels)


def _in_order(signal: list[str], plain: bool) -> list[str]:
    """Return the sorted signals; for one judge column, include unobserved win, loss and tie."""
    labels = set(signal)
    if plain:
        layers = {s.partition(WITHIN)[2] for s in signal} or {""}
        labels |= {f"{o}{WITHIN}{s}" if s else o for s in layers for o in names.OUTCOMES}
    return sorted(labels, key=_place)


def _place(signal: str) -> tuple[Any, ...]:
    """By stratum, then win, loss, tie, unparsed of each answer."""
    answers, _, stratum = signal.partition(WITHIN)
    return stratum, tuple(_LABELS.index(answer) for answer in answers.split(BESIDE))


def _with_reading(
    dataset: xr.Dataset, table: Table, attrs: Mapping[str, Any], layers: list[str]
) -> xr.Dataset:
    """Add the import summary and the source."""
    judged, gold = int(dataset["judged"].sum()), int(dataset["gold"].sum())
    dropped, missing = attrs["n_dropped"], attrs["n_missing"]
    dropped_text = f", {dropped} labels without an answer left out" * bool(dropped)
    dropped_text += f", {counted(missing, 'row')} without an answer left out" * bool(missing)
    signals = dataset["signal"].values.astype(str)
    parsed = np.array([UNPARSED not in signal.split(WITHIN)[0].split(BESIDE) for signal in signals])
    unparsed = int(dataset["judged"].values[:, ~parsed].sum())
    dropped_text += f", {counted(unparsed, 'item')} with no outcome of the judge" * bool(unparsed)
    reading = (
        f"{table.source} read as judged outcomes: {counted(dataset.sizes[names.PAIR], 'pair')}, "
        f"{judged:,} items judged in {attrs['judge']!r}, {gold:,} of them labelled in "
        f"{attrs['labels_by']!r}, {counted(dataset.sizes['signal'], 'signal')}{dropped_text}"
    )
    more = {"strata": ", ".join(layers)} if layers else {}
    also = {"source": table.source, "reading": reading}
    return dataset.assign_attrs(dict(attrs) | also | more)
