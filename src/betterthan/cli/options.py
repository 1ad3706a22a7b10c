"""Options of all commands, one row each, and the files that commands read."""

import re
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

import betterthan as bt
from betterthan import names
from betterthan.cli.console import say
from betterthan.files import is_answer

if TYPE_CHECKING:
    import xarray as xr


_COMPARE, _PLAN, _DECIDE = "What to compare", "What to plan", "How to decide"
_TESTS, _JUDGE = "Significance tests", "LLM judge with human labels"
_LOGS, _TABLES, _OUTPUT = "Reading logs", "Reading tables", "Output"


def _any(choices: tuple[str, ...]) -> str:
    return f"{', '.join(choices[:-1])} or {choices[-1]}"


# The arguments and options by name: what is taken, "" for a switch, and the help; by group. A name
# after the name of a command is what only this command has under that option.
_ROWS: dict[str, dict[str, tuple[str, str]]] = {
    "Arguments": {
        "files": (
            "FILE...",
            "Results: a table (one row per item, one column per system), logs of an evaluation "
            "tool, a folder, or a pattern. Use NAME=FILE for one file per system. Several tables "
            "of the same systems are several data sets.",
        ),
        "show files": ("FILE...", "Results, as in compare; or saved comparisons (.nc)."),
        "pilot": (
            "[FILE]...",
            "Results of two systems so far: a table or logs. Use NAME=FILE for one file per "
            "system. Without it, give --decisive and --difference.",
        ),
        "baseline_file": ("BASELINE", "Results of one system, or the file that --accept wrote."),
        "candidate": ("CANDIDATE", "Results of the system that may replace it."),
        "file": ("FILE", "Labels, TP/FP/FN counts, scores, or a confusion matrix."),
        "outcome file": ("FEATURES", "A table with one row per dialogue, one column per feature."),
        "order file": ("FILE", "Rankings, one for each system or judge."),
    },
    _COMPARE: {
        "baseline": ("NAME", "Reference system; all others are compared with it."),
        "systems": ("NAMES", "Only these systems, in this order; comma-separated."),
        "quantity": (
            "TEXT",
            'For graded scores: "wins" (how often a system has the better score) or "mean" '
            "(average score). Default: report both and decide by the mean. For repeated runs: "
            '"pass^3" (3 runs all succeed) or "pass@3" (one of them does), with any number.',
        ),
        "gate quantity": (
            "TEXT",
            'For repeated runs: "pass^3" (3 runs of an item all succeed) or "pass@3" (one of them '
            "does), with any number. Default: the mean of the runs.",
        ),
        "runs missing": (
            "TEXT",
            'Items with too few runs: "pairwise" (leave out of the pairs concerned) or "complete" '
            "(leave out of all pairs).",
        ),
        "unit": (
            "item",
            "Treat every row as independent, even if the data have clusters or repeated runs.",
        ),
        "weight": ("TEXT", '"item", or "unit": each cluster counts once in a mean.'),
        "over": ("COLUMN", "Average over the data sets in this column."),
        "weights": (
            "TEXT",
            'Weights of --over: "size", or NAME=WEIGHT for each, comma-separated. Default: each '
            "data set counts once.",
        ),
        "ties": (
            "TEXT",
            'How to treat ties: "third" (own outcome), "drop", "half", "to_a", "to_b", or "all" '
            "to show the verdict under every policy.",
        ),
        "missing": (
            "TEXT",
            'Items with a missing score: "pairwise" (leave out of the pairs concerned), '
            '"complete" (leave out of all pairs), "wrong" (count as worst score), or "error".',
        ),
        "tie_margin": ("NUMBER", "Two scores within this distance are a tie."),
        "statistic": ("TEXT", f"{_any(names.STATISTICS)}."),
        "beta": ("NUMBER", "Weight of recall in f_beta."),
        "reference": ("NAME", "Reference ranking; repeat the option for several. Default: none."),
        "references": (
            "TEXT",
            'How to combine several references: "mean", "weighted", "best" or "consensus".',
        ),
        "restrict": ("common", "Compare the items that both rankings have."),
        "outcome": ("COLUMN", "The column to predict."),
        "features": ("COLUMNS", "Columns to choose from; comma-separated. Default: all others."),
        "direction": ("TEXT", f"Stepwise search: {_any(names.DIRECTIONS)}."),
        "leave_out": (
            "COLUMN",
            'Cross-validation: rows with the same value are left out together. "row" leaves out '
            "one row at a time.",
        ),
        "ordinal": ("", "The outcome has ordered categories. Needs PyMC."),
        "components": ("FILE", "Table of components to compare by predicted outcome. Needs PyMC."),
        "k": ("NUMBERS", "Numbers of runs that must succeed; comma-separated."),
        "any_run": ("", "One of the k runs must succeed (pass@k), not all of them (pass^k)."),
        "success": (
            "NUMBER",
            "Smallest score that is a success. Needed if scores are not 0 and 1.",
        ),
        "each_k": ("", "Each k counts all items with k runs. Default: the same items for all k."),
        "same": ("", "The two files are runs of one system: how much does it differ from itself?"),
        "near": ("", "Also look for items that are near copies."),
    },
    _PLAN: {
        "decisive": ("NUMBER", "Proportion of items that one of two systems will win."),
        "difference": ("NUMBER", "Proportion of wins of A minus that of B."),
        "until": ("NUMBER", "Predict the verdict for this total number of items, or of clusters."),
        "verdict": (
            "TEXT",
            "Verdict to plan for: a_better, b_better, either, equivalent or any. Default: the "
            "system that leads in the pilot is better.",
        ),
        "cost_item": ("NUMBER", "Cost of a new item, before it is run."),
        "cost_run": ("NUMBER", "Cost of one run of an item in all systems."),
        "budget": ("NUMBER", "What items and runs may cost. Default: the cost of these data."),
        "target": ("NUMBER", "Probability of this verdict that you want."),
        "most": ("NUMBER", "Largest number of items to try. Default: 10000; with a ROPE, 400."),
    },
    _DECIDE: {
        "margin": ("NUMBER", "Non-inferiority margin, such as 0.05 or 5%.  [required]"),
        "rope": (
            "NUMBER",
            "Half-width of the region of practical equivalence (ROPE). Smaller differences do "
            "not matter to you.",
        ),
        "threshold": ("NUMBER", "Posterior probability needed for a verdict, such as 0.95 or 95%."),
        "method": (
            "TEXT",
            '"exact" (closed form), "mcmc" (PyMC), "both", or "advised" (the model recommended '
            "for your data).",
        ),
        "outcome method": ("TEXT", '"exact" (least squares), or "both" (also PyMC).'),
        "prior": (
            "TEXT",
            f"{', '.join((*names.PRIORS, names.SKEPTICAL))}, or three numbers for win,loss,tie "
            "(win = the system named first). With graded scores all but skeptical let wins decide. "
            "Default: uniform.",
        ),
        "interval": ("TEXT", 'Credible intervals: "hdi" (highest density) or "eti" (equal tails).'),
        "ci_prob": ("NUMBER", "Level of the credible intervals."),
        "draws": ("NUMBER", "Posterior draws; with PyMC, draws per chain."),
        "model": ("", "Also fit the Mallows model with PyMC."),
        "seed": ("NUMBER", "Seed for everything that is sampled."),
        "max_missing": ("NUMBER", "Largest proportion of items with one missing score."),
        "limits": ("LOW,HIGH", "Smallest and largest possible score, such as 1,5."),
        "inconclusive": ("TEXT", '"pass" or "fail": exit code if inconclusive, in place of 3.'),
        "looks": ("NUMBER", "Number of planned interim looks, evenly spaced."),
        "of": ("NUMBER", "Number of non-tied items at the last of these --looks."),
        "strict": ("", "Exit code 1 also for warnings."),
        "accept": ("", "Write CANDIDATE as the new BASELINE; BETTERTHAN_GATE_KEY signs it."),
    },
    _TESTS: {
        "tests": ("TEXT", f"{_any(names.TESTS)}; comma-separated."),
        "alpha": ("NUMBER", "Significance level."),
        "correction": ("TEXT", f"Correction for multiple pairs: {_any(names.CORRECTIONS)}."),
        "groups correction": (
            "TEXT",
            f"Correction for multiple pairs: {_any(names.CORRECTIONS + names.JOINT_CORRECTIONS)}. "
            "tukey also computes the critical difference.",
        ),
        "shuffles": ("NUMBER", "Number of random permutations, if the exact test is too large."),
        "test": ("TEXT", '"randomization" (permutes scores) or "sign" (counts wins).'),
        "permutations": ("TEXT", f"Randomization test: {_any(names.RANDOMIZATIONS)}."),
        "cutoff": ("NUMBER", "Two systems differ if p is at most this."),
        "confidence": ("NUMBER", "Confidence in p <= cutoff that a sampled p needs."),
    },
    _JUDGE: {
        "judge": (
            "COLUMN",
            "Column with the judge's answers; two columns, comma-separated, if you asked in both "
            "orders. For votes without --human: the column that names the judge.",
        ),
        "human": ("COLUMN", "Column with human labels; blank = not labelled."),
        "strata": (
            "COLUMNS",
            "Columns that define separate kinds of judge answer, such as which system was shown "
            "first.",
        ),
        "drop": (
            "",
            "Drop human labels on items that the judge did not answer (default: stop with an "
            "error).",
        ),
    },
    _TABLES: {
        "layout": ("TEXT", f"{_any(names.LAYOUTS)}. Detected by default."),
        "measures layout": (
            "TEXT",
            "confusion, predictions, tallies, wide or long. Detected by default.",
        ),
        "names": ("TEXT", 'Whether several files are "systems" or "datasets".'),
        "item": ("COLUMN", "Column of item ids."),
        "system": ("COLUMN", "Column of system names."),
        "score": ("COLUMN", "Column of scores."),
        "dataset": ("COLUMN", "Column of data sets, in each of which item ids are separate."),
        "run": ("COLUMN", "Column that numbers repeated runs of an item."),
        "cluster": (
            "TEXT",
            "What groups items that are not independent: a column of a table. For logs: a "
            'metadata field, or "content" (copies of one question).',
        ),
        "ignore": ("COLUMNS", "Columns to ignore; comma-separated."),
        "true": ("TEXT", "Values that mean correct, such as yes,pass."),
        "false": ("TEXT", "Values that mean wrong, such as no,fail."),
        "percent": ("", "Scores are percentages (0-100)."),
        "lower_is_better": ("", "Lower scores are better (errors, costs, times)."),
        "higher_is_better": ("", "Higher scores are better, whatever the columns are called."),
        "decimal": ("TEXT", "Decimal separator: . or ,"),
        "sep": ("TEXT", "Column separator, such as ;"),
        "scale": (
            "NUMBER",
            "Multiply TP/FP/FN counts by this to make them whole (2 if there are halves).",
        ),
        "scheduler": (
            "TEXT",
            'For Zarr and Parquet larger than memory: address of a dask scheduler, or "threads".',
        ),
    },
    _LOGS: {
        "task": ("TEXT", "Tasks to read; comma-separated."),
        "metric": ("TEXT", "Metric to compare; of a table a prefix is enough."),
        "filter": ("TEXT", "lm-eval filter."),
        "epoch": ("NUMBER", "Use only this run of each item."),
        "join": ("TEXT", "How to match items: auto, id, content or order.  [default: auto]"),
        "again": (
            "TEXT",
            'If a system was run several times: "last", "first", or "epochs" (use all as '
            "repeated runs).",
        ),
        "errors": (
            "TEXT",
            'Samples that failed: "missing", "raw" (use the number in the log), or "worst".  '
            "[default: missing]",
        ),
        "unscored": ("TEXT", "Samples without a score: same choices.  [default: missing]"),
        "tool": ("TEXT", "Tool that wrote the logs. Detected by default."),
        "items": ("FILE", "SWE-bench: all instance ids, one per line."),
    },
    _OUTPUT: {
        "format": (
            "TEXT",
            "text, markdown, html or latex. Default: text, or by the suffix of --output.",
        ),
        "audit format": ("TEXT", "text, markdown or json. Default: text."),
        "compare format": (
            "TEXT",
            "text, markdown, html, latex, json, latex-table, latex-macros, sentence or "
            "pull-request. Default: text, or by the suffix of --output.",
        ),
        "output": (
            "FOLDER or FILE",
            "A file (format from its suffix), or a folder (report, pairs.csv, comparison.nc).",
        ),
        "page": ("FILE", "Write the report to this file; .html, .md, .tex or .txt."),
        "title": ("TEXT", "Title of the report."),
        "p_values": (
            "TEST",
            "For latex-table: add the p-values of this test against the baseline, or else "
            "against the best system.",
        ),
        "figures": ("FOLDER", "Write figures as PDF, SVG and PNG."),
        "full": ("", "Print the full report: tests, priors, diagnostics and data."),
        "no_picture": ("", "Print no picture of the intervals."),
        "browser": ("", "Open the page in a browser."),
        "json": ("FILE", "Write all results as JSON."),
        "github": ("", "Append the report to the GitHub Actions step summary."),
        "junit": ("FILE", "Write the result as JUnit XML."),
    },
}
OPTIONS = {name: (group, *row) for group, rows in _ROWS.items() for name, row in rows.items()}
GROUPS = tuple(group for group in _ROWS if group != "Arguments")
FLAGS = {
    "k": ("--k", "-k"),
    "format": ("--format", "-f"),
    "output": ("--output", "-o"),
    "page": ("--output", "-o"),
}
# The options of `betterthan.read`; commands take those that they can use.
READING = tuple(k for k in (*_ROWS[_TABLES], *_ROWS[_LOGS]) if " " not in k and k != "scheduler")


