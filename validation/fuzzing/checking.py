"""One mutated file through the package: what it said, against what a careful reader says."""

import copy
import logging
import math
import random
import signal
import warnings
from dataclasses import dataclass

import pandas as pd

import betterthan as bt
from validation.fuzzing import files, mutations, oracle, tables

SECONDS = 5  # of processor time; longer is a hang
logging.getLogger("betterthan").setLevel(logging.ERROR)


@dataclass
class Outcome:
    """What became of one file."""

    seed: int
    kind: str
    notes: list
    verdict: str  # read, refused, or what is wrong
    said: str = ""
    data: bytes = b""

    @property
    def wrong(self):
        return self.verdict not in (
            *("read", "refused"),
            *("refused, though it can be read", "read without digest"),
        )


class HangError(BaseException):
    pass


def _hang(*_):
    raise HangError


def mutated(seed):
    """A sheet, the format, the bytes, and what was done."""
    rng = random.Random(seed)
    sheet = rng.choice(tables.KINDS)(rng)
    form = rng.choice((*files.FORMATS, "frame", "parquet"))
    form = "frame" if sheet.kind == "tallies_from_table" else form
    clean = rng.random() < 0.05
    for _ in range(0 if clean else rng.choice([1, 1, 2, 3])):
        if sheet.rows and sheet.header:
            way = rng.choice(mutations.SHEETS)
            before = copy.deepcopy(sheet)
            try:
                way(rng, sheet)
            except (IndexError, OverflowError):  # an earlier one took what this one needs
                sheet = before
            sheet.notes.append(way.__name__)
    if form in ("frame", "parquet"):  # have no row of another length
        width = len(sheet.header)
        sheet.rows = [[*row, *[None] * width][:width] for row in sheet.rows]
        return sheet, form, b""
    data = files.written(sheet, form, rng)
    if not clean and not sheet.refuse and data and rng.random() < 0.4:
        way = rng.choice(mutations.BYTES)
        data = way(rng, data)
        sheet.notes.append(way.__name__)
    data = files.packed(data, form)
    if form.endswith(".gz") and not clean and not sheet.refuse and rng.random() < 0.2:
        way = rng.choice(mutations.BYTES[:7])
        data = way(rng, data)
        sheet.notes.append(f"{way.__name__}, packed")
    return sheet, form, data


def expected(sheet, form, data):
    """What a careful reader says; None where he would ask."""
    if sheet.refuse and "latency_ms" in sheet.header:  # a later one may have dropped it again
        return None
    if form in ("frame", "parquet"):
        return oracle.reading(sheet.kind, sheet.header, _as_in_frame(sheet))
    data = files.unpacked(data, form)
    if data is None:
        return None
    found = files.parsed(data, form)
    return None if found is None else oracle.reading(sheet.kind, *found)


def _as_in_frame(sheet):
    frame = pd.DataFrame(sheet.rows, columns=sheet.header, dtype=object)
    return [list(row) for row in frame.itertuples(index=False, name=None)]


def answer(sheet, form, data, folder):
    """What the package says, told as the careful reader tells it."""
    readers = {
        "read": bt.read,
        "judgments": bt.io.read_judgments if form == "frame" else _judgments_of,
        "tallies_from_table": bt.io.tallies_from_table,
        "labels.read": bt.labels.read,
        "orders.read": bt.orders.read,
        "read_confusion": bt.labels.read_confusion,
    }
    choices = {}
    if (sheet.kind, form) == ("judgments", "frame"):  # columns that a file is searched for
        clusters = [name for name in sheet.header if str(name).strip().casefold() == "cluster"]
        choices = {"judge": "judge"} | ({"cluster": clusters[0]} if clusters else {})
    return told(readers[sheet.kind](_source(sheet, form, data, folder), **choices))


def _judgments_of(path):
    return bt.read(path, layout="judgments")


def _source(sheet, form, data, folder):
    """A frame, or the path of a file."""
    path = folder / f"fuzz.{form}"
    if form in ("frame", "parquet"):
        frame = pd.DataFrame(sheet.rows, columns=sheet.header)
        if form == "frame":
            return frame
        try:
            frame.to_parquet(path, index=False)
        except Exception:  # cells of several kinds have no place in Parquet
            return frame
        return path
    path.write_bytes(data)
    return path


def told(data):
    dims = set(data.dims)
    if "judgment" in dims:
        return {"judgments": list(_judgments(data))}
    if "tally" in dims:
        return {"systems": sorted(data.system.values.tolist()), "tallies": dict(_tallies(data))}
    if "outcome" in dims:
        return {"counts": dict(_counts(data))}
    if "predicted" in dims:
        return {"confusion": dict(_cells(data))}
    if "gold" in data.coords:
        return _labels(data)
    if {"position", "item"} & dims and data.name != "scores":
        return {"orders": dict(_orders(data))}
    scores = {
        (key, s): None if math.isnan(v) else v
        for key, row in zip(_keys(data), data.values.tolist(), strict=True)
        for s, v in zip(data.system.values.tolist(), row, strict=True)
    }
    return {"systems": sorted(data.system.values.tolist()), "scores": scores}


