"""Commands on component scores, on what predicts a response, and on orders."""

from pathlib import Path
from typing import Any

import betterthan as bt
from betterthan import names
from betterthan.cli.console import one_file, put_report, say
from betterthan.cli.options import reading_options


def measures(
    file: Path,
    systems: str | None = None,
    statistic: str | None = None,
    beta: float = 1.0,
    unit: str | None = None,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    interval: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    seed: int | None = None,
    correction: str = "holm",
    shuffles: int = names.SHUFFLES,
    layout: str | None = None,
    ignore: str | None = None,
    lower_is_better: bool = False,
    higher_is_better: bool = False,
    scale: int = 1,
    format: str | None = None,
    page: Path | None = None,
) -> None:
    """Compute precision, recall and F1 with intervals, and compare systems by them.

    For example:
      betterthan measures labels.csv
      betterthan measures tallies.csv --statistic f1 --seed 1
    """
    from betterthan.cli.reading import changed, measured, refuse_unused

    options: dict[str, Any] = {
        "statistic": statistic,
        "beta": beta,
        "unit": unit,
        "rope": rope,
        "ci_prob": ci_prob,
        "interval": interval,
        "draws": draws,
        "shuffles": shuffles,
        "correction": correction,
    }
    form, target = one_file(format, page, "measures", [file])
    data, confusions, default = measured(
        file,
        layout,
        better=reading_options(lower_is_better=lower_is_better, higher_is_better=higher_is_better),
        scale=scale,
        systems=systems.split(",") if systems is not None else None,
        ignore=ignore.split(",") if ignore is not None else None,
    )
    say(str((data if data is not None else confusions).attrs["reading"]))
    if data is None:
        refuse_unused(changed(measures, options), "comparing systems", f"{file.name} describes one")
    if confusions is not None and seed is not None:  # of the intervals in a report
        confusions = confusions.assign_attrs(seed=seed)
    answers = [] if confusions is None else [confusions]
    if data is not None:
        del options["interval"]  # which Python calls ci_kind
        options["statistic"] = statistic or default
        answers.insert(0, bt.scores.compare(data, **options, ci_kind=interval, rng=seed))
    put_report(answers, form, target)


def outcome(
    file: Path,
    outcome: str,
    features: str | None = None,
    direction: str = "both",
    leave_out: str | None = None,
    ordinal: bool = False,
    components: Path | None = None,
    method: str = "exact",
    draws: int = 2 * names.DRAWS,
    seed: int | None = None,
    format: str | None = None,
    page: Path | None = None,
) -> None:
    """Find the component metrics that predict an end-to-end outcome (PARADISE).

    For example:
      betterthan outcome dialogues.csv --outcome rating
      betterthan outcome dialogues.csv --outcome rating --leave-out user --method both
    """
    from betterthan.cli.reading import component_table, plain_table

    form, target = one_file(format, page, "outcome", [file, components])
    from betterthan import checks

    checks.one_of(method, ("exact", "both"), "method")
    of_model = ordinal or components is not None or draws != 2 * names.DRAWS
    if method == "exact" and of_model:
        options = "--draws, --ordinal and --components"
        raise ValueError(f"{options} need the PyMC model: add --method both")
    columns = [name.strip() for name in features.split(",")] if features is not None else None
    table = plain_table(file, outcome, columns, leave_out)
    function = bt.features.performance_function(
        table, outcome, columns=columns, direction=direction, leave_out=leave_out, rng=seed
    )
    posterior = predicted = None
    if method == "both":
        posterior = bt.models.performance_function.fit(
            table,
            outcome,
            columns=columns,
            by=leave_out,
            ordinal=ordinal,
            sampling=bt.models.Sampling(draws=draws),
            rng=seed,
        )
        if components is not None:
            predicted = bt.features.predict(posterior, component_table(components))
    answers = [answer for answer in (function, posterior, predicted) if answer is not None]
    put_report(answers, form, target)


def order(
    file: Path,
    reference: list[str] | None = None,
    references: str = "mean",
    restrict: str | None = None,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    interval: str = names.CI_KIND,
    draws: int = names.BOOTSTRAP_DRAWS,
    model: bool = False,
    seed: int | None = None,
    correction: str = "holm",
    shuffles: int = names.SHUFFLES,
    format: str | None = None,
    page: Path | None = None,
) -> None:
    """Compare rankings with a reference by Kendall's tau, or their agreement without one.

    For example:
      betterthan order judges.csv
      betterthan order systems.csv --reference gold
    """
    from betterthan.cli.reading import changed, ordered, refuse_unused

    options: dict[str, Any] = {
        "references": references,
        "rope": rope,
        "ci_prob": ci_prob,
        "interval": interval,
        "draws": draws,
        "shuffles": shuffles,
        "correction": correction,
    }
    form, target = one_file(format, page, "order", [file])
    orders, names_of, several = ordered(file, reference, restrict)
    if not several:
        instead = f"{file.name} has one document, or one system"
        instead = instead if restrict is None else "--restrict compares none"
        instead = instead if reference else "no --reference is passed"
        refuse_unused(changed(order, options), "comparing systems", instead)
    answers: list[Any] = []
    if names_of is not None:
        answers.append(bt.orders.kendall_tau(orders, names_of, restrict=restrict))
    else:
        answers.append(bt.orders.agreement(orders, restrict=restrict))
        answers += [] if "document" in orders.dims else [bt.orders.consensus(orders)]
    if several:
        del options["interval"]  # which Python calls ci_kind
        answers.append(bt.orders.compare(orders, names_of, **options, ci_kind=interval, rng=seed))
    if model:
        against = names_of or bt.orders.consensus(orders)["order"]
        taus = bt.orders.kendall_tau(orders, against, restrict=restrict)
        pooling = "partial" if taus.sizes.get("document", 1) > 1 else "complete"
        fit = bt.models.mallows.fit(taus, pooling=pooling, tied="half", rng=seed)
        answers.append(bt.fits.compare(fit))
    put_report([orders, *answers], form, target)
