"""Systems of a table: which columns they are, which names look alike, which are selected."""

import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from betterthan import checks, names
from betterthan.io.layouts import RUNS
from betterthan.io.measure_names import less_is_better
from betterthan.io.plain_scores import PlainScores
from betterthan.io.problems import in_python, listed, problem, quoted, warn
from betterthan.io.table import Table
from betterthan.io.texts import Texts, hashes, joined, repeated, text_array, text_blocks
from betterthan.text import LOOK_ALIKE, looks_like, spelling

_LONGEST = 1000  # characters of what may still be a name; longer is text
PLAIN_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def _lower(together: str) -> bool:
    """Whether names are as they are spelt, all at once."""
    return _plain(together) and together == together.casefold()


def alike(values: Iterable[str]) -> list[list[str]]:
    """Groups of two and more distinct names of one spelling, as they first occur."""
    groups: dict[str, list[str]] = {}
    values = values if isinstance(values, Texts) else list(values)
    if all(map(_lower, joined(values))):  # as a rule
        return []
    values = values if isinstance(values, Texts) else list(dict.fromkeys(values))
    spelt = hashes(map(_spellings, text_blocks(values)))
    several = repeated(spelt)
    if not len(several):
        return []
    if isinstance(values, Texts):
        values = dict.fromkeys(values.take(np.flatnonzero(np.isin(spelt, several))))
    for value in values:
        if not value[_LONGEST:]:
            groups.setdefault(spelling(value), []).append(value)
    return [group for group in groups.values() if len(group) > 1]


def _plain(together: str) -> bool:
    """Whether names hold neither blanks nor more than ASCII."""
    return together.isascii() and together.split(maxsplit=1) == [together]


def _spellings(values: Sequence[str]) -> list[str]:
    """The spelling of each; of plain names all at once."""
    if _plain("".join(values)):
        return "\n".join(values).casefold().split("\n")
    return list(map(spelling, values))


def tell_alike(source: str, values: Iterable[str], kind: str) -> None:
    """Warn of names that look the same and are taken as different ones."""
    refuse_alike(source, alike(values), kind)


def refuse_alike(
    source: str,
    groups: list[list[str]],
    kind: str,
    never_meet: Callable[[str, str], bool] | None = None,
    why: str = "",
) -> None:
    """Refuse two names of one spelling if `never_meet` holds, for the reason `why`; warn of the
    others.
    """
    for first, *others in groups:
        for other in others:
            if never_meet is not None and never_meet(first, other):
                pair = f"{quoted(first)} and {quoted(other)}"
                raise problem(
                    source, f"{kind} {pair} {LOOK_ALIKE}, and {why}; give them one spelling"
                )
    if groups:
        named = " and ".join(quoted(name) for name in groups[0])
        more = f" (and {len(groups) - 1} more such names)" if len(groups) > 1 else ""
        warn(source, f"{kind} {named}{more} {LOOK_ALIKE}, and are taken as different ones")


def refuse_alike_by_scores(
    source: str,
    systems: Sequence[str],
    items: Sequence[str],
    where_observed: Callable[[], np.ndarray],
) -> None:
    """The same of systems that share no item, and of items that share no system.

    Parameters
    ----------
    source : str
        Of the table, for the message.
    systems, items : sequence of str
        Their names; an item may stand there more than once, in several data sets or runs.
    where_observed : callable
        Return an array (item, system) of bool: where there is a score. Called only if names are
        alike.
    """
    observed = cache(where_observed)
    place = {system: k for k, system in enumerate(systems)}

    def never_share(a: str, b: str) -> bool:
        return not (observed()[:, place[a]] & observed()[:, place[b]]).any()

    why = "never have a score on the same item"
    refuse_alike(source, alike(systems), "systems", never_share, why)
    if not (groups := alike(items)):
        return
    rows: dict[str, list[int]] = {item: [] for group in groups for item in group}
    for k, item in enumerate(items):
        if item in rows:
            rows[item].append(k)

    def never_meet(a: str, b: str) -> bool:
        return not (observed()[rows[a]].any(0) & observed()[rows[b]].any(0)).any()

    refuse_alike(source, groups, "items", never_meet, "no system has a score on both")


