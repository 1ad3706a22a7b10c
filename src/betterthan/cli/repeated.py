"""The command `runs`: will a system succeed every time, and which noise is of the runs?"""

from pathlib import Path
from typing import Any

from betterthan import names
from betterthan.cli.console import one_file, put, say
from betterthan.cli.sources import inputs_of, read_arguments, source_of


def runs(
    files: list[str],
    k: str = "1,3,5",
    any_run: bool = False,
    success: float | None = None,
    each_k: bool = False,
    systems: str | None = None,
    same: bool = False,
    cost_item: float | None = None,
    cost_run: float | None = None,
    budget: float | None = None,
    missing: str = "pairwise",
    rope: float = names.ROPE,
    threshold: float = names.VERDICT_PROB,
    ci_prob: float = names.CI_PROB,
    interval: str = "eti",
    seed: int | None = None,
    format: str | None = None,
    page: Path | None = None,
    **reading: Any,
) -> None:
    """Estimate how probable it is that a system succeeds every time, from repeated runs.

    Prints pass^k for each system with its uncertainty, which system is better, and how much of the
    error is due to the runs.

    For example:
      betterthan runs logs/ -k 1,3,5
      betterthan runs results.csv --run trial --cost-item 4 --cost-run 1
      betterthan runs --same old.json old2.json
    """
    import betterthan as bt
    from betterthan import checks

    form, target = one_file(format, page, "runs", inputs_of(files))
    if same:
        _refuse_others(files, any_run=any_run, each_k=each_k, systems=systems, budget=budget)
        put(bt.report(_same(files, success, seed, reading), format=form), target)
        return
    with checks.one_system():
        data = read_arguments(files, systems=systems, **reading)
    reliability = bt.runs.reliability(
        data,
        k=_numbers(k),
        kind="any" if any_run else "all",
        success=success,
        each_k=each_k,
        missing=missing,
        rope=rope,
        threshold=threshold,
        ci_prob=ci_prob,
        ci_kind=interval,
        rng=seed,
    )
    answers: list[Any] = [reliability, bt.runs.noise(data, ci_prob=ci_prob)]
    if not (cost_item is cost_run is budget is None):
        costs = {"cost_item": cost_item, "cost_run": cost_run, "budget": budget}
        costs = {name: cost for name, cost in costs.items() if cost is not None}
        answers.append(bt.plan.runs(data, ci_prob=ci_prob, **costs))
    put(bt.report(*answers, format=form), target)


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"-k is {text!r}; give whole numbers, such as 1,3,5") from None


def _refuse_others(files: list[str], **choices: Any) -> None:
    """Refuse options that an A/A comparison has no use for."""
    if len(files) != 2:
        raise ValueError(f"--same compares two sets of runs of one system; {len(files)} are given")
    for name, value in choices.items():
        if value:
            raise ValueError(f"--{name.replace('_', '-')} does not go with --same; leave it out")


def _same(files: list[str], success: float | None, seed: int | None, reading: Any) -> Any:
    """Both sets of runs, read as two systems of one comparison."""
    import betterthan as bt

    source = source_of(files)
    named = (
        source if isinstance(source, dict) else dict(zip(("first", "second"), files, strict=True))
    )
    data = read_arguments([f"{name}={path}" for name, path in named.items()], **reading)
    say("both files are taken as runs of one system")
    sides = [data.sel({names.SYSTEM: [name]}) for name in data[names.SYSTEM].values]
    return bt.runs.same_system(*sides, success=success, rng=seed)