def _keys(data):
    columns = [
        data[role].values.tolist() if role in data.coords else [None] * data.sizes["item"]
        for role in ("dataset", "item", "epoch")
    ]
    return [(d, i, None if e is None else str(e)) for d, i, e in zip(*columns, strict=True)]


def _tallies(data):
    labels = data.label.values.tolist() if "label" in data.dims else [None]
    full = data.values if "label" in data.dims else data.values[:, :, None]
    for i, key in enumerate(_keys(data)):
        for j, s in enumerate(data.system.values.tolist()):
            for k, label in enumerate(labels):
                yield (key, s, label), tuple(full[i, j, k].tolist())


def _counts(data):
    full = data if "dataset" in data.dims else data.expand_dims({"dataset": [None]})
    for group in full.dataset.values.tolist():
        for a in full.system_a.values.tolist():
            for b in full.system_b.values.tolist():
                values = full.sel(dataset=group, system_a=a, system_b=b) if group else None
                values = data.sel(system_a=a, system_b=b) if values is None else values
                if values.values.any():
                    yield (group, a, b), tuple(values.values.tolist())


def _judgments(data):
    who = data.judge.values.tolist() if "judge" in data.coords else [None] * data.sizes["judgment"]
    yield from zip(
        data.system_a.values.tolist(),
        data.system_b.values.tolist(),
        data.outcome.values.tolist(),
        who,
        strict=True,
    )


def _cells(data):
    for i, row in enumerate(data.predicted.values.tolist()):
        for j, column in enumerate(data.actual.values.tolist()):
            yield (row, column), int(data.values[i, j])


def _labels(data):
    items = data["item"].values.tolist()
    cells = {
        (i, s): data.values[k, j]
        for k, i in enumerate(items)
        for j, s in enumerate(data.system.values.tolist())
    }
    return {"labels": cells, "gold": dict(zip(items, data.gold.values.tolist(), strict=True))}


def _orders(data):
    full = data if "document" in data.dims else data.expand_dims({"document": [""]})
    for d, document in enumerate(full.document.values.tolist()):
        for s, system in enumerate(full.system.values.tolist()):
            row = full.transpose("document", "system", ...).values[d, s]
            if "position" in full.dims:
                yield (document, system), [[i] for i in row.tolist() if i]
                continue
            items = dict(zip(full["item"].values.tolist(), row.tolist(), strict=True))
            ranked = {i: r for i, r in items.items() if not math.isnan(r)}
            levels = sorted(set(ranked.values()))
            yield (document, system), [[i for i in ranked if ranked[i] == v] for v in levels]


def same(found, right):
    """Whether two readings say the same."""
    if right is None or set(found) != set(right):
        return False
    if "orders" in right:
        return _plain_orders(found["orders"]) == _plain_orders(right["orders"])
    if "scores" in right:
        a, b = found["scores"], right["scores"]
        return (
            found["systems"] == right["systems"]
            and set(a) == set(b)
            and all(a[k] == b[k] for k in a)
        )
    return found == right


def _plain_orders(orders):
    return {k: [sorted(group) for group in groups] for k, groups in orders.items() if groups}


def checked(seed, folder):
    """One file, and what became of it."""
    sheet, form, data = mutated(seed)
    right = expected(sheet, form, data)
    outcome = Outcome(seed, f"{sheet.kind} {form}", sheet.notes, "", "", data)
    attempted(
        outcome,
        lambda: (answer(sheet, form, data, folder), None),
        lambda _: right,
        ("fuzz.", "DataFrame"),
        same,
        starts=True,
    )
    if outcome.verdict == "refused, though it can be read" and not sheet.notes:
        outcome.verdict = "a valid file refused"
    return outcome


def attempted(outcome, read, expected, names, same=lambda a, b: a == b, *, starts=False):
    """Complete an outcome by what reading gives.

    Parameters
    ----------
    outcome : Outcome
    read : callable
        Returns what the package reads, and which files it used.
    expected : callable
        What a strict reader reads in these files; None where it refuses them.
    names : sequence of str
        One of them must stand in a message.
    same : callable
        Whether two readings are equal.
    starts : bool
        Whether a message must start with one of the names.
    """
    signal.signal(signal.SIGPROF, _hang)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reading, used = read()
    except ValueError as error:
        outcome.said = message = str(error)
        named = message.startswith(tuple(names)) if starts else any(n in message for n in names)
        outcome.verdict = "refused" if expected(None) is None else "refused, though it can be read"
        if type(error) is not ValueError or not named or not message.isprintable():
            outcome.verdict = "a message without its file, of another kind, or of several lines"
    except HangError:
        outcome.verdict = "hang"
    except BaseException as error:
        outcome.verdict, outcome.said = "another exception", repr(error)
    else:
        signal.setitimer(signal.ITIMER_PROF, 0)
        right = expected(used)
        equal = right is not None and same(reading, right)
        outcome.verdict = "read" if equal else "read as what it does not say"
        outcome.said = "" if equal else f"{reading!r} for {right!r}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