def refuse_alike_by_pairs(
    source: str, systems: Sequence[str], a: np.ndarray, b: np.ndarray
) -> None:
    """The same of systems, numbers `a` and `b` in each row, that never meet each other."""
    met = cache(lambda: {*zip(a.tolist(), b.tolist(), strict=True)})
    place = {system: k for k, system in enumerate(systems)}

    def never_meet(first: str, other: str) -> bool:
        pair = place[first], place[other]
        return pair not in met() and pair[::-1] not in met()

    refuse_alike(source, alike(systems), "systems", never_meet, "never meet each other")


def named_systems(systems: Any) -> list[str] | None:
    """The names, when `systems` is a list of them; None where all are read, or renamed."""
    if systems is None or isinstance(systems, Mapping):
        return None
    if isinstance(systems, str) or not isinstance(systems, Sequence):
        reason = "give a list of names, or a mapping to new names"
        raise ValueError(f"systems is {checks.quoted(systems)}; {reason}")
    named = [str(system) for system in systems]
    checks.unique(named, "system")
    checks.at_least_two(named)
    return named


def chosen(table: Table, columns: list[str], systems: Sequence[str] | None) -> list[str]:
    """Return the requested columns, in that order; all without a request."""
    if systems is None:
        return columns
    if absent := [system for system in systems if system not in columns]:
        reason = f"has no column {quoted(absent[0])} of a system among {listed(columns)}"
        reason += looks_like(absent[0], columns)
        raise problem(table.source, reason)
    return list(systems)


def how_to_choose(columns: Sequence[str], odd: Sequence[str], *, one: bool = False) -> str:
    """Both ways to read a table of which `odd` columns may be no systems; if it is of `one` system,
    they are to be left out.
    """
    left = [column for column in columns if column not in odd]
    named = left if len(left) > 1 else columns
    it = "it" if len(odd) == 1 else "them"
    other = "" if one else f", or systems={in_python(named)}"
    return f"pass ignore={in_python(odd)} to leave {it} out{other}"


def select_systems(source: str, data: Any, systems: Sequence[str] | None) -> Any:
    """Select the requested systems of scores, tallies or counts, in that order."""
    if systems is None:
        return data
    dims, present = _axes_of_systems(data)
    if absent := [system for system in systems if system not in present]:
        raise problem(source, f"has no system {absent[0]!r} among {listed(present)}")
    if isinstance(data, PlainScores):
        return data.of_systems(systems)
    return data.sel({dim: list(systems) for dim in dims})


def _axes_of_systems(data: Any) -> tuple[list[str], list[str]]:
    """The dims along which systems are, and the systems."""
    dims = [dim for dim in (names.SYSTEM, *names.SQUARE) if dim in data.dims]
    return dims, data[dims[0]].values.tolist()


def renamed(data: Any, systems: Any) -> Any:
    """Rename the systems that a mapping names."""
    if not isinstance(systems, Mapping):
        return data
    new = {str(old): str(name) for old, name in systems.items()}
    dims, present = _axes_of_systems(data)
    if absent := [system for system in new if system not in present]:
        raise ValueError(f"there is no system {absent[0]!r} among {listed(present)}")
    new_names = [new.get(system, system) for system in present]
    checks.unique(new_names, "system")
    return data.assign_coords({dim: text_array(new_names) for dim in dims})


