"""Commands on component scores, on what predicts a response, and on orders."""

from pathlib import Path
from typing import Annotated, Any

import typer

from betterthan import names
from betterthan.cli.console import one_file, put, say
from betterthan.cli.options import (
    File,
    Format,
    Ignore,
    Interval,
    Lower,
    Output,
    Prob,
    Rope,
    Scale,
    Seed,
    Shuffles,
    Systems,
)


def measures(
    file: File,
    statistic: Annotated[str | None, typer.Option(help=", ".join(names.STATISTICS))] = None,
    beta: Annotated[float, typer.Option(help="For f_beta: the weight of recall.")] = 1.0,
    unit: Annotated[
        str | None,
        typer.Option(help="Item column whose items stay together; by default clusters."),
    ] = None,
    rope: Rope = names.ROPE,
    interval: Interval = names.CI_KIND,
    ci_prob: Prob = names.CI_PROB,
    draws: Annotated[
        int, typer.Option(help="Joint draws of the Bayesian bootstrap.")
    ] = names.BOOTSTRAP_DRAWS,
    shuffles: Shuffles = names.SHUFFLES,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    layout: Annotated[
        str | None,
        typer.Option(
            help="confusion, predictions, tallies, wide or long; recognised when not given."
        ),
    ] = None,
    systems: Systems = None,
    ignore: Ignore = None,
    lower_is_better: Lower = False,
    scale: Scale = 1,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Precision, recall and F with their uncertainty, and systems compared by them on the same
    items.
    """
    import betterthan as bt
    from betterthan.cli.reading import measured, with_seed

    form, target = one_file(format, output, "measures", [file])
    data, confusions, default = measured(
        file,
        layout,
        higher_is_better=not lower_is_better,
        scale=scale,
        systems=systems.split(",") if systems is not None else None,
        ignore=ignore.split(",") if ignore is not None else None,
    )
    say(str((data if data is not None else confusions).attrs["reading"]))
    answers = [] if confusions is None else [with_seed(confusions, seed)]
    if data is not None:
        comparison = bt.scores.compare(
            data,
            statistic=statistic or default,
            beta=beta,
            unit=unit,
            rope=rope,
            ci_prob=ci_prob,
            ci_kind=interval,
            draws=draws,
            shuffles=shuffles,
            correction=correction,
            rng=seed,
        )
        answers.insert(0, comparison)
    put(bt.report(*answers, format=form), target)


def outcome(
    file: Annotated[
        Path,
        typer.Argument(metavar="FEATURES", help="One row for each dialogue, one column a feature."),
    ],
    outcome: Annotated[str, typer.Option(help="The column to predict.")],
    features: Annotated[
        str | None, typer.Option(help="Columns to choose from, comma-separated; all others.")
    ] = None,
    direction: Annotated[
        str, typer.Option(help=f"Of the stepwise search: {', '.join(names.DIRECTIONS)}.")
    ] = "both",
    leave_out: Annotated[
        str | None,
        typer.Option(help="Column whose rows are left out together; row: each by itself."),
    ] = None,
    method: Annotated[
        str, typer.Option(help="exact (least squares), or both (the PyMC model beside it).")
    ] = "exact",
    ordinal: Annotated[
        bool, typer.Option("--ordinal", help="PyMC: the outcome is ordered categories.")
    ] = False,
    draws: Annotated[int, typer.Option(help="PyMC: draws kept in each chain.")] = 2 * names.DRAWS,
    components: Annotated[
        Path | None,
        typer.Option(help="PyMC: a table of components and their features, to compare by outcome."),
    ] = None,
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Which component scores predict an outcome, and which component it makes the better one."""
    import betterthan as bt
    from betterthan.cli.reading import component_table, plain_table

    form, target = one_file(format, output, "outcome", [file, components])
    from betterthan import checks

    checks.one_of(method, ("exact", "both"), "method")
    if method == "exact" and (ordinal or components is not None):
        raise ValueError("--ordinal and --components need the PyMC model: add --method both")
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
    put(bt.report(*answers, format=form), target)


def order(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Orders or ranks of systems (or judges).")
    ],
    reference: Annotated[
        list[str] | None,
        typer.Option(
            help="System that is the reference; several times for several. None: agreement."
        ),
    ] = None,
    references: Annotated[
        str, typer.Option(help="Several: mean, weighted, best or consensus.")
    ] = "mean",
    restrict: Annotated[
        str | None, typer.Option(help="common: compare the items that both orders have.")
    ] = None,
    model: Annotated[
        bool, typer.Option("--model", help="Fit the Mallows model with PyMC, too.")
    ] = False,
    rope: Rope = names.ROPE,
    interval: Interval = names.CI_KIND,
    ci_prob: Prob = names.CI_PROB,
    draws: Annotated[
        int, typer.Option(help="Joint draws of the Bayesian bootstrap.")
    ] = names.BOOTSTRAP_DRAWS,
    shuffles: Shuffles = names.SHUFFLES,
    correction: Annotated[str, typer.Option(help=", ".join(names.CORRECTIONS))] = "holm",
    seed: Seed = None,
    format: Format = None,
    output: Output = None,
) -> None:
    """Kendall's tau of orders against a reference, chance and each other; without a reference,
    agreement.
    """
    import betterthan as bt
    from betterthan.cli.reading import order_answers, ordered

    form, target = one_file(format, output, "order", [file])
    orders, names_of, several = ordered(file, reference, restrict)
    answers: list[Any] = order_answers(orders, names_of, restrict)
    if several:
        compared = bt.orders.compare(
            orders,
            names_of,
            references=references,
            rope=rope,
            ci_prob=ci_prob,
            ci_kind=interval,
            draws=draws,
            shuffles=shuffles,
            correction=correction,
            rng=seed,
        )
        answers.append(compared)
    if model:
        taus = bt.orders.kendall_tau(
            orders, names_of or bt.orders.consensus(orders)["order"], restrict=restrict
        )
        pooling = "partial" if taus.sizes.get("document", 1) > 1 else "complete"
        dispersions = bt.fits.compare(
            bt.models.mallows.fit(taus, pooling=pooling, tied="half", rng=seed)
        )
        answers.append(dispersions)
    put(bt.report(orders, *answers, format=form), target)
