"""The command `compare`, which also runs without a parser where there are no options."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import betterthan as bt
from betterthan import names
from betterthan.blocks.scheduling import scheduled
from betterthan.cli.console import deliver, put, say, where, written_files
from betterthan.cli.options import inputs_of, read_arguments, refuse_percentages
from betterthan.files import refuse_inputs, same_file

if TYPE_CHECKING:
    import xarray as xr

    from betterthan.results.comparison import Comparison


def compare(
    files: list[str],
    baseline: str | None = None,
    systems: str | None = None,
    quantity: str | None = None,
    unit: str | None = None,
    weight: str = "item",
    over: str | None = None,
    weights: str | None = None,
    ties: str = "third",
    missing: str = "pairwise",
    tie_margin: float = 0.0,
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    method: str = "exact",
    prior: str | None = None,
    ci_prob: float = names.CI_PROB,
    interval: str = names.CI_KIND,
    seed: int | None = None,
    tests: str | None = None,
    alpha: float = names.ALPHA,
    correction: str = "holm",
    shuffles: int = names.SHUFFLES,
    judge: str | None = None,
    human: str | None = None,
    strata: str | None = None,
    drop: bool = False,
    scheduler: str | None = None,
    format: str | None = None,
    output: Path | None = None,
    title: str | None = None,
    p_values: str | None = None,
    figures: Path | None = None,
    github: bool = False,
    junit: Path | None = None,
    full: bool = False,
    no_picture: bool = False,
    **reading: Any,
) -> None:
    """Compare two or more systems that were evaluated on the same items.

    Prints which system is better, how large the difference is, how certain that is, and which
    pairs are undecided.

    For example:
      betterthan compare results.csv --baseline base
      betterthan compare old=a.csv new=b.csv
      betterthan compare logs/ --metric acc -o report/
      betterthan compare ratings.csv --quantity mean --rope 0.1
      betterthan compare answers.csv --true yes --false no --cluster document
    """
    form, target = where(format, output, inputs_of(files))
    if p_values is not None and form != "latex-table":
        raise ValueError(f"--p-values {p_values} is for --format latex-table")
    if title is not None and ((form == "text" and target is None) or form not in _titled()):
        raise ValueError("--title is for reports; add --output FILE, or leave it out")
    refuse_inputs([junit] if junit is not None else [], inputs_of(files))
    written = written_files(form, target) if target is not None else []
    if junit is not None and any(same_file(junit, path) for path in written):
        raise ValueError("--output and --junit need a file each")
    if figures is not None and figures.exists() and not figures.is_dir():
        raise ValueError(f"{figures}: is a file; give a folder for --figures")
    if github:
        from betterthan.results import machines

        machines.summary_file(inputs_of(files))
    judged_columns = _of_judged(judge, human, strata, drop)
    lazy = scheduler is not None
    if over not in (None, names.DATASET, "cluster", "epoch") and not reading.get("dataset"):
        reading["dataset"], over = over, names.DATASET
    data = read_arguments(files, systems=systems, lazy=lazy, **judged_columns, **reading)
    widths = {"rope": rope} if quantity != "wins" else {}
    refuse_percentages(data, tie_margin=tie_margin, **widths)
    compared = partial(
        bt.compare,
        _votes(files, data, method, judge) if human is None else data,
        quantity=quantity,
        unit=unit,
        weight=weight,
        over=over,
        weights=_weights(weights),
        rope=rope,
        method=method,
        ties=ties,
        missing=missing,
        margin=tie_margin,
        prior=_prior(prior),
        ci_kind=interval,
        ci_prob=ci_prob,
        systems=systems.split(",") if systems is not None else None,
        baseline=baseline,
        threshold=threshold,
        tests=bt.significance.Tests(
            tests.split(",") if tests is not None else None,
            alpha=alpha,
            correction=correction,
            shuffles=shuffles,
        ),
        rng=seed,
    )
    with scheduled(scheduler):
        comparison = compared()
    how: dict[str, Any] = {"p_values": p_values, "title": title}
    deliver(comparison, form, target, full=full, picture=not no_picture, **how)
    if figures is not None:
        _draw(comparison, figures)
    if github or junit is not None:
        _to_machines(comparison, github, junit)


def _titled() -> list[str]:
    """The formats that have a title."""
    from betterthan.results import reports

    return [form.name for form in reports.FORMATS]


def _weights(text: str | None) -> str | dict[str, float] | None:
    """The weights of data sets, each as NAME=WEIGHT."""
    if text is None or text == "size":
        return text
    weights = {}
    for part in text.split(","):
        name, _, number = part.rpartition("=")
        right = "give size, or NAME=WEIGHT of each, comma-separated"
        if name.strip() in weights:
            raise ValueError(f"--weights has {name.strip()!r} twice; {right}")
        try:
            weights[name.strip()] = float(number if name.strip() else "")
        except ValueError:
            raise ValueError(f"--weights holds {part!r}; {right}") from None
    return weights


def _of_judged(
    judge: str | None, human: str | None, strata: str | None, drop: bool
) -> dict[str, Any]:
    """Return the columns of judged outcomes, if given."""
    if human is not None:
        return {"judge": judge, "human": human, "strata": strata, "drop": drop}
    for option, is_set in (("--strata", strata is not None), ("--drop", drop)):
        if is_set:
            raise ValueError(
                f"{option} is for judged outcomes; name the labels by people with --human"
            )
    return {}


def _to_machines(comparison: Comparison, github: bool, junit: Path | None) -> None:
    """Tell GitHub and a reader of JUnit's XML, too."""
    from betterthan.results import machines

    if github:
        machines.step_summary(bt.report(comparison, format="markdown"))
    if junit is not None:
        put(machines.junit("comparison", machines.pair_cases(comparison)), junit)


def _draw(comparison: Comparison, folder: Path) -> None:
    """Figures for a paper, and which of them were left out."""
    from betterthan.plot.drawing import write_figures

    written, left_out = write_figures(comparison, folder)
    for line in left_out:
        say(f"left out {line}")
    say(f"wrote {len(written)} files into {folder}")


def _votes(
    files: list[str], data: xr.DataArray, method: str, judge: str | None
) -> xr.DataArray | xr.Dataset:
    """Votes with who was shown first and who judged, which counts of them do not say, where that is
    asked.
    """
    if method != "advised" and judge is None:
        return data
    if data.attrs.get("layout") == "votes" and len(files) == 1 and names.DATASET not in data.dims:
        judged = bt.io.read_judgments(files[0], judge=judge)
        say(str(judged.attrs["reading"]))
        return judged
    if judge is not None:
        raise ValueError(
            f"--judge {judge} is for votes, in one file of one data set; or, with --human COLUMN, "
            "for outcomes that a judge gave"
        )
    return data


def _prior(text: str | None) -> str | tuple[float, ...] | None:
    named_priors = (*names.PRIORS, names.SKEPTICAL)
    if text is None or text in named_priors:
        return text
    try:
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise ValueError(
            f"prior is {text!r}; give one of {', '.join(named_priors)}, or three numbers such as "
            "1,1,1"
        ) from None