_SUMMARY = re.compile(
    r"\s*(grand )?(total|sum|mean|average|avg\.?|overall|median|std\.?|macro|micro|variance|stdev"
    r"|st(an)?d(ard)?[ ._]*(dev(iation)?|err(or)?)\.?|stabw|stdabw)"
    r"([ _](score|total|average|avg))?\s*",
    re.IGNORECASE,
)
_BOUND = re.compile(  # of the scores of the systems
    r"\s*(max|maximum|best|oracle|union|any|min|minimum|worst|all|intersection)"
    r"([ _]\w+)?\s*",
    re.IGNORECASE,
)
_WORDS = ["total", "sum", "mean", "average", "avg", "overall", "median", "macro", "micro"]
_WORDS += ["std", "stand", "stab", "varia"]
_MEASURE = re.compile(
    r"\s*(.*[ _])?(latency|runtime|duration|elapsed|length|n_?tokens|tokens|cost|price|words"
    r"|confidence)"
    r"([ _]\(?(ms|s|sec|seconds|usd|tokens|words|chars)\)?)?\s*",
    re.IGNORECASE,
)
_NEXT_TO_SCORES = re.compile(  # of a system that has a column of its own, too
    r"(?P<system>.+?)[ _.-]+(score|prob(ability)?|log_?prob|logit|conf|entropy|margin|correct)s?",
    re.IGNORECASE,
)
_NEXT_TO_IT = re.compile(  # the same, unless it has 0 and 1
    r"(?P<kind>std|stdev|sd|se|sem|std_?err|var|variance|rank|lower|upper|[lu]cb|ci)[ _.]+"
    r"(?P<of>.+)"
    r"|(?P<system>.+?)[ _.(\[]+(lo|hi|lower|upper|[lu]cb|ci|ci[ _]?(95|low|high|lower|upper)|std"
    r"|stdev|sd|se|sem|std_?err|var|variance|rank|step|turn|time|sec|second|usd|ms|count)s?[)\]]?",
    re.IGNORECASE,
)
_SPREAD = re.compile(r"\s*(sd|se|sem|var|range|spread|σ)\s*", re.IGNORECASE)
_RUNS_MEAN = re.compile(r"(.+?)[ _.(\[-]+(mean|avg|average|median)[)\]]?", re.IGNORECASE)
_DIFFERENCE = re.compile(
    r"\s*((.+[ _])?(diff|difference|delta|improvement)s?|gain|change)([ _]\(?(%|abs|rel)\)?)?\s*"
    r"|Δ.*|.*±.*",
    re.IGNORECASE,
)
_GREEK = {"alpha", "beta", "gamma"}  # then delta is a name
# what describes an item; not what a system may be called, such as "reference", and not labels of
# gold, of which the layout tells
_DESCRIPTION = re.compile(
    r"\s*((is|has|needs|requires)[ _].+|(.+[ _])?(difficulty|hardness)|.+[ _]labels?"
    r"|(gold|true|correct|expected)[ _](answers?|class|score|response|output)|ground[ _]?truth"
    r"|(n|num|number)[ _].+|weights?|targets?|class|outcome|observed|actuals|solutions?"
    r"|ties?|draws?|neither|hard|easy|topic|category|domain|fold|split|answerable|year|subject"
    r"|section|chapter|genre|((display|presentation)[ _])?(order|position)|turn|page|row|seed"
    r"|agree(ment)?s?|same|match(es)?|winner|preferred|rank|annotators?|raters?|workers?)\s*",
    re.IGNORECASE,
)
_LIMIT = re.compile(  # what the scores of an item are out of
    r"\s*(n|k|((max|maximum|total)[ _])?(points|score|possible)|max|maximum|trials|attempts|tries"
    r"|runs|out[ _]of|counts?|size)\s*",
    re.IGNORECASE,
)
_RUN_NUMBER = r"(?:run|seed|trial|attempt|repeat|repetition|rollout)[\W_]*(\d+)"
_RUN = re.compile(
    rf"(.*?)[\W_]*{_RUN_NUMBER}[\W_]*|[\W_]*{_RUN_NUMBER}[\W_]+(.+?)[\W_]*", re.IGNORECASE
)
_LARGE = 20  # no share, and no rating beside numbers a twentieth of it
_ROUNDED = 0.005  # of the largest score: what a mean may be off by rounding
_MOST_ROWS = 100_000  # of a table that a spreadsheet may have computed
_CELLS = 2**16  # that are looked at together
_ROWS = 8  # of fewer rows any numbers may be scores
_GROUPS = 3  # numbers of groups of items; of two any order may be
_ENOUGH = 5  # rows on which systems differ, and another column is their mean
_MOST = 0.9  # of the items on which a spread is small next to the score
_ROUNDED = 0.01  # by which a spread may be off where it and its share are to two decimals
_MANY = 10  # rows on which they differ, and another column is the largest of them
_MANY_STATISTICS = 20
_FEW_SYSTEMS = 12  # of more, columns of spreads are recognised by their names alone
_MOST_STATISTICS = 5  # rows of statistics of the others
_SUBTOTALS = 0.2  # of the rows next to answers of 0 and 1


