"""The models of judgments as posteriors that are normal given their spreads, or nearly so."""

import numpy as np
from scipy import sparse

from betterthan import names
from betterthan.counts.judgments import Rows
from betterthan.exact.laplace import judgments, spreads
from betterthan.exact.laplace.nested import Posterior
from betterthan.models import forward, log_priors, shrinkage, tie_models
from betterthan.models.forward import Values, Variable

EFFECT = 0.5  # standard deviation of the normal prior of the position
JUDGES = (-1.2, 0.7)  # of the logarithm of the spread over judges
_OF_ROWS = {"davidson": judgments.DAVIDSON, "rao_kupper": judgments.RAO_KUPPER}
_SD = spreads.gamma(shrinkage.SHAPE, shrinkage.RATE)
_OF_JUDGES = spreads.log_normal(*JUDGES)


def posterior_of(rows: Rows, tie_model: str, *, position: bool, judges: bool) -> Posterior:
    """The parameters: abilities, what judges add to tie and to the advantage of the first place,
    tie, and that advantage; the last three where they are asked for.
    """
    kinds = [(len(rows.systems), _SD)]
    kinds += [(len(rows.judges), _OF_JUDGES)] * (judges * (1 + position))
    rest = [tie_models.PRIOR[tie_model]] + [(0.0, EFFECT)] * position
    prior = spreads.Effects(tuple(kinds), np.array(rest))
    of_d, of_tie, netted = _designs(rows, position=position, judges=judges)
    counts = rows.counts.T.astype(float)
    likelihood = judgments.Judgments(counts, of_d, of_tie, netted, _OF_ROWS[tie_model])
    return Posterior(prior, likelihood)


def variables(
    rows: Rows,
    seen: dict[str, np.ndarray],
    won: tuple[np.ndarray, np.ndarray],
    position: bool,
    v: np.ndarray,
    x: np.ndarray,
) -> dict[str, Variable]:
    """All variables of the PyMC model, of each draw.

    Parameters
    ----------
    rows : Rows
    seen : dict
        Of each judge ties, judgments won by the first, and judgments; empty without judges.
    won : tuple of numpy.ndarray
        Judgments each system won, and in how many it was.
    position : bool
    v, x : numpy.ndarray
        Spreads in their coordinates, (draw, spread), and parameters, (draw, parameter).
    """
    n, j = len(rows.systems), len(rows.judges) if seen else 0
    each, tied, placed, rest = np.split(x, np.cumsum([n, j, j * position]), axis=1)
    sd, of_system = _SD(v[:, 0]), (names.SYSTEM,)
    told: dict[str, Variable] = {
        "ability_raw": (of_system, shrinkage.free_abilities(each, sd, *won)),
        "ability_sd": ((), sd),
        "tie": ((), rest[:, 0]),
        "ability": (of_system, each - each.mean(1, keepdims=True)),
    }
    told |= {"position": ((), rest[:, 1])} if position else {}
    if tied.size:
        told |= _of_judges("judge_tie", tied, v[:, 1], seen["tied"], seen["tried"])
    if placed.size:
        told |= _of_judges("judge_position", placed, v[:, 2], seen["first"], seen["tried"])
    return told


def log_prior(
    seen: dict[str, np.ndarray],
    won: tuple[np.ndarray, np.ndarray],
    tie_model: str,
    told: Values,
) -> dict[str, np.ndarray]:
    """Log densities of the variables that have a prior, of each draw; see `variables`."""
    found = shrinkage.log_prior_of_abilities(told, *won)
    found["tie"] = log_priors.normal(told["tie"], *tie_models.PRIOR[tie_model])
    if "position" in told:
        found["position"] = log_priors.normal(told["position"], 0.0, EFFECT)
    for name, own in (("judge_tie", "tied"), ("judge_position", "first")):
        if f"{name}_raw" in told:
            sd, raw = told[f"{name}_sd"], told[f"{name}_raw"]
            found[f"{name}_sd"] = log_priors.log_normal(sd, *JUDGES)
            found[f"{name}_raw"] = shrinkage.log_prior(raw, sd, seen[own], seen["tried"])
    return found


def outcomes(rows: Rows, tie_model: str, told: Values, random: np.random.Generator) -> np.ndarray:
    """Judgments drawn anew, (draw, row, outcome)."""
    ability, tie = told["ability"], told["tie"][:, None]
    d = ability[:, rows.a] - ability[:, rows.b]
    if "judge_tie_effect" in told:
        tie = tie + told["judge_tie_effect"][:, rows.judge]
    if "position" in told:
        d += told["position"][:, None]
    if "judge_position_effect" in told:
        d += told["judge_position_effect"][:, rows.judge]
    win, loss = tie_models.chances_of(d, tie, tie_model)
    return forward.tables(win, loss, rows.counts.sum(1), random)


def _of_judges(
    name: str, effects: np.ndarray, v: np.ndarray, won: np.ndarray, tried: np.ndarray
) -> dict[str, Variable]:
    sd, of_judge = _OF_JUDGES(v), ("judge",)
    return {
        f"{name}_sd": ((), sd),
        f"{name}_raw": (of_judge, shrinkage.free(effects, sd, won, tried)),
        f"{name}_effect": (of_judge, effects - effects.mean(1, keepdims=True)),
    }


def _designs(
    rows: Rows, *, position: bool, judges: bool
) -> tuple[sparse.csr_array, sparse.csr_array, tuple[slice, ...]]:
    """Which parameters are summed in the difference and in the tie parameter of each row,
    (row, parameter), and those that count less their mean.
    """
    n, j = len(rows.systems), len(rows.judges) if judges else 0
    placed = j * position
    tie = n + j + placed
    size = (len(rows.a), tie + 1 + position)
    of_d, of_tie = [(rows.a, 1.0), (rows.b, -1.0)], [(_everywhere(rows, tie), 1.0)]
    if position:
        of_d.append((_everywhere(rows, tie + 1), 1.0))
    if j:
        of_tie.append((n + rows.judge, 1.0))
    if placed:
        of_d.append((n + j + rows.judge, 1.0))
    netted = [slice(n, n + j)] * (j > 0) + [slice(n + j, tie)] * (placed > 0)
    return _summed(of_d, size), _summed(of_tie, size), tuple(netted)


def _everywhere(rows: Rows, column: int) -> np.ndarray:
    return np.full(len(rows.a), column)


def _summed(parts: list[tuple[np.ndarray, float]], size: tuple[int, int]) -> sparse.csr_array:
    columns = np.concatenate([where for where, _ in parts])
    values = np.repeat([value for _, value in parts], size[0])
    row = np.tile(np.arange(size[0]), len(parts))
    return sparse.csr_array((values, (row, columns)), shape=size)
