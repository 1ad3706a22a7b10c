"""Damage to what the package writes itself: saved comparisons (netCDF), and baselines of `gate`."""

import csv
import functools
import json
import random
import tempfile
from pathlib import Path

import numpy as np
import xarray as xr

import betterthan as bt
from betterthan.results import saved
from validation.fuzzing import log_mutations
from validation.fuzzing.checking import Outcome, attempted
from validation.fuzzing.log_seeds import SEEDS
from validation.fuzzing.mutations import BYTES

_SCORES = {"old": (0, 1, 1, 0, 1, 1, 0, 1, 1, 1, 0, 1), "new": (0, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1)}
MARGIN = 0.3


# saved comparisons


@functools.cache
def _comparison():
    comparison = bt.compare(bt.datasets.contingency_case("a"))
    return comparison, comparison.to_bytes()


def changed_bytes(number, folder):
    """A saved file of which bytes were changed: refused, or equal to the original."""
    rng = random.Random(number)
    original, data = _comparison()
    outcome = Outcome(number, "netcdf bytes", [], "", "", b"")
    for _ in range(0 if rng.random() < 0.002 else rng.choice([1, 1, 2, 3])):
        # a file that is cut has no digest: a child process reads it, in seconds
        way = rng.choice([_overwritten, *(BYTES[1:] if rng.random() < 0.999 else BYTES)])
        data = way(rng, data) or b"\0"
        outcome.notes.append(way.__name__)
    return _loaded(outcome, data, original.data, folder)


def _overwritten(rng, data):
    """Write random bytes over a part."""
    k, size = rng.randrange(len(data)), rng.randrange(1, 64)
    return data[:k] + rng.randbytes(size) + data[k + size :]


def changed_values(number, folder):
    """A file with a digest of its own whose content was changed: refused, or what it holds."""
    rng = random.Random(number)
    table = _comparison()[0].data.copy(deep=True)
    outcome = Outcome(number, "netcdf values", [], "", "", b"")
    ways = (_other_value, _other_attribute, _no_variable, _other_dims, _other_label, _other_type)
    for _ in range(rng.choice([0, 1, 1, 2]) if rng.random() < 0.95 else 0):
        way = rng.choice(ways)
        table = way(rng, table)
        outcome.notes.append(way.__name__)
    try:
        data = saved.as_bytes(xr.DataTree.from_dict({"/": table}))
    except Exception:  # what netCDF cannot hold
        outcome.verdict = "refused"
        return outcome
    return _loaded(outcome, data, table, folder)


def without_digest(number, folder):
    """A damaged file without a digest, which a child process reads."""
    rng = random.Random(number)
    original, data = _comparison()
    data = data[: data.rindex(b"\nbetterthan: SHA-256")]
    outcome = Outcome(number, "netcdf without digest", [], "", "", b"")
    k = rng.randrange(2048, len(data)) if rng.random() < 0.8 else rng.randrange(len(data))
    data = data[:k] + bytes([rng.randrange(256)]) + data[k + 1 :]
    outcome.notes.append(f"byte {k}")
    outcome = _loaded(outcome, data, original.data, folder)
    if outcome.verdict == "read as what it does not say":
        outcome.verdict = "read without digest"  # nothing shows that it was changed
    return outcome


def _loaded(outcome, data, table, folder):
    """Load a file, which must hold this table if it loads, and show it."""
    outcome.data, path = data, folder / "fuzz.nc"
    path.write_bytes(data)

    def read():
        comparison = bt.load(path)
        str(comparison), comparison.pairs, comparison.systems
        return comparison.data, None

    attempted(outcome, read, lambda _: table, ["fuzz.nc"], xr.Dataset.equals)
    if outcome.notes and outcome.verdict == "refused, though it can be read":
        outcome.verdict = "refused"
    return outcome


def _variable(rng, table):
    return table[rng.choice([str(name) for name in table.data_vars])]


def _other_value(rng, table):
    variable = _variable(rng, table)
    values = variable.values.copy()
    if values.size:
        odd = {"f": [7.0, -1.0, 0.0, np.nan, np.inf, 0.5, 1e300], "i": [-1, 0, 3, 2**62]}
        place = rng.randrange(values.size)
        other = odd.get(values.dtype.kind, [values.flat[rng.randrange(values.size)]])
        values.flat[place] = rng.choice(other)
    return table.assign({variable.name: (variable.dims, values)})


def _other_type(rng, table):
    variable = _variable(rng, table)
    kind = rng.choice([str, float, np.int64, np.int8])
    try:
        values = variable.values.astype(kind)
    except ValueError:
        return table
    return table.assign({variable.name: (variable.dims, values)})


def _other_attribute(rng, table):
    attrs = dict(table.attrs)
    name = rng.choice(list(attrs))
    if rng.random() < 0.3:
        del attrs[name]
    else:
        attrs[name] = rng.choice(["", "x", "a\nb", 0, 1, -1, 7.5, np.nan, [1.0, 2.0], 2**53])
    return table.drop_attrs(deep=False).assign_attrs(attrs)