def row_of(command: str, name: str) -> tuple[str, str, str]:
    """The group of an option of a command, what it takes, and its help."""
    return OPTIONS.get(f"{command} {name}") or OPTIONS[name]


def kind_of(takes: str) -> Any:
    """The type of an option for reading, by what it takes."""
    return {"": bool, "NUMBER": int | None, "FILE": Path | None}.get(takes, str | None)


def number(text: str) -> float:
    """The number of a text, also of a percentage.

    Examples
    --------
    >>> number("0.05"), number("5%")
    (0.05, 0.05)
    """
    digits = text.strip()
    value = float(digits.removesuffix("%"))
    return names.Percentage(value / 100) if digits.endswith("%") else value


_IN_PYTHON = {"format": "tool", "ci_kind": "interval", "rng": "seed", "which": "tests"} | {
    "margin": "tie_margin"  # no message of gate has margin=
}
_VALUE = r"\[[^\]]*\]|\([^()]*\)|'[^']*'|\"[^\"]*\"|[\w.+-]*\w"
_SETTINGS = r"\w \(\w+=[^()'\"]*\)"  # behind the name of a system
_CALL_OR_OPTION = re.compile(rf"\w\([^()]*\)|{_SETTINGS}|(?<![\w.'-])([a-z_]+)=({_VALUE})?")
_QUOTED_OPTION = re.compile(r"(?<![\w.-])(?<!\w\()(?<!\.\.\., )([a-z_]+)=('[^']*')")
_COMPARE_CALL = re.compile(r"\bcompare\(\.\.\., ([a-z_]+='[^']*')\)")
_LOAD = re.compile(r"betterthan\.load\((['\"])(.*?)\1\)")
_MAPPING = re.compile(r"\{('[^']*': '[^']*')((?:, '[^']*': '[^']*')*)(, \.\.\.)?\}")
_ENTRY = re.compile(r"'([^']*)': '([^']*)'")
_SUBJECT = re.compile(r"^(error: )?(which|ci_kind|rng)(?= is )")
_PHRASES = {
    "a mapping of name to file": "NAME=FILE for each",
    "a mapping of systems to their files": "NAME=FILE for each",
    "counts.disagreements gives every item": "In Python, betterthan.counts.disagreements gives "
    "every item",
    "betterthan.significance.groups": "betterthan groups",
    "betterthan.advise recommends a model for this": "--method advised fits a model for this",
    ".findings has all": "--format json has all",
    "with threshold=": "with --threshold ",
}


