"""A comparison as a netCDF file: written with a digest and its draws, opened where it is unchanged.

libhdf5 can crash on a damaged file or never return. So `read` compares a file with its digest
before libhdf5 sees a byte. A file without digest, which another tool wrote, is read by a child
process with limits of time and memory. It returns arrays and JSON: nothing in them is executed.

The digest stands behind the end of the HDF5 file, where no reader looks. A tool that changes the
file in place cuts it off.

What was opened is validated: its dims, types, ranges and attributes.
"""

import hashlib
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.io.problems import printable
from betterthan.progress import working
from betterthan.signed import Signature

_RIGHT = "give a file that save wrote"
# limits of the child; a large file has a second more for each 10 MB
_SECONDS, _SECONDS_PER_BYTE = 60.0, 1e-7
_MEMORY = 4 * 2**30


def read_in_child(path: Path) -> xr.DataTree:
    """The tree that a netCDF file holds.

    Raises
    ------
    ValueError
        If the file cannot be read within the limits.
    """
    seconds = _SECONDS + _SECONDS_PER_BYTE * path.stat().st_size
    environment = {
        "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)),
        "OPENBLAS_NUM_THREADS": "1",  # each thread takes address space
    }
    try:
        with working(f"reading {path.name}, which has no digest"), path.open("rb") as file:
            done = subprocess.run(
                [sys.executable, "-P", "-W", "ignore", "-c", _READ],
                stdin=file,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=os.environ | environment,
                timeout=seconds,
                check=True,
            )
    except subprocess.TimeoutExpired:
        raise ValueError(
            f"{path}: could not be read within {seconds:.0f} seconds, it may be damaged; {_RIGHT}"
        ) from None
    except subprocess.CalledProcessError:
        raise ValueError(f"{path}: is damaged, or no netCDF file; {_RIGHT}") from None
    except OSError as error:
        raise ValueError(
            f"{path}: has no digest, and the process that should read it cannot start "
            f"({error.strerror}); {_RIGHT}"
        ) from None
    return _unpacked(done.stdout)


def _unpacked(content: bytes) -> xr.DataTree:
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        arrays = iter([held[f"arr_{k}"] for k in range(len(held.files) - 1)])
        groups = json.loads(str(held["groups"]))
    tables = {}
    for path, group in groups.items():
        variables = {k: (dims, next(arrays), attrs) for k, dims, attrs in group["variables"]}
        tables[path] = xr.Dataset(variables, attrs=group["attrs"]).set_coords(group["coords"])
    return xr.DataTree.from_dict(tables)


def main() -> None:
    """Read the netCDF file on standard input, and write what it holds to standard output."""
    with suppress(ImportError, ValueError, OSError):  # not every platform has such a limit
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, most))
    tree = xr.load_datatree(io.BytesIO(sys.stdin.buffer.read()), engine="h5netcdf")
    np.savez(sys.stdout.buffer, **_packed(tree))


def _packed(tree: xr.DataTree) -> dict[str, Any]:
    """All arrays in their order, and what they are of."""
    arrays: list[np.ndarray] = []
    groups = {}
    for node in tree.subtree:
        table = node.to_dataset(inherit=False)
        held = [variable.values for variable in table.variables.values()]
        # text as other tools write it, without objects
        arrays += [values.astype(str) if values.dtype.kind in "OT" else values for values in held]
        groups[node.path] = {
            "variables": [[k, v.dims, v.attrs] for k, v in table.variables.items()],
            "coords": list(table.coords),
            "attrs": table.attrs,
        }
    described = json.dumps(groups, default=lambda value: value.tolist())
    return {f"arr_{k}": array for k, array in enumerate(arrays)} | {"groups": np.array(described)}


# xarray would load dask, to ask what nothing in a file is
_READ = f"import sys; sys.modules['dask'] = None; from {__name__} import main; main()"


_START, _TAIL = b"\nbetterthan: SHA-256 of all bytes before this line is ", b", end of file\n"
_HDF5 = b"\x89HDF\r\n\x1a\n"


def as_bytes(tree: xr.DataTree) -> bytes:
    """The tree as a netCDF file with its digest."""
    written: Any = tree.to_netcdf(engine="h5netcdf")
    content = bytes(written)
    return content + _digest(content)