def refuse_other_numbers(table: Table, systems: Sequence[str], values: np.ndarray) -> None:
    """Refuse columns of a wide table that are plainly no scores of systems, or are called so."""
    far, smallest = far_columns(values)
    if len(far):
        odd = [systems[int(k)] for k in far]
        ranges = [_range(values[:, k]) for k in (far[0], smallest)]
        reason = f"runs from {ranges[0]}, while {quoted(systems[smallest])} runs from {ranges[1]}"
        reason += f": not scores of one kind; write all on one scale, {how_to_choose(systems, odd)}"
        raise problem(table.source, reason, column=odd[0])
    runs = [table.by_name[name] for name in RUNS if table.by_name.get(name) in systems]
    if 0 < len(runs) < len(systems):
        reason = (
            f"by its name numbers repeated runs; pass run={quoted(runs[0])}, and item= with the"
        )
        right = how_to_choose(systems, runs)
        raise problem(
            table.source, f"{reason} column of items, if it does, else {right}", column=runs[0]
        )
    called = _called_summaries(systems, ["\n".join(systems)])
    summaries = _summaries(values, np.where(called, 1, _ENOUGH))
    reason, odd = no_systems(systems, values)
    if odd:  # A is the sum of B and of what is called the difference
        summaries = [summary for summary in summaries if systems[summary[0]] in odd]
    elif len(systems) == 3 and summaries and summaries[0][1] == "sum":
        below = [(k, "difference") for k in np.flatnonzero((values < 0).any(0)).tolist()]
        summaries = below if len(below) == 1 else summaries
    if not (summaries or odd):
        summaries = [*_bounds_of_others(values, systems), *_spreads_of_others(values, systems)]
    for k, statistic in summaries:
        why = f"is the {statistic} of the other columns, and no system"
        right = how_to_choose(systems, [systems[k]])
        raise problem(table.source, f"{why}; {right}", column=systems[k])
    refuse_odd(table, systems, reason, odd)
    if (other := _next_to_binary(values)) is not None:
        column, binary = systems[other], systems[int(_are_binary(values).argmax())]
        reason = f"runs from {_range(values[:, other])}, while {quoted(binary)} has 0 and 1"
        right = f"pass cluster={quoted(column)} if it groups the items, ignore={quoted(column)} to"
        right += f" leave it out, or systems={in_python(systems)} if it is a system, too"
        raise problem(table.source, f"{reason}; {right}", column=column)


def refuse_odd(table: Table, systems: Sequence[str], reason: str, odd: list[str]) -> None:
    """Refuse columns that are no systems, for the reason of `no_systems`, if there are any."""
    if odd:
        also = f", as those of {listed(odd[1:])}" if len(odd) > 1 else ""
        reason += f"{also}; {how_to_choose(systems, odd)}"
        if "describes items" in reason:
            reason += (
                "; a column that groups the items is passed as cluster, one of right labels is "
            )
            reason += "called 'gold'"
        raise problem(table.source, reason, column=odd[0])


def refuse_square(table: Table, items: Sequence[str], systems: Sequence[str]) -> None:
    """Refuse systems against systems: of wins, the one that loses most would be the best."""
    if len(items) == len(systems) and {*items} == {*systems}:
        reason = "rows and columns have the same names, so rows are no items; for wins of systems "
        right = "against each other, give a row for each pair: system_a, system_b, wins, losses"
        raise problem(table.source, f"{reason}{right}")


def refuse_melted(scores: Any, by_file: bool) -> None:
    """Refuse systems of a long table that by their names are runs, or were columns of something
    else; files, and what a mapping names, are systems.
    """
    source, systems = scores.attrs["source"], scores[names.SYSTEM].values.tolist()
    if columns_of_runs(systems):
        right = "give those of a system one name and number them in a column 'run', or pass"
        right += f" systems={in_python(systems)} to compare them"
        raise problem(source, f"systems {listed(systems)} may be runs of one; if so, {right}")
    reason, odd = ("", []) if by_file else no_systems(systems, scores.values)
    if not reason.startswith("no score"):  # a name of several words may be that of a system
        companions = [
            s
            for s in odd
            for x in systems
            if s.startswith(x) and not s[len(x) :][:1].isalnum() and s != x
        ]
        odd = [system for system in odd if system.isalnum() or system in companions]
    left = [system for system in systems if system not in odd]
    if odd:
        right = f"pass systems={in_python(left)} to leave it out, or name it there if it is one"
        right = right if len(left) > 1 else f"pass systems={in_python(systems)} if it is one"
        raise problem(source, f"system {quoted(odd[0])}: {reason}; {right}")


