"""What a fitted model says of all pairs of systems: the tree knows its model."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import xarray as xr

from betterthan import checks, names
from betterthan.counts.graded_pairs import MANY, NEAR
from betterthan.counts.shapes import to_square, without_attrs
from betterthan.exact import mallows
from betterthan.io.problems import listed
from betterthan.models import clustered, paired_judgments, priors
from betterthan.posterior import closed, table
from betterthan.posterior.from_draws import SAMPLES as SAMPLES
from betterthan.posterior.pairwise import MODELS, Fit, pair_answers, prior_in
from betterthan.posterior.parameters import posterior_parameters
from betterthan.posterior.sampled import in_other_unit
from betterthan.posterior.table import Question
from betterthan.results.comparison import Comparison
from betterthan.results.saved import kept
from betterthan.signed import Signature


def read_abilities(fit: Fit, question: Question) -> xr.Dataset:
    """All systems jointly, from a fit of judgments or of items; see `fits.compare`."""
    by_item = "expected_score" in fit.posterior
    ability = fit.system_draws("ability")
    draws = fit.system_draws("expected_score") if by_item else ability
    difference = None if by_item else _judgment_difference(fit)
    pairs = table.of_joint_draws(draws, fit.systems, question, differences_of=difference)
    result = _with_systems(fit, pairs, "ability", question)
    top = int(result["ability"].values.argmax())
    reached = result["prob_better"].values[top] >= question.threshold
    result["tied_with_top"] = (names.SYSTEM, ~reached)
    result = result.assign(
        _scores(fit, draws, question) if by_item else _next_judgment(fit, ability)
    )
    attrs = fit.posterior.attrs
    result = result.assign_attrs({k: int(attrs[k]) for k in ("position", "judges") if k in attrs})
    notes = tuple(_separated(fit, by_item))
    return result.assign_attrs(Signature(joint_notes=notes).to_attrs() if notes else {})


def _with_systems(fit: Fit, pairs: xr.Dataset, name: str, question: Question) -> xr.Dataset:
    """Pairs of systems with their verdicts, and what the draws of a variable say of each system."""
    pairs = table.with_verdicts(pairs, question, converged=fit.diagnosis.passed)
    draws = fit.system_draws(name)
    ranks = table.of_systems(draws, fit.systems, ci_prob=question.ci_prob)
    return pairs.merge(ranks, join="exact").assign(table.by_system(name, draws, question))


def _scores(fit: Fit, draws: np.ndarray, question: Question) -> dict[str, tuple[str, np.ndarray]]:
    """Share of items solved, and its expectation over all such items."""
    solved, missed = _solved(fit)
    expected = table.by_system("expected_score", draws, question, prefix="expected_score_")
    return {"score": (names.SYSTEM, solved / (solved + missed))} | expected


def _judgment_difference(fit: Fit) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """P(win) - P(loss) of a judgment without advantage of place, of two abilities (chain, draw,
    ...).
    """
    tie, model = _tie(fit), str(fit.posterior.attrs["tie_model"])
    return lambda x, y: paired_judgments.ahead(x, y, tie, model)


def _next_judgment(fit: Fit, ability: np.ndarray) -> dict[str, tuple[tuple[str, ...], object]]:
    """Posterior mean of the probabilities of win, loss and tie, (system, system, outcome)."""
    tie, model = _tie(fit), str(fit.posterior.attrs["tie_model"])
    rows = [
        np.exp(
            paired_judgments.log_probabilities(ability[..., k : k + 1] - ability, tie, model)
        ).mean((0, 1))
        for k in range(ability.shape[-1])
    ]
    return {
        "expected": ((*names.SQUARE, names.OUTCOME), np.array(rows)),
        names.OUTCOME: ((names.OUTCOME,), list(names.OUTCOMES)),
    }


def _tie(fit: Fit) -> np.ndarray:
    return fit.posterior["tie"].transpose("chain", "draw").values[..., None]


def _separated(fit: Fit, by_item: bool) -> Iterator[str]:
    """The systems that won or lost everything: only the prior bounds their abilities."""
    won, lost = _solved(fit) if by_item else _judged(fit)
    did = ("solved everything", "solved nothing")
    did = did if by_item else ("won every judgment", "lost every judgment")
    for which, outcome in ((lost == 0, did[0]), (won == 0, did[1])):
        if which.any():
            named = listed(np.array(fit.systems)[which].tolist(), 3)
            yield f"! Only the prior bounds the differences from {named}, which {outcome}."


def _solved(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Trials that each system solved and did not solve."""
    solved, tried = (fit.constant[k].sum(names.ITEM).values for k in ("successes", "trials"))
    return solved, tried - solved