def read(path: Path) -> xr.DataTree:
    """The tree that a netCDF file holds, in memory.

    Raises
    ------
    ValueError
        If the file is no netCDF file, was changed after it was saved, or is damaged.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ValueError(
            f"{path}: cannot be read ({error.strerror}); give a file you may read"
        ) from None
    body, start, _ = content.rpartition(_START)
    has_digest = bool(start) or content.endswith(_TAIL)
    if has_digest and content[len(body) :] != _digest(body):
        raise ValueError(
            f"{path}: was changed or damaged after it was saved; copy it again, or save it again"
        )
    if not content.startswith(_HDF5):
        problem = "is no netCDF file" if content else "is empty"
        raise ValueError(f"{path}: {problem}; give a file that save wrote")
    if has_digest:
        return xr.load_datatree(io.BytesIO(body), engine="h5netcdf")
    return read_in_child(path)


def _digest(content: bytes) -> bytes:
    return _START + hashlib.sha256(content).hexdigest().encode() + _TAIL


BYTES_MAX = 200_000_000  # of all groups of a fit
_FEWEST = 100  # draws of a chain below which thinned draws say too little
GROUP = "fits"  # of a file, for the draws
_NONE = "No draws are kept with the answer"
_NEEDED = ("posterior", "sample_stats", "constant_data", "observed_data")


def kept(tree: xr.DataTree) -> tuple[xr.DataTree | None, str]:
    """The fit as it is kept, and in words what was left out.

    Above `BYTES_MAX` every k-th draw is kept; where fewer than 100 draws of a chain would be left,
    none is.
    """
    held = {name: tree[name].to_dataset() for name in _NEEDED if name in tree.children}
    size, draws = sum(data.nbytes for data in held.values()), held["posterior"].sizes["draw"]
    if size <= BYTES_MAX:
        return tree, ""
    step = int(np.ceil(size / BYTES_MAX))
    takes = f"the fit takes {size / 1e6:,.0f} MB, above {BYTES_MAX / 1e6:,.0f} MB"
    if draws // step < _FEWEST:
        return None, f"{_NONE}: {takes}. The answer is of all draws."
    thin = {
        name: data.isel(draw=slice(None, None, step)) if "draw" in data.dims else data
        for name, data in held.items()
    }
    thin["posterior"] = thin["posterior"].assign_attrs(thinned=step)
    every = {2: "second", 3: "third"}.get(step, f"{step}th")
    note = f"Every {every} draw is kept with the answer: {takes}. The answer is of all draws."
    return xr.DataTree.from_dict(thin), note


def why_none(provenance: Signature) -> str:
    """The error where an answer was sampled and has no draws."""
    if left_out := [note for note in provenance.notes or () if note.startswith(_NONE)]:
        return left_out[0]
    text = "the draws were not saved with this answer; save it with save(path, fits=True)"
    exact = ", or make exact draws with betterthan.posterior.draws"
    return text + exact * (provenance.method == "both")


def as_groups(fits: Mapping[str, xr.DataTree]) -> dict[str, xr.Dataset]:
    """As groups of a file: dims of draws must not meet those of the answer, so each is renamed."""
    groups = {}
    for name, tree in fits.items():
        for part in tree.children:
            data = tree[part].to_dataset()
            renamed = {k: f"{GROUP}_{k}" for k in {*data.dims, *data.coords}}
            groups[f"/{GROUP}/{name}/{part}"] = data.rename(renamed)
    return groups


def from_groups(tree: xr.DataTree) -> dict[str, xr.DataTree]:
    """The fits in a file that `as_groups` wrote."""
    fits = {}
    for name, fit in tree[GROUP].children.items() if GROUP in tree.children else ():
        parts = {}
        for part, node in fit.children.items():
            data = node.to_dataset(inherit=False)
            renamed = {*data.dims, *data.coords}
            parts[part] = data.rename({k: str(k).removeprefix(f"{GROUP}_") for k in renamed})
        fits[str(name)] = xr.DataTree.from_dict(parts)
    return fits


_PAIRS = "pairs"  # stands for the dims of the pairs: (system_a, system_b) or (pair,)
_BESIDE = {names.TEST, names.TIES_POLICY, names.DATASET}  # dims that may stand before these


@dataclass(frozen=True)
class _Values:
    """Values of a kind: their dtypes, which of them are impossible, and what is right."""

    dtypes: str
    impossible: Callable[[Any], Any]
    right: str


_ROUNDING, _REVERSED = 1e-9, 1e-6  # of a number; of P(A > B) and P(B > A), whose sum is 1
_PROBABILITY = _Values(
    "fiu", lambda x: (x < -_ROUNDING) | (x > 1 + _ROUNDING), "a probability within 0 and 1"
)
_COUNT = _Values("iu", lambda x: x < 0, "a whole number of at least 0")
_ERROR = _Values("fiu", lambda x: (x < 0) | np.isinf(x), "an error of at least 0")
_FACTOR = _Values("fiu", lambda x: x < 0, "a ratio of at least 0")
_RANK = _Values("fiu", lambda x: (x < 1) | np.isinf(x), "a rank of at least 1")
_SIGN = _Values("iu", lambda x: (x < -1) | (x > 1), "-1, 0 or 1")
_NUMBER = _Values("fiu", np.isinf, "a finite number")
_TRUTH = _Values("b", np.zeros_like, "true or false")
_VERDICT = _Values(
    "UTO", lambda x: ~np.isin(x.astype(str), names.VERDICTS), f"one of {', '.join(names.VERDICTS)}"
)

# the first row whose pattern is all of a name holds for it: its dims, and its values
_RULES: tuple[tuple[str, tuple[str, ...], _Values], ...] = (
    (r".*mass_mcse", (_PAIRS, names.REGION), _ERROR),
    (r"(.*_)?mass", (_PAIRS, names.REGION), _PROBABILITY),
    (r"prob_rank_mcse", (names.SYSTEM, "rank"), _ERROR),
    (r"prob_rank", (names.SYSTEM, "rank"), _PROBABILITY),
    (r"(prob_best|expected_rank|ability|score_mean|p_chance)_mcse", (names.SYSTEM,), _ERROR),
    (r"prob_best|p_chance", (names.SYSTEM,), _PROBABILITY),
    (r"expected_rank|rank_(lower|upper)", (names.SYSTEM,), _RANK),
    (r"in_best_set|tied_with_top", (names.SYSTEM,), _TRUTH),
    (r"n_(right|scored|clusters|documents)|exact_matches", (names.SYSTEM,), _COUNT),
    (r"score(_mean|_lower|_upper)?|ability", (names.SYSTEM,), _NUMBER),
    (r".*prob_better_mcse|p_value_mcse", (_PAIRS,), _ERROR),
    (r"(missing|extreme)_probability", (_PAIRS, "case"), _PROBABILITY),
    (r"extreme_verdict", (_PAIRS, "case"), _VERDICT),
    (r"extreme_score", (names.SYSTEM, "case"), _NUMBER),
    (r"extreme_difference_(mean|lower|upper)", (_PAIRS, "case"), _NUMBER),
    (r"score_shared", (_PAIRS,), _NUMBER),
    (r"(.*_)?difference_(mean|lower|upper)_mcse", (_PAIRS,), _ERROR),
    (r"(.*_)?prob_better(_by_ties)?|prob_(more_wins|ahead)", (_PAIRS,), _PROBABILITY),
    (r"p_(value(_by_ties)?|adjusted|sign)|smallest_p", (_PAIRS,), _PROBABILITY),
    (r"sign_error|r2|unlabelled", (_PAIRS,), _PROBABILITY),
    (r"(.*_)?difference_(mean|lower|upper)", (_PAIRS,), _NUMBER),
    (r"(.*_)?verdict(_by_ties)?", (_PAIRS,), _VERDICT),
    (r"(pairwise_)?(also_ahead|too_close|beyond_rope)|ties_flip|p_flips", (_PAIRS,), _TRUTH),
    (r"favours(_by_ties)?", (_PAIRS,), _SIGN),
    (r"bayes_factor_01", (_PAIRS,), _FACTOR),
    (r"(cluster_)?counts(_worst)?", (_PAIRS, names.OUTCOME), _COUNT),
    (r"n(_units|_dropped|_gold|_missing|_used)?", (_PAIRS,), _COUNT),
    (r"wins|ahead|behind|equal", (_PAIRS,), _COUNT),
)
_PATTERNS = [(re.compile(pattern), dims, values) for pattern, dims, values in _RULES]

_LABELS = {  # of dims, which are read by their names
    names.REGION: (names.REGIONS,),
    names.OUTCOME: (names.OUTCOMES, names.DECISIVE),
}
_CHOICES = {names.TEST: names.TESTS, names.TIES_POLICY: names.TIES}
_REQUIRED = ("answer", "version", "rope", "ci_prob", "ci_kind", "threshold")
_OF_COMPARISONS = (
    *("counts", "n", "bayes_factor_01", "sign_error"),
    *("p_value", "p_adjusted", "favours", "smallest_p"),
)
_OF_AVERAGES = ("dataset_weight", "dataset_items", "counts_dataset", "prob_better_dataset")
_OF_TESTS = ("tests", "alpha", "correction")
_WHAT_TO_GIVE = "a file that save wrote"
_SHOWN = 8  # labels in a message


def validate(table: xr.Dataset, source: str) -> None:
    """Refuse a table of answers that no function of this package makes.

    Parameters
    ----------
    table : xarray.Dataset
    source : str
        The file that it is of, for the message.

    Raises
    ------
    ValueError
        If a variable is missing, is over other dims, or holds an impossible value.
    """
    dims = _dims_of_pairs(table, source)
    _check_labels(table, dims, source)
    for name, variable in table.data_vars.items():
        for pattern, wanted, values in _PATTERNS:
            if pattern.fullmatch(str(name)):
                over = [d for w in wanted for d in (dims if w == _PAIRS else (w,))]
                before = {*_BESIDE, *table["prob_better"].dims} - set(over)
                if [d for d in variable.dims if d not in before] != list(over):
                    what = f"{variable.name} is over {_listed(variable.dims)}"
                    raise _refused(source, what, f"it over {_listed(over)}")
                _check_values(variable, values, source)
                break
    for name in map(str, table.data_vars):
        stem, _, end = name.rpartition("_")
        if end in ("lower", "upper") or name.endswith("difference_mean"):
            lower, upper = (f"{stem}_{bound}".lstrip("_") for bound in ("lower", "upper"))
            _check_bounds(table, lower, upper, source)
        if name.endswith("prob_better"):
            verdict = f"{name.removesuffix('prob_better')}verdict"
            _require(table, [verdict], source)
            if dims == names.SQUARE:
                both = table[name].values + table[name].values.swapaxes(-1, -2)
                right = "1 less the probability of the pair reversed"
                _refuse_any(table[name], abs(both - 1) > _REVERSED, right, source)
            if table[verdict].dims == table[name].dims:
                named = table[verdict].values == "a_better"
                right = "a verdict for the system that prob_better favors"
                _refuse_any(table[verdict], named & (table[name].values < 0.5), right, source)


def validate_attributes(table: xr.Dataset, source: str) -> None:
    """Refuse a table whose attributes do not say how it was made.

    Raises
    ------
    ValueError
        If an attribute is missing, of another type, or out of range.
    """
    tested = "p_adjusted" in table
    for name in (*_REQUIRED, *(_OF_TESTS if tested else ())):
        if name not in table.attrs:
            what = f"has no attribute {name}, which says how the answer was made"
            raise _refused(source, what, _WHAT_TO_GIVE)
    if table.attrs["answer"] == "comparison":
        _require(table, _OF_COMPARISONS, source)
    if "over" in table.attrs:
        _require(table, _OF_AVERAGES, source)
    for field in fields(Signature):
        if field.name in table.attrs:
            value, (fits, right) = table.attrs[field.name], _TYPES[field.type]
            if not fits(value):
                what = f"attribute {field.name} is {checks.quoted(value)}"
                raise _refused(source, what, right)
    try:
        checks.margin(table.attrs["rope"], "rope")
        checks.probability(table.attrs["ci_prob"], "ci_prob")
        checks.one_of(table.attrs["ci_kind"], names.CI_KINDS, "ci_kind")
        checks.threshold(table.attrs["threshold"])
        if tested:
            checks.probability(table.attrs["alpha"], "alpha")
        if "baseline" in table.attrs:
            checks.one_of(table.attrs["baseline"], _systems(table), "baseline")
    except ValueError as error:
        raise ValueError(f"{source}: attribute {error}") from None


def _require(table: xr.Dataset, needed: Sequence[str], source: str) -> None:
    """Refuse a table without a variable that is needed."""
    for name in needed:
        if name not in table.data_vars:
            reason = f"holds no comparison, for it has no variable {name}"
            raise _refused(source, reason, _WHAT_TO_GIVE)


# of the fields of a signature, as attributes have them: lines are joined, truths are 0 and 1
_TYPES: dict[Any, tuple[Callable[[Any], bool], str]] = {
    str | None: (lambda x: isinstance(x, str), "text"),
    tuple[str, ...] | None: (lambda x: isinstance(x, str), "text"),
    int | None: (lambda x: isinstance(x, int | np.integer), "a whole number"),
    bool | None: (lambda x: isinstance(x, int | np.integer), "0 or 1"),
    float | None: (lambda x: isinstance(x, int | float | np.integer | np.floating), "a number"),
    tuple[float, ...] | None: (lambda x: np.asarray(x).dtype.kind in "fiu", "numbers"),
}


def _dims_of_pairs(table: xr.Dataset, source: str) -> tuple[str, ...]:
    """The dims of the pairs, from those of the probabilities; one other may stand before them."""
    _require(table, ["prob_better"], source)
    values_or_dims = table["prob_better"].dims
    for dims in (names.SQUARE, (names.PAIR,)):
        if values_or_dims[-len(dims) :] == dims and len(values_or_dims) <= len(dims) + 1:
            return dims
    reason = f"prob_better is over {_listed(values_or_dims)}"
    raise _refused(source, reason, f"it over {_listed(names.SQUARE)}")


def _check_labels(table: xr.Dataset, dims: Sequence[str], source: str) -> None:
    """Refuse names of systems that do not fit each other, and other labels than there are."""
    for name in names.SQUARE:
        if name not in table.coords or table[name].dims != (dims if len(dims) == 1 else (name,)):
            raise _refused(source, f"has no coordinate {name}", "it, with the names of the systems")
    a, b = (table[name].values.astype(str).tolist() for name in names.SQUARE)
    try:
        if dims == names.SQUARE:
            checks.unique(a, "system")
            checks.at_least_two(a)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None
    if dims == names.SQUARE and a != b:
        raise _refused(source, f"system_b is {_listed(b)}", f"those of system_a, {_listed(a)}")
    if names.SYSTEM in table.dims and set(_systems(table)) != {*a, *b}:
        what = f"system is {_listed(_systems(table))}"
        raise _refused(source, what, f"those of system_a, {_listed(dict.fromkeys(a + b))}")
    n, ranks = len({*a, *b}), table.sizes.get("rank")
    if ranks is not None and ranks != n:
        reason = f"ranks go to {ranks} among {n} systems: a part of a comparison"
        raise _refused(source, reason, "all of it, or compare these systems alone, with systems=")
    for dim, right in _LABELS.items():
        if dim in table.dims and tuple(map(str, table[dim].values)) not in right:
            raise _refused(source, f"{dim} is {_listed(table[dim].values)}", _listed(right[0]))
    for dim, choices in _CHOICES.items():
        held = [*map(str, table[dim].values)] if dim in table.dims else []
        if len({*held} & {*choices}) < len(held):
            right = f"some of {_listed(choices)}, each once"
            raise _refused(source, f"{dim} is {_listed(held)}", right)


def _systems(table: xr.Dataset) -> list[str]:
    held = table[names.SYSTEM if names.SYSTEM in table.dims else names.SYSTEM_A]
    return held.values.astype(str).tolist()


def _check_values(variable: xr.DataArray, values: _Values, source: str) -> None:
    """Refuse values of another kind, or impossible ones."""
    values_or_dims = variable.values
    if values_or_dims.dtype.kind not in values.dtypes:
        raise _refused(source, f"{variable.name} has dtype {values_or_dims.dtype}", values.right)
    _refuse_any(variable, values.impossible(values_or_dims), values.right, source)


def _check_bounds(table: xr.Dataset, lower: str, upper: str, source: str) -> None:
    """Refuse an interval without one of its bounds, or whose lower bound is the larger one."""
    _require(table, (lower, upper), source)
    low, high = table[lower], table[upper]
    if low.dims != high.dims:
        what = f"{lower} is over {_listed(low.dims)}"
        raise _refused(source, what, f"it over {_listed(high.dims)}, as {upper}")
    for bound in (low, high):
        _check_values(bound, _NUMBER, source)
    above = low.values - high.values > _ROUNDING * np.maximum(1, abs(high.values))
    _refuse_any(low, above, f"a number of at most {upper}", source)


def _refuse_any(variable: xr.DataArray, impossible: np.ndarray, right: str, source: str) -> None:
    """Refuse the first impossible value, with its labels."""
    if not impossible.any():
        return
    place = tuple(np.argwhere(impossible)[0].tolist())
    value = checks.quoted(np.asarray(variable.values[place]).item())
    labels = [
        f"{dim} {str(variable[dim].values[k]) if dim in variable.coords else k!r}"
        for dim, k in zip(variable.dims, place, strict=True)
    ]
    at = f" at {', '.join(labels)}" if labels else ""
    raise _refused(source, f"{variable.name}{at} is {value}", right)


def _listed(labels: Iterable[Any]) -> str:
    """The first of some labels."""
    first = [str(label) for label in labels]
    return f"({', '.join(first[:_SHOWN] + ['...'] * (len(first) > _SHOWN))})"


def _refused(source: str, what: str, right: str) -> ValueError:
    return ValueError(printable(" ".join(f"{source}: {what}; give {right}".split())))