def no_systems(systems: Sequence[str], values: np.ndarray) -> tuple[str, list[str]]:
    """Systems that by their names, or names and scores, are something else, and why; else none."""
    reason, odd = no_names(systems)
    if odd:  # as a rule, none
        reason, odd = no_names(systems, np.array(systems)[_are_binary(values)].tolist())
    if odd:
        return reason, odd
    for k in (k for k, system in enumerate(systems) if _LIMIT.fullmatch(system)):
        same = (values[:, k] == values[0, k]).all()
        if not (values > values[:, [k]]).any() and (same or not _are_binary(values).all()):
            reason = "no score exceeds it on any item, so it is what scores are out of"
            return f"{reason}, and no system", [systems[k]]
    few = systems if len(systems) <= _FEW_SYSTEMS else ()
    odd = [column for column in few if _is_small_next_to(column, systems, values)]
    return "by its name and numbers a spread, and no system" * bool(odd), odd


def _is_small_next_to(column: str, systems: Sequence[str], values: np.ndarray) -> bool:
    """Whether a column such as sd_A is at most half of A on most items, or a multiple of
    sqrt(p (1 - p)) as the spread of 0/1 runs is; SE_ResNet next to ResNet is neither.
    """
    match = _NEXT_TO_IT.fullmatch(column)
    if not match or match["of"] not in systems or match["kind"].casefold() == "rank":
        return False
    spread, score = (values[:, systems.index(name)] for name in (column, match["of"]))
    both = ~(np.isnan(spread) | np.isnan(score))
    spread, score = spread[both], score[both]
    if np.count_nonzero(spread > 0) < _ENOUGH or (spread < 0).any():
        return False
    return bool(np.mean(spread <= score / 2) >= _MOST) or _is_spread_of_runs(spread, score)


def _is_spread_of_runs(spread: np.ndarray, shares: np.ndarray) -> bool:
    """Whether this is the spread of as many 0/1 runs of each item, to two decimals of a share."""
    most = 1 if shares.max() <= 1 else 100
    if shares.min() < 0 or shares.max() > most:
        return False
    of_one = np.sqrt(shares * (most - shares))  # the standard deviation of one run
    inner = of_one > 0
    if len(np.unique(of_one[inner])) < 2:
        return False
    factor = np.median(spread[inner] / of_one[inner])
    return bool((np.abs(spread - factor * of_one) < _ROUNDED * most).all())


def no_names(columns: Sequence[str], binary: Container[str] = ()) -> tuple[str, list[str]]:
    """Columns that by their names are something else than scores of a system, and why; some of
    these names are for systems whose scores are `binary`.
    """
    errors = less_is_better(columns) is not None  # whose direction was stated
    odd = [s for s in columns if _SUMMARY.fullmatch(s) or (not errors and _MEASURE.fullmatch(s))]
    greek = _GREEK.intersection(map(str.casefold, columns))
    differences = [c for c in columns if _DIFFERENCE.fullmatch(c) and not (greek or c in binary)]
    odd += differences if len(differences) < len(columns) else []
    for pattern in (_NEXT_TO_SCORES, _NEXT_TO_IT):
        matches = [match for match in map(pattern.fullmatch, columns) if match]
        named = [match[0] for match in matches if match["system"] in columns]
        odd += [c for c in named if pattern is _NEXT_TO_SCORES or c not in binary]
    odd += [c for c in _for_every_system(columns, matches) if c not in binary]
    if means := [match for match in map(_RUNS_MEAN.fullmatch, columns) if match]:
        runs = {match[1] or match[4] for match in map(_RUN.fullmatch, columns) if match}
        odd += [match[0] for match in means if match[1] in runs]
    if odd:
        return "by its name no scores of a system", list(dict.fromkeys(odd))
    odd = [column for column in columns if _DESCRIPTION.fullmatch(column)]
    return ("by its name describes items", odd) if 0 < len(odd) < len(columns) else ("", [])