def in_options(message: str) -> str:
    """A message in which arguments of Python are options of the command line.

    Examples
    --------
    >>> in_options("2 metrics: acc (9), f1 (9); pass metric='acc', or systems=['a', 'b']")
    '2 metrics: acc (9), f1 (9); pass --metric acc, or --systems a,b'
    >>> in_options("pass {'A': 'logs/a', 'B': 'logs/b'}")
    'pass A=logs/a B=logs/b'
    """
    message = _LOAD.sub(lambda call: f"betterthan show {quote(call[2])}", _in_words(message))
    message = _SUBJECT.sub(lambda start: (start[1] or "") + _IN_PYTHON[start[2]], message)
    return _CALL_OR_OPTION.sub(_as_option, _MAPPING.sub(_as_arguments, message))


def in_printed_options(text: str) -> str:
    """Printed prose in which quoted arguments are options: names of systems may hold ``seed=1``.

    Examples
    --------
    >>> in_printed_options("missing='complete' compares all; a (seed=1) is better")
    '--missing complete compares all; a (seed=1) is better'
    """
    return _QUOTED_OPTION.sub(_as_option, _in_words(text))


def _in_words(text: str) -> str:
    """A text with the phrases of the command line."""
    for phrase, on_command_line in _PHRASES.items():
        text = text.replace(phrase, on_command_line)
    if "'monte_carlo'" in text:  # only a randomization test has this method
        text = text.replace("method=", "permutations=")
    return _COMPARE_CALL.sub(r"\1", text)