def _judged(fit: Fit) -> tuple[np.ndarray, np.ndarray]:
    """Judgments that each system did not lose and did not win, both with ties."""
    won, lost = np.zeros((2, len(fit.systems)))
    win, loss, tie = fit.constant["counts"].values.T
    for side, wins, others in (("a", win, loss), ("b", loss, win)):
        np.add.at(won, fit.constant[side].values, wins + tie)
        np.add.at(lost, fit.constant[side].values, others + tie)
    return won, lost


def of_dispersions(fit: Fit, question: Question, *, items: int | None = None) -> xr.Dataset:
    """Systems by the concentration of their orders around the references; see `fits.compare`."""
    attrs = fit.posterior.attrs
    items = _median(attrs) if items is None else checks.whole(items, "items", 2)
    theta = fit.system_draws("theta")
    pairs = table.of_joint_draws(theta, fit.systems, question)
    comparison = _with_systems(fit, pairs, "theta", question)
    tau = fit.system_draws("expected_tau")
    comparison = comparison.assign(
        table.by_system("expected_tau", tau, question, prefix="expected_tau_")
    )
    low, high = _new_tau(fit, theta.reshape(-1, theta.shape[-1]), items, question.ci_prob)
    new = {"new_tau_lower": (names.SYSTEM, low), "new_tau_upper": (names.SYSTEM, high)}
    fit_attrs = {key: attrs[key] for key in ("pooling", "n_documents")}
    return comparison.assign(new).assign_attrs(fit_attrs | {"items": items})


def _median(attrs: dict[Any, Any]) -> int:
    """Items of the middle one of all orders; a fit of an older version has each size once."""
    sizes = np.atleast_1d(attrs["items"])
    return int(np.median(np.repeat(sizes, attrs.get("items_counts", 1))))