def _no_variable(rng, table):
    return table.drop_vars(rng.choice(list(map(str, table.variables))))


def _other_dims(rng, table):
    variable = _variable(rng, table)
    if not variable.dims:
        return table
    dim = rng.choice(variable.dims)
    smaller = variable.isel({dim: 0}, drop=True)
    return table.assign({variable.name: (smaller.dims, smaller.values)})


def _other_label(rng, table):
    name = rng.choice(list(map(str, table.coords)))
    values = table[name].values.astype(object)
    if values.size:
        values.flat[rng.randrange(values.size)] = rng.choice(["", "x", "A", "\x1b", "a\nb"])
    return table.assign_coords({name: (table[name].dims, values.astype(str))})


# baselines


@functools.cache
def _sides():
    """Of tables and of logs the text of a baseline, a candidate, and the answer."""
    sides = {}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for kind, writer, suffix in (("table", _table, "csv"), ("logs", _log, "json")):
            files = {name: folder / f"{kind}-{name}.{suffix}" for name in _SCORES}
            for name, path in files.items():
                path.write_text(writer(_SCORES[name]))
            base = folder / f"{kind}.csv"
            _accept(files["old"], base)
            answer = bt.gate(base, files["new"], margin=MARGIN).to_json()
            sides[kind] = base.read_text(), files["new"].read_text(), suffix, answer
    return sides


def _accept(results, base):
    from betterthan.gating import baseline_files
    from betterthan.gating.inputs import accept_candidate

    baseline_files.write(base, accept_candidate(results, {}))


def _table(scores):
    return "item,score\n" + "".join(f"q{k},{score}\n" for k, score in enumerate(scores))


def _log(scores):
    log = json.loads(json.dumps(SEEDS["inspect_json"].files["a.json"]))
    log["eval"]["dataset"]["sample_ids"] = [f"q{k}" for k in range(len(scores))]
    log["samples"] = [
        {
            "id": f"q{k}",
            "epoch": 1,
            "input": f"What is {k}?",
            "target": "0",
            "scores": {"match": {"value": "C" if score else "I"}},
        }
        for k, score in enumerate(scores)
    ]
    return json.dumps(log)


def baseline(number, folder):
    """A baseline that was edited or damaged: the same answer, refused, or not comparable."""
    rng = random.Random(number)
    kind = rng.choice(["table", "logs"])
    text, candidate, suffix, answer = _sides()[kind]
    outcome = Outcome(number, f"baseline {kind}", [], "", "", b"")
    data = text.encode()
    for _ in range(0 if rng.random() < 0.03 else rng.choice([1, 1, 2, 3])):
        ways = [*BYTES, *log_mutations.TEXTS, _other_header, _other_cell]
        way = rng.choice([w for w in ways if data or w not in BYTES])
        if way in BYTES:
            data = way(rng, data)
        else:
            changed = way(rng, data.decode("utf-8", "surrogateescape"))
            data = changed.encode("utf-8", "surrogateescape" if _escaped(changed) else "replace")
        outcome.notes.append(way.__name__)
    outcome.data, path, other = data, folder / f"{kind}.csv", folder / f"{kind}-new.{suffix}"
    path.write_bytes(data)
    other.write_text(candidate)

    def read():
        decision = bt.gate(path, other, margin=MARGIN)
        if decision.verdict == "not comparable":
            raise ValueError(str(decision).partition("\n")[0])
        return decision.to_json(), None

    attempted(outcome, read, lambda _: answer, [path.name])
    if outcome.notes and outcome.verdict == "refused, though it can be read":
        outcome.verdict = "refused"
    return outcome


def _escaped(text):
    return not any("\ud800" <= c <= "\udc7f" or "\udd00" <= c <= "\udfff" for c in text)


def _other_header(rng, text):
    """A key with another value, without it, or a key more."""
    lines = text.split("\n")
    keys = [k for k, line in enumerate(lines) if line.startswith("# ") and ": " in line]
    if not keys:
        return text
    k = rng.choice(keys)
    key = lines[k].partition(": ")[0]
    way = rng.random()
    if way < 0.6:
        lines[k] = f"{key}: {rng.choice(log_mutations.LITERALS)}"
    elif way < 0.8:
        del lines[k]
    else:
        lines.insert(k, f"# more: {rng.choice(log_mutations.LITERALS)}")
    return "\n".join(lines)


def _other_cell(rng, text):
    lines = text.split("\n")
    rows = [k for k, line in enumerate(lines) if line and not line.startswith("#")]
    if not rows:
        return text
    k = rng.choice(rows)
    try:
        cells = next(csv.reader([lines[k]]))
    except csv.Error:
        return text
    cells[rng.randrange(len(cells))] = rng.choice(log_mutations.LITERALS).strip('"')
    lines[k] = ",".join(cells)
    return "\n".join(lines)