def _as_arguments(match: re.Match[str]) -> str:
    """A mapping of name to file as arguments."""
    sides = [f"{name}={quote(file)}" for name, file in _ENTRY.findall(match[0])]
    return " ".join([*sides, *(["..."] if match[3] else [])])


def _as_option(match: re.Match[str]) -> str:
    name, value = match[1], match[2] or ""
    if name == "higher_is_better":
        return "--lower-is-better" if value == "False" else "--higher-is-better"
    if name != "format" or not _is_report(value.strip("'")):
        name = _IN_PYTHON.get(name, name)
    if name not in OPTIONS:
        return match[0]
    words = [word.strip(" '\"") for word in value.strip("[](),").split(",")]
    argument = "" if value == "True" else quote(",".join(words)) if value else ""
    return f"--{name.replace('_', '-')} {argument}".rstrip()


def _is_report(format: str) -> bool:
    """Whether this is a format of reports, and no tool that writes logs."""
    from betterthan.results.reports import FORMAT_NAMES

    return format in FORMAT_NAMES


Source = str | Path | list[str | Path] | dict[str, str | Path]


def source_of(arguments: list[str]) -> Source:
    """What `betterthan.read` takes: a path, several, or those of each name.

    Raises
    ------
    ValueError
        If some are named and others are not, or a name is given twice.

    Examples
    --------
    >>> source_of(["old=a.csv", "new=b.csv"])
    {'old': 'a.csv', 'new': 'b.csv'}
    """
    split = [_split(argument) for argument in arguments]
    named = [name is not None for name, _ in split]
    if not any(named):
        return arguments[0] if len(arguments) == 1 else list(arguments)
    if not all(named):
        lone = arguments[named.index(False)]
        raise ValueError(f"{lone} has no name, while others have; give name=file for each, or none")
    names = [str(name) for name, _ in split]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"the name {twice!r} is given twice; give each system its own")
    return {str(name): path for name, path in split}