def _for_every_system(columns: Sequence[str], matches: Sequence[re.Match[str]]) -> list[str]:
    """Columns such as sd_A and sd_B next to A and B; SE_ResNet next to ResNet is a system."""
    by_kind: dict[str, dict[str, str]] = {}
    for match in matches:
        if match["kind"]:
            by_kind.setdefault(match["kind"].casefold(), {})[match["of"]] = match[0]
    named = [group for group in by_kind.values() if len(group) > 1]
    prefixed = [column for group in named for column in group.values()]
    systems = {*columns}.difference(prefixed)
    return prefixed if all(systems <= {*group} for group in named) else []


def columns_of_runs(columns: Sequence[str]) -> dict[str, list[str]]:
    """The columns of each system whose columns are all called its numbered runs, two or more of
    each; else none. A system without a name is the one of the table.

    Examples
    --------
    >>> columns_of_runs(["gpt run 1", "gpt run 2", "pal run 1", "pal run 2"])
    {'gpt': ['gpt run 1', 'gpt run 2'], 'pal': ['pal run 1', 'pal run 2']}
    >>> columns_of_runs(["run_1", "run_2"]), columns_of_runs(["gpt run 1", "pal"])
    ({'': ['run_1', 'run_2']}, {})
    """
    runs: dict[str, dict[int, str]] = {}
    for column in columns:
        if (match := _RUN.fullmatch(column)) is None:
            return {}
        system, number = (match[4], match[3]) if match[1] is None else match.group(1, 2)
        runs.setdefault(system, {})[int(number)] = column
    numbers = {tuple(sorted(own)) for own in runs.values()}
    if len(numbers) != 1 or len(runs) * len(min(numbers)) != len(columns) or len(min(numbers)) == 1:
        return {}
    return {system: [own[k] for k in sorted(own)] for system, own in runs.items()}


def refuse_runs(source: str, columns: Sequence[str]) -> None:
    """Refuse numbered runs as systems to compare: they may be repeated, or what teams submitted."""
    right = "for runs, give each a row with item, system, run and score, or give them to "
    right += f"bt.runs.reliability, or pass systems={in_python(columns)} to compare them"
    raise problem(source, f"{listed(columns)} may be runs of one system, or systems; {right}")


def _next_to_binary(values: np.ndarray) -> int | None:
    """The first column that is no system where others have 0 and 1: one that leaves their range
    next to two such columns; next to one, all above or below, or never falling, as numbers of
    topics do.
    """
    binary = _are_binary(values)
    if binary.all() or len(values) < _ROWS:
        return None
    blank = [k for k in np.flatnonzero(binary) if np.isnan(values[:, k]).all()]
    others, binary[blank] = np.flatnonzero(~binary), False
    for k in others if binary.any() else ():
        own = values[~np.isnan(values[:, k]), k]
        outside = bool((own >= 1).all() or (own < 0).all())
        rising = bool((own == np.floor(own)).all() and (np.diff(own) >= 0).all())
        rising = rising and len(np.unique(own)) >= _GROUPS
        leaves = binary.sum() >= 2 and bool((own < 0).any() or (own > 1).any())
        if outside or rising or leaves:
            return int(k)
    return None


def _are_binary(values: np.ndarray) -> np.ndarray:
    """Whether each column has 0 and 1 and nothing else, (column,)."""
    return np.array([((c == 0) | (c == 1) | np.isnan(c)).all() for c in values.T], dtype=bool)


def refuse_total(source: str, items: Sequence[str], values: np.ndarray) -> None:
    """Refuse an item that is the sum or the mean of all others, by its name, or at an end next to
    answers of 0 and 1; warn of one that is only called so, or has no such answer.
    """
    if len(items) < 3:
        return
    if len(items) < _MANY_STATISTICS and {"count", "mean", "std"} <= {*items}:
        raise problem(
            source, "items 'count', 'mean', 'std' are statistics; give a row for each item"
        )
    called = _called_summaries(items, joined(items, "\n"))
    at_end = _not_binary_at_an_end(values)
    rest = np.delete(values, at_end, axis=0) if at_end else values
    never = values.shape[1] + 1
    summaries = _summaries(values.T, np.where(called, 1, never)) if called.any() else []
    for k in at_end:
        enough = np.r_[np.full(len(rest), never), 1]
        summaries += [
            (k, reason) for _, reason in _summaries(np.vstack([rest, values[k]]).T, enough)
        ]
    sums = [(k, f"{statistic} of all other items") for k, statistic in summaries]
    for k, reason in [*sums, *filter(None, [_subtotal(values)])]:
        raise problem(source, f"item {quoted(items[k])} is the {reason}; leave the row out")
    for k in at_end if len(rest) >= _ROWS and len(at_end) <= 2 else ():
        called[k] |= not ((values[k] == 0) | (values[k] == 1)).any()
    if called.any():
        item = quoted(items[int(called.argmax())])
        warn(source, f"item {item} is taken as one item; if it sums the others up, leave it out")