def _new_tau(
    fit: Fit, theta: np.ndarray, items: int, ci_prob: float
) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the predictive interval of tau on a document not yet seen."""
    posterior = fit.posterior
    random = np.random.default_rng([int(posterior.attrs["seed"]), items])
    if "document_sd" in posterior:
        spread = posterior[["document_sd", "cell_sd"]].transpose("chain", "draw")
        document, cell = (spread[k].values.reshape(-1, 1) for k in ("document_sd", "cell_sd"))
        theta = (
            theta
            + document * random.normal(size=(len(theta), 1))
            + cell * random.normal(size=theta.shape)
        )
    tau = 1 - 4 * mallows.draw_inversions(theta, np.array(items), random) / (items * (items - 1))
    return tuple(np.quantile(tau, [(1 - ci_prob) / 2, (1 + ci_prob) / 2], axis=0))  # type: ignore


def by_label(difference: xr.DataArray, dim: str, *, square: bool) -> xr.Dataset:
    """P(A better) of each label of `dim`, as ``prob_better_<dim>`` with its error, from draws
    (chain, draw, pair, `dim`) of differences.
    """
    labels = xr.DataArray(difference[dim].values.tolist(), dims=dim, name=dim)
    answers = [
        better_only(difference.isel({dim: k}, drop=True), dim, square=square)
        for k in range(labels.size)
    ]
    return xr.concat(answers, labels, join="exact")


def better_only(difference: xr.DataArray, ending: str, *, square: bool) -> xr.Dataset:
    """P(A better), as ``prob_better_<ending>`` with its error."""
    signs = table.of_signs(difference, square=square).drop_vars("ess")
    return signs.rename({name: str(name).replace("better", f"better_{ending}") for name in signs})


def closed_answer(
    counts: xr.DataArray, prior: Any, question: Question, n: xr.DataArray
) -> xr.Dataset:
    """P(A better) and verdicts by the closed form: all examples alike and independent."""
    of = posterior_parameters(counts, prior)
    answers = xr.Dataset({"prob_better": of.wrap(closed.better(of))})
    if question.rope:
        mass = closed.masses(of, question.rope)
        answers = answers.assign_coords({names.REGION: list(names.REGIONS)})
        answers["mass"] = (*answers["prob_better"].dims, names.REGION), mass
    return table.with_verdicts(without_attrs(answers), question, n=n)[["prob_better", "verdict"]]


def to_shape(values: xr.DataArray, square: bool) -> xr.DataArray:
    """Reshape numbers by pair, equal for (A, B) and (B, A), to the shape of the answers."""
    plain = without_attrs(values)
    return to_square(plain, mirror="same") if square else plain


def named_pair(counts: xr.DataArray, k: int) -> str:
    """The two systems of a pair, in words."""
    return f"{counts[names.SYSTEM_A].values[k]} and {counts[names.SYSTEM_B].values[k]}"


def read_clusters(fit: Fit, question: Question) -> xr.Dataset:
    """The population of clusters, from a fit of the clustered model; see `fits.compare`."""
    counts = fit.constant["counts"]
    total = counts.sum("cluster")
    _warn_indecisive(total)
    sizes = _sizes(fit, total, question.ci_prob)
    result = _decided(fit, fit.posterior["difference"], question, sizes["n"])
    result = result.merge(sizes, join="exact", compat="no_conflicts")
    result = result.assign_attrs(n_clusters=counts.sizes["cluster"])
    prior = prior_in(fit.posterior.attrs)
    if prior is None or isinstance(prior, str):  # of which there is no closed form beside
        return result
    shaped = to_square(total) if fit.square else total
    independent = closed_answer(shaped.astype(np.int64), prior, question, sizes["n"])
    result = result.assign({f"{name}_independent": independent[name] for name in independent})
    if "correlation" not in fit.posterior.attrs:
        exact = without_attrs(clustered.closed_form(counts, prior=prior))  # by pair
        if fit.square:
            # mirrored, P(B better) is 1 - P(A better): of tails below 1e-16 closed_form says more
            exact = to_square(exact, mirror="probability", diagonal=0.5)
        result["prob_better_exact"] = exact
    return result


def _sizes(fit: Fit, total: xr.DataArray, ci_prob: float) -> xr.Dataset:
    """Number of items, and effective sample size."""
    parts = {"n": total.sum(names.OUTCOME)}
    for key in ("design_effect", "correlation"):
        values = fit.posterior[key]
        bounds = values.quantile([(1 - ci_prob) / 2, (1 + ci_prob) / 2], dim=SAMPLES)
        parts[key] = values.mean(SAMPLES)
        for k, end in enumerate(("lower", "upper")):
            parts[f"{key}_{end}"] = bounds.isel(quantile=k, drop=True)
    parts["n_effective"] = parts["n"] / parts["design_effect"]
    return xr.Dataset({key: to_shape(value, fit.square) for key, value in parts.items()})


def _warn_indecisive(total: xr.DataArray) -> None:
    none = total.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME).values == 0
    if none.any():
        more = f", and {int(none.sum()) - 1} more pairs" if none.sum() > 1 else ""
        checks.warn(
            f"only the prior decides who is better of {named_pair(total, int(none.argmax()))}"
            f"{more}: no win and no loss"
        )


def read_datasets(
    fit: Fit, question: Question, *, weights: Mapping[str, float] | None = None
) -> xr.Dataset:
    """Several data sets, from a fit of the hierarchical model; see `fits.compare`."""
    factors = [str(f) for f in np.atleast_1d(fit.posterior.attrs["factors"])]
    counts = _flat(fit.constant["counts"], factors)
    gap = _ahead(_flat(fit.posterior["theta"], factors))
    _warn_indecisive_datasets(counts)
    total = counts.sum(names.DATASET).astype(np.int64)
    n = to_shape(total.sum(names.OUTCOME), fit.square)
    shares = _shares(counts, weights)
    targets = {name: (gap * share).sum(names.DATASET) for name, share in shares.items()}
    result = _by_target(fit, targets | {"new": _ahead(fit.posterior["theta_new"])}, question, n)
    result = result.merge(by_label(gap, names.DATASET, square=fit.square), join="exact")
    if not isinstance(prior_in(fit.posterior.attrs), str):
        all_items = to_square(total) if fit.square else total
        pooled = closed_answer(all_items, _prior(fit), question, n)
        result = result.assign({f"{name}_pooled": pooled[name] for name in pooled})
        result = result.assign(_unpooled(fit, counts, question, n))
        result["verdict_changes"] = result["verdict"] != result["verdict_pooled"]
    if "correlation" in fit.posterior:  # not of crossed factors, nor where it was held
        result["correlation"] = to_shape(fit.posterior["correlation"].mean(SAMPLES), fit.square)
    return result.assign_attrs(factors=factors)


def _by_target(
    fit: Fit, targets: dict[str, xr.DataArray], question: Question, n: xr.DataArray
) -> xr.Dataset:
    """Answers from draws of the difference over each target."""
    tables = [_decided(fit, d, question, n) for d in targets.values()]
    labels = xr.DataArray(list(targets), dims="target", name="target")
    return xr.concat(tables, labels, join="exact")


def _decided(
    fit: Fit, difference: xr.DataArray, question: Question, n: xr.DataArray | None = None
) -> xr.Dataset:
    """Answers and verdicts from draws of a difference; `n` items, where it is known."""
    result = table.of_differences(difference, question, square=fit.square)
    return table.with_verdicts(result, question, converged=fit.diagnosis.passed, n=n)


def _unpooled(
    fit: Fit, counts: xr.DataArray, question: Question, n: xr.DataArray
) -> dict[str, xr.DataArray]:
    """Unweighted mean over data sets of their separate answers, by exact draws of the conjugate
    posteriors.
    """
    draws = _averaged(fit, counts)
    result = table.with_verdicts(
        table.of_differences(draws, question, square=fit.square), question, n=n
    )
    renamed = {name: f"{name}_unpooled" for name in ("prob_better", "prob_better_mcse", "verdict")}
    renamed |= {f"difference_{k}": f"difference_unpooled_{k}" for k in ("lower", "upper")}
    renamed["difference_mean"] = "difference_unpooled"
    return {new: result[old] for old, new in renamed.items()}


def _averaged(fit: Fit, counts: xr.DataArray) -> xr.DataArray:
    """Draws (chain, draw, pair) of the mean of the differences of all data sets."""
    random = np.random.default_rng([fit.posterior.attrs["seed"], 2])
    values = counts.transpose(names.DATASET, names.PAIR, names.OUTCOME).values
    shape = tuple(fit.posterior.sizes[k] for k in SAMPLES)
    ahead = np.zeros((*shape, values.shape[1]))
    for parameters in values + np.array(_prior(fit) or checks.prior(None)):
        theta = priors.draw_dirichlet(random, parameters, shape)
        ahead += (theta[..., 0] - theta[..., 1]) / len(values)
    pairs = {k: counts[k] for k in (names.PAIR, *names.SQUARE)}
    return xr.DataArray(ahead, dims=(*SAMPLES, names.PAIR), coords=pairs)


def _prior(fit: Fit) -> tuple[float, ...] | None:
    """That of a data set by itself; of crossed factors none was given."""
    crossed = np.size(fit.posterior.attrs["factors"]) == 2
    return None if crossed else tuple(np.atleast_1d(fit.posterior.attrs["prior"]))


def _ahead(theta: xr.DataArray) -> xr.DataArray:
    win, loss = (theta.sel({names.OUTCOME: k}, drop=True) for k in names.DECISIVE)
    return win - loss


def _flat(values: xr.DataArray, factors: list[str]) -> xr.DataArray:
    """Values over one dim dataset, the first; of crossed factors it holds their cells."""
    values = values.transpose(*factors, ...)
    labels = [str(label) for label in values[factors[0]].values]
    if len(factors) == 2:
        labels = [f"{a} / {b}" for a in labels for b in values[factors[1]].values]
    other_dims = values.dims[len(factors) :]
    flat = values.values.reshape(len(labels), *values.shape[len(factors) :])
    coords_other = {k: c for k, c in values.coords.items() if not set(factors) & set(c.dims)}
    coords = coords_other | {names.DATASET: labels}
    return xr.DataArray(flat, dims=(names.DATASET, *other_dims), coords=coords)


def _shares(counts: xr.DataArray, weights: Mapping[str, float] | None) -> dict[str, xr.DataArray]:
    """How much each data set weighs for each pair, by the name of the target."""
    n = without_attrs(counts.sum(names.OUTCOME))
    equal = xr.ones_like(n) / n.sizes[names.DATASET]
    shares = {"equal": equal, "size": (n / n.sum(names.DATASET)).fillna(equal)}
    if weights is not None:
        checked = _weights(weights, n[names.DATASET].values.tolist())
        shares["given"] = xr.ones_like(n) * xr.DataArray(checked, dims=names.DATASET)
    return shares


def _weights(weights: Mapping[str, float], labels: list[str]) -> np.ndarray:
    checks.of_type(weights, Mapping, "weights are", "mapping from data set to its share")
    named = {str(k): v for k, v in weights.items()}
    unknown, missing = [x for x in named if x not in labels], [x for x in labels if x not in named]
    if unknown or missing:
        problem = f"there is no data set {unknown[0]!r}" if unknown else ""
        problem = problem or f"data set {missing[0]!r} has no weight"
        raise ValueError(f"{problem}; give a weight to each of {', '.join(labels)}")
    values = np.array([float(named[label]) for label in labels])
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        raise ValueError(f"a weight is {values[bad][0]}; weights are at least 0")
    if abs(values.sum() - 1) > 1e-6:
        raise ValueError(f"weights sum to {values.sum():g}; they are shares and sum to 1")
    return values


def _warn_indecisive_datasets(counts: xr.DataArray) -> None:
    decisive = counts.sel({names.OUTCOME: list(names.DECISIVE)}).sum(names.OUTCOME)
    none = (decisive == 0).transpose(names.DATASET, names.PAIR).values
    if none.any():
        d, p = np.argwhere(none)[0]
        more = f", and {int(none.sum()) - 1} more" if none.sum() > 1 else ""
        checks.warn(
            f"the result of {named_pair(counts, p)} in data set "
            f"{counts[names.DATASET].values[d].item()!r}{more} comes from the other data sets and "
            "the prior: no win and no loss there"
        )


def read_graded(fit: Fit, question: Question) -> xr.Dataset:
    """Graded scores, from a fit of the graded model; see `fits.compare`."""
    posterior = fit.posterior
    result = _decided(fit, posterior["difference"], question)
    result = result.assign(_withheld(fit, result))
    size = without_attrs(posterior["effect_size"].mean(SAMPLES))
    result["effect_size"] = to_square(size, mirror="difference")
    for key in ("n", "n_tied", "near_ties"):
        result[key] = to_square(fit.constant[key], mirror="same")
    if "dataset_difference" in posterior:
        new = better_only(posterior["new_difference"], "new", square=True)
        by_dataset = by_label(posterior["dataset_difference"], names.DATASET, square=True)
        result = result.merge(new, join="exact").merge(by_dataset, join="exact")
    return result.assign_attrs(n_rows=int(posterior.attrs["n_rows"]))


def _withheld(fit: Fit, result: xr.Dataset) -> dict[str, xr.DataArray]:
    """Withhold verdicts where most differences are close to 0."""
    near_ties = fit.constant["near_ties"]
    flat = near_ties.values > MANY
    if flat.any():
        k = int(flat.argmax())
        a, b = (str(near_ties[side].values[k]) for side in names.SQUARE)
        more = f" (and {int(flat.sum()) - 1} more pairs)" if flat.sum() > 1 else ""
        checks.warn(
            f"no verdict for {a!r} and {b!r}{more}: {near_ties.values[k]:.0%} of their differences "
            f"are below {NEAR:.0%} of the 90th percentile, so the typical difference would be one "
            "of all but ties; pass resolution= with the largest difference that is a tie"
        )
    few = to_square(near_ties.copy(data=flat.astype(float)), mirror="same") == 0
    mask = without_attrs(few).reset_coords(drop=True)
    return {
        "verdict": result["verdict"].where(mask, "no_verdict"),
        "also_ahead": result["also_ahead"] & mask,
    }


# of each model: who reads its fits, and the unit of evidence
_READERS = {
    "clustered": (read_clusters, "cluster"),
    "davidson": (read_abilities, "judgment"),
    "graded": (read_graded, names.ITEM),
    "hierarchical": (read_datasets, names.ITEM),
    "item_response": (read_abilities, names.ITEM),
    "mallows": (of_dispersions, "document"),
    "repeated": (read_abilities, names.ITEM),
} | dict.fromkeys(MODELS, (pair_answers, names.ITEM))
READABLE = tuple(_READERS)
_OPTION_MODELS = {"weights": "hierarchical", "items": "mallows"}
_SCORE_MODELS = ("graded", "mallows")  # the rope is no difference of probabilities


def compare(
    tree: xr.DataTree,
    *,
    rope: float = names.ROPE,
    ci_prob: float = names.CI_PROB,
    ci_kind: str = names.CI_KIND,
    threshold: float = names.VERDICT_PROB,
    weights: Mapping[str, float] | None = None,
    items: int | None = None,
) -> Comparison:
    """Compare the systems of a fitted model, with verdicts and ranks.

    Its results depend on the model, as the list below shows.

    Parameters
    ----------
    tree : xarray.DataTree
        Fit of the model ``dirichlet_multinomial``, ``beta_binomial``, ``independent_betas``,
        ``judge``, ``clustered``, ``davidson``, ``graded``, ``hierarchical``, ``item_response``,
        ``mallows``, or ``repeated``; a tree from `fits.adopt`; or exact draws from
        `posterior.draws`.
    rope : float, default 0
        Half-width of the region of practical equivalence (ROPE), in the unit of the model: a
        difference of probabilities, of proportions solved, of graded scores, or of theta. For an
        adopted difference, any number from 0 on, in its unit.
    ci_prob : float, default 0.95
        Level of the credible intervals.
    ci_kind : {"hdi", "eti"}, default "hdi"
        Kind of interval: highest density or equal-tailed.
    threshold : float, default 0.95
        Posterior probability needed for a verdict, above 0.5.
    weights : mapping of data set to float, optional
        For ``hierarchical``: proportions of the data sets in the population that you care about
        (post-stratification); they sum to one. For crossed factors, the names are ``"row /
        column"``.
    items : int, optional
        For ``mallows``: number of items of the new document whose tau is predicted. Default: the
        median of the observed documents.

    Returns
    -------
    Comparison
        Print it for the answer; its ``fits`` hold the tree. Its data, over (system_a, system_b), or
        (pair,) if the counts came by pair:

        - ``prob_better``, ``difference_mean``, ``difference_lower``, ``difference_upper`` (positive
          if A is better), and ``mass`` (region), each with its ``_mcse``
        - ``verdict``: ``no_verdict`` if the fit has not converged

        Further variables, by model:

        - ``clustered``: ``prob_better_exact``, the same without draws; ``prob_better_independent``
          and ``verdict_independent``, as if items were independent; ``n``, ``design_effect``, and
          ``correlation`` (with ``_lower`` and ``_upper``); ``n_effective``, the effective sample
          size.
        - ``clustered`` and ``hierarchical`` with a PyMC prior, or a prior for each pair: without
          the results in closed form.
        - ``davidson``, ``item_response`` and ``repeated``: over system ``ability`` (log odds, sum
          zero) and its ``lower``, ``upper``, ``prob_best``, ``expected_rank``, ``tied_with_top``
          (no verdict that the system with the highest ability is better), ``in_best_set`` (fewest
          systems that contain the best one with probability `ci_prob`); ``prob_rank`` over (system,
          rank). For judgments ``expected`` (outcome), the probabilities of the next one; for items
          ``score``, the proportion solved, and ``expected_score`` with ``_lower``, ``_upper``, the
          proportion of all such items.
        - ``graded``: the difference is the typical one, not that of means. ``effect_size``
          (posterior mean of centre over scale), ``n``, ``n_tied``, ``near_ties`` (proportion of
          differences below 1% of their 90th percentile; above a tenth, ``no_verdict``); for several
          data sets ``prob_better_dataset`` (dataset, ...) and ``prob_better_new``, for a new data
          set.
        - ``hierarchical``: a leading dim ``target``: ``equal`` (each data set weighs the same),
          ``size`` (by its number of items), ``given`` (with `weights`), and ``new``, a new data
          set. ``prob_better_dataset`` over (dataset, ...) is shrunk to the common mean;
          ``prob_better_pooled`` and ``verdict_pooled`` are the closed form for all items pooled;
          ``prob_better_unpooled``, ``difference_unpooled`` with ``_lower`` and ``_upper``, and
          ``verdict_unpooled`` average separate analyses of the data sets with equal weights;
          ``verdict_changes`` marks verdicts that differ; ``correlation`` is that of two items of
          one data set.
        - ``mallows``: better is the larger theta. Over system ``theta`` with ``theta_mcse``,
          ``lower``, ``upper``; ``expected_tau`` on the observed documents with its ``_lower`` and
          ``_upper``; ``new_tau_lower`` and ``new_tau_upper``, the bounds of tau on a new document;
          ``prob_best``, ``expected_rank``, ``in_best_set``, and ``prob_rank`` as above.

    Raises
    ------
    ValueError
        If the tree is not a fit of these models, an argument does not apply to its model or is not
        valid, or weights do not match the data sets.

    Warns
    -----
    UserWarning
        If the fit has not converged, a pair or a data set has no win and no loss, or too many
        graded scores nearly tie.

    Examples
    --------
    >>> import betterthan as bt
    >>> tree = bt.datasets.example_fit("hierarchical")  # as models.hierarchical.fit returns it
    >>> comparison = bt.fits.compare(tree)
    >>> better = comparison["prob_better"]
    >>> better.sel(target="new").item() < better.sel(target="equal").item()
    True
    """
    fit = Fit.from_tree(tree, READABLE)
    other_unit = in_other_unit(fit.posterior)
    question = Question.checked(
        rope,
        ci_prob,
        ci_kind,
        threshold,
        of_score=other_unit or fit.model in _SCORE_MODELS,
        unit=names.OF_DIFFERENCE if other_unit else "the score",
    )
    options: dict[str, Any] = {}
    for name, value in (("weights", weights), ("items", items)):
        if value is None:
            continue
        if fit.model != _OPTION_MODELS[name]:
            raise ValueError(
                f"{name} is for a fit of {_OPTION_MODELS[name]}; this is one of {fit.model}"
            )
        options[name] = value
    reader, unit = _READERS[fit.model]
    result = reader(fit, question, **options)
    answer = "dispersions" if fit.model == "mallows" else "pairs"
    passed = None if weights is None else ", ".join(f"{k} {v:g}" for k, v in weights.items())
    result.attrs |= fit.signed(question, answer=answer, unit=unit, weights=passed)
    draws, left_out = kept(tree)
    if left_out:
        notes = (*(Signature.from_attrs(result.attrs).notes or ()), left_out)
        result.attrs |= Signature(notes=notes).to_attrs()
    return Comparison(result, fits={} if draws is None else {fit.model: draws})