def read_arguments(arguments: list[str], **options: Any) -> "xr.DataArray":
    """Read the arguments with the options of a command line, and print the import summary."""
    data = bt.read(source_of(arguments), **reading_options(**options))
    say(str(data.attrs["reading"]))
    return data


def say_pooled(data: "xr.DataArray") -> None:
    """Print that large data sets weigh more, where unequal ones are pooled."""
    from betterthan.counts.units import pooled

    if unequal := pooled(data):
        say(f"{unequal}; look at each on its own, too")


def refuse_percentages(data: "xr.DataArray", **widths: float) -> None:
    """Refuse differences of scores as percentages, unless the scores are within 0 and 1."""
    for name, width in widths.items():
        if not isinstance(width, names.Percentage) or names.ITEM not in data.dims:
            continue
        low, high = float(data.min()), float(data.max())
        if names.TALLY not in data.dims and not 0 <= low <= high <= 1:
            option = name.replace("_", "-")
            raise ValueError(
                f"--{option} {100 * width:g}% is for scores within 0 and 1; these go from {low:g} "
                f"to {high:g}: pass --{option} in units of the score, without a percent sign"
            )


def inputs_of(arguments: list[str]) -> list[Path]:
    """List every input file, so that none is overwritten."""
    paths: list[Path] = []
    for _, argument in map(_split, arguments):
        path = Path(argument)
        if path.is_dir():
            inside = filter(Path.is_file, path.rglob("*"))
            paths += [entry for entry in inside if not is_answer(entry)]
        else:
            paths.append(path)
    return paths