def _not_binary_at_an_end(values: np.ndarray) -> list[int]:
    """Places of a few rows, first or last, that alone are not of 0 and 1."""
    first, middle, last = (_are_binary(values[[k]].T).all() for k in (0, len(values) // 2, -1))
    if not middle or (first and last):  # as nearly always: without a look at all others
        return []
    rows = np.flatnonzero(~((values == 0) | (values == 1) | np.isnan(values)).all(1)).tolist()
    most = _MOST_STATISTICS if len(values) >= _ROWS + _MOST_STATISTICS else 2
    at_end = max(rows, default=0) < most or min(rows) >= len(values) - most
    return rows if at_end else []


def _called_summaries(names: Sequence[str], joined_names: Iterable[str]) -> np.ndarray:
    """Which names say that they sum others up; one by one only where some name may say so."""
    texts = (text.casefold() for text in joined_names)
    if any(not text.isascii() or any(word in text for word in _WORDS) for text in texts):
        return np.array([bool(_SUMMARY.fullmatch(name)) for name in names])
    return np.zeros(len(names), dtype=bool)


def _summaries(values: np.ndarray, enough: np.ndarray) -> list[tuple[int, str]]:
    """Find columns that are the sum or the mean of all others, if these differ on enough rows."""
    others = values.shape[1] - 1
    if others < 2:
        return []
    slack = _ROUNDED * max((np.abs(rows).max() for rows in _complete_rows(values)), default=np.nan)
    n, differ, several = 0, 0, False
    sums = means = np.ones(len(enough), dtype=bool)
    for rows in _complete_rows(values):
        n += len(rows)
        rest_sum = rows.sum(1, keepdims=True) - rows
        differ += int((np.ptp(rows, axis=1) > 10 * slack).sum())
        several |= bool(((rows != 0).sum(1) > 2).any())  # else the largest is their sum
        sums = sums & (np.abs(rows - rest_sum) <= 2 * slack).all(0)
        means = means & (np.abs(rows - rest_sum / others) <= slack).all(0)
    if not n:
        return []
    sums, means = (candidates & (differ >= enough) for candidates in (sums & several, means))
    return [(int(k), "sum" if sums[k] else "mean") for k in np.flatnonzero(sums | means)]


def _bounds_of_others(values: np.ndarray, systems: Sequence[str]) -> list[tuple[int, str]]:
    """Find columns that are the maximum or the minimum of all others, and no copy of one; by their
    name, or of three or more others that differ on many rows.
    """
    complete = ~np.isnan(values).any(1)
    if values.shape[1] < 3 or len(values) > _MOST_ROWS or not complete.any():
        return []
    rows, bounds = values[complete], []
    for limit, statistic in ((rows.max(1), "maximum"), (rows.min(1), "minimum")):
        extreme = rows == limit[:, None]
        shared = extreme.sum(1) > 1
        for k in np.flatnonzero((extreme & shared[:, None]).all(0)).tolist():
            others = np.delete(rows, k, axis=1)
            differ = int((np.ptp(others, axis=1) > 0).sum())
            copy = (others == rows[:, [k]]).all(0).any()
            varies = np.ptp(rows[:, k]) > 0  # a system may solve nothing, or all
            many = differ >= _MANY and others.shape[1] > 2 and varies
            if not copy and (many or (differ and _BOUND.fullmatch(systems[k]))):
                bounds.append((k, statistic))
    return bounds


def _spreads_of_others(values: np.ndarray, systems: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Find columns that measure how far all others lie apart, to the digits that they have."""
    if not 3 <= len(systems) <= _FEW_SYSTEMS or len(values) > _MOST_ROWS:
        return
    rows = values[~np.isnan(values).any(1)]
    some = rows[:_MANY_STATISTICS]
    widest = np.ptp(some, axis=1)[:, None]
    possible = ((some >= 0) & (some <= np.maximum(widest, widest**2))).all(0)
    for k in np.flatnonzero(possible).tolist():
        enough = 1 if _SPREAD.fullmatch(systems[k]) else _MANY
        column, others = rows[:, k], np.delete(rows, k, axis=1)
        differ = np.ptp(others, axis=1)
        if (differ > 0).sum() < enough or len(np.unique(column)) < min(3, len(column)):
            continue
        sd = others.std(1, ddof=1)
        spreads = {
            "range": [differ],
            "standard error": [sd / np.sqrt(others.shape[1])],
            "standard deviation": [sd, others.std(1)],
            "variance": [sd**2, others.var(1)],
        }
        places = next((p for p in range(6) if np.allclose(column.round(p), column)), 6)
        slack = 0.51 * 10.0**-places if places else 1e-9
        for statistic, numbers in spreads.items():
            if any((np.abs(column - x) <= slack).all() for x in numbers):
                yield k, statistic
                break


def _subtotal(values: np.ndarray) -> tuple[int, str] | None:
    """A row that is the sum of the rows of 0 and 1 right below or above it, as all rows of other
    numbers are, but for a grand total: a pivot table.
    """
    if not 3 <= len(values) <= _MOST_ROWS:
        return None
    blocks = row_blocks(values)
    binary = np.hstack([((rows == 0) | (rows == 1) | np.isnan(rows)).all(1) for rows in blocks])
    odd = np.flatnonzero(~binary)
    if not 0 < len(odd) <= _SUBTOTALS * len(values):
        return None
    sums = np.vstack(
        [np.zeros(values.shape[1]), np.nancumsum(np.where(binary[:, None], values, 0), 0)]
    )
    ends, subtotals = [-1, *odd.tolist(), len(values)], {}
    for k, before, after in zip(odd.tolist(), ends, ends[2:], strict=False):
        for low, high in ((k + 1, after), (before + 1, k)):
            if high - low > 1 and np.array_equal(values[k], sums[high] - sums[low]):
                subtotals.setdefault(k, f"sum of the {high - low} items next to it")
    pivot = len(subtotals) > 1 and len(odd) - len(subtotals) <= 1
    return next(iter(subtotals.items())) if pivot else None


def row_blocks(values: np.ndarray) -> Iterator[np.ndarray]:
    """Some rows, then the next ones."""
    step = max(1, _CELLS // max(1, values.shape[1]))
    return (values[k : k + step] for k in range(0, len(values), step))


def _complete_rows(values: np.ndarray) -> Iterator[np.ndarray]:
    """Yield blocks of the complete rows."""
    for rows in row_blocks(values):
        rows = rows[~np.isnan(rows).any(1)]
        if len(rows):
            yield rows


def far_columns(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Find columns with numbers far beyond the range of the smallest column; return that one
    too.
    """
    none = np.array([], dtype=int)
    if len(values) < 2:
        return none, 0
    largest, least = np.zeros(values.shape[1]), np.full(values.shape[1], np.inf)
    total, n, integral = np.zeros_like(largest), np.zeros_like(largest), np.ones_like(largest, bool)
    for rows in row_blocks(values):
        size, observed = np.abs(rows), ~np.isnan(rows)
        largest = np.fmax(largest, np.where(observed, size, 0).max(0))
        least = np.fmin(least, np.where(observed, size, np.inf).min(0))
        total, n = total + np.where(observed, size, 0).sum(0), n + observed.sum(0)
        integral &= (~observed | (rows == np.floor(rows))).all(0)
    largest = np.where(largest == 0, np.nan, largest)
    if np.isnan(largest).all():
        return none, 0
    smallest = int(np.nanargmin(largest))
    far = largest > _LARGE
    if largest[smallest] <= 1:  # shares, or right and wrong
        return np.flatnonzero(far & (total / n.clip(1) > _LARGE / 4)), smallest
    ratings = largest[smallest] <= _LARGE / 2 and integral[smallest]
    return np.flatnonzero(far & ratings & (least >= _LARGE * largest[smallest])), smallest


def _range(column: np.ndarray) -> str:
    return f"{np.nanmin(column):g} to {np.nanmax(column):g}"
