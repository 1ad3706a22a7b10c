"""The page on what a fitted model, or an adopted one, says of all pairs, from `fits.compare`."""

import xarray as xr

from betterthan import names
from betterthan.answers import rows, shown
from betterthan.answers.comparison import Comparison
from betterthan.models.roster import ROSTER
from betterthan.reporting.escapes import on_one_line
from betterthan.reporting.page import Figure, Page, Part, Table, parts_told
from betterthan.signed import Signature

_LIMITS = (
    "Undecided means that these data do not settle the matter, not that the systems are equal.",
    "Each pair is answered by itself: of many pairs some reach the threshold by chance.",
)
_ADOPTED = (
    "The model was sampled by the user and adopted. How often its verdicts are right was not "
    "examined here."
)


def page(found: xr.Dataset) -> Page:
    """Everything a report says of it."""
    comparison, made = Comparison(found), Signature.from_attrs(found.attrs)
    pairs, more = shown.told(comparison)
    heads = tuple(str(column).replace("_", " ") for column in pairs.columns)
    cells = [tuple(on_one_line(str(cell)) for cell in row) for row in pairs.values.tolist()]
    left = 2 if "other" in heads else 1
    table = Table(tuple(head[:1].upper() + head[1:] for head in heads), cells, more, left=left)
    adopted = made.model == names.ADOPTED
    return Page(
        f"Systems compared by {'an' if adopted else 'the model'} {made.model}",
        "Which system is better?",
        parts_told(Part("Pairs", tables=[table], figures=_figures(found)), _model(made)),
        [*(made.notes or ()), *((_ADOPTED,) if adopted else ()), *_LIMITS],
        [on_one_line(comparison.signature())],
        [on_one_line(line) for line in comparison.statement()],
    )


def _figures(found: xr.Dataset) -> list[Figure]:
    """The differences and the matrix, where systems form a square."""
    if names.SYSTEM_A not in found.dims:
        return []
    from betterthan import plot

    data = rows.leading(found)
    figures = [Figure("P(row better than column)", lambda: plot.matrix(data))]
    if "difference_mean" in data:
        figures.insert(0, Figure("Differences", lambda: plot.differences(data)))
    return figures


def _model(made: Signature) -> Part:
    """The model, how it was sampled, and whether the chains agree."""
    assumes = next((spec.assumes for spec in ROSTER if spec.name == made.model), "")
    facts = [("Model", assumes or str(made.model))]
    drawn = f"{made.chains} chains x {made.draws} draws, {made.inference_library or 'own sampler'}"
    facts.append(("Draws", drawn if made.seed is None else f"{drawn}, seed {made.seed}"))
    if made.rhat_max is not None:
        health = f"R-hat at most {made.rhat_max:.3f}, ESS at least {made.ess_min:.0f}"
        known = made.divergences is not None
        divergences = f"{made.divergences} divergences" if known else "divergences not known"
        facts.append(("Convergence", f"{health}, {divergences}"))
    if made.failures:
        facts.append(("Not to be trusted", " ".join(made.failures)))
    return Part("Model and draws", facts=facts)