def reading_options(**options: Any) -> dict[str, Any]:
    """The options that were set, as `betterthan.read` takes them; lists are split at commas.

    Examples
    --------
    >>> reading_options(task="a,b", tool=None, percent=False, lower_is_better=True)
    {'task': ['a', 'b'], 'higher_is_better': False}
    """
    options = {k: v for k, v in options.items() if v is not None and v is not False}
    if options.pop("lower_is_better", False):
        if "higher_is_better" in options:
            raise ValueError("pass --lower-is-better or --higher-is-better, not both")
        options["higher_is_better"] = False
    if "tool" in options:
        from betterthan import checks
        from betterthan.logs.roster import READERS

        tools = tuple(reader.name for reader in READERS)
        options["format"] = checks.one_of(options.pop("tool"), tools, "tool")
    if "items" in options:
        options["items"] = _listed_items(options["items"])
    return {k: v.split(",") if k in _LISTS and v != "" else v for k, v in options.items()}


# the first line of another file
_NO_ITEM = re.compile(r"(\w+_)?id|[\[{#\"].*|.*,.*", re.IGNORECASE)


def _listed_items(path: Path) -> list[str]:
    """The ids in a text file, one a line."""
    from betterthan.io.files import decoded, refuse_no_file
    from betterthan.io.layouts import ALIASES
    from betterthan.io.problems import problem, quoted

    refuse_no_file(path)
    lines = map(str.strip, decoded(path.read_bytes(), path.name).splitlines())
    items = list(filter(None, lines))
    first = items[0] if items else ""
    if first.casefold() in ALIASES["item"] or _NO_ITEM.fullmatch(first):
        reason = f"begins with {quoted(first[:20])}, and that is no id; give one id a line"
        raise problem(path.name, f"{reason}, and nothing else, for items=")
    return items


_LISTS = ("systems", "ignore", "true", "false", "task", "judge", "strata")


def _split(argument: str) -> tuple[str | None, str]:
    """Split off the name before the first ``=``, unless the argument is a file."""
    name, sign, path = argument.partition("=")
    if not sign or not name or Path(argument).exists():
        return None, argument
    return name, path
