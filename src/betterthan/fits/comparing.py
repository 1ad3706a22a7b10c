"""What a fitted model says of all pairs of systems: the tree knows its model."""

from collections.abc import Mapping
from typing import Any

import xarray as xr

from betterthan import names
from betterthan.fits.of_abilities import of_dispersions, read_abilities
from betterthan.fits.of_counts import read_clusters, read_datasets, read_graded
from betterthan.posterior.pairwise import MODELS, Fit, pair_answers
from betterthan.posterior.sampled import in_other_unit
from betterthan.posterior.table import Question
from betterthan.results.comparison import Comparison
from betterthan.results.stored_draws import kept
from betterthan.signed import Signature

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
        If the fit has not converged, a pair or a data set has no win and no loss, a system won or
        lost everything, or too many graded scores nearly tie.

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
    result.attrs |= fit.signed(question, answer=answer, unit=unit).to_attrs()
    draws, left_out = kept(tree)
    if left_out:
        notes = (*(Signature.from_attrs(result.attrs).notes or ()), left_out)
        result.attrs |= Signature(notes=notes).to_attrs()
    return Comparison(result, fits={} if draws is None else {fit.model: draws})
