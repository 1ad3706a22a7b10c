"""Importance sampling of the models of judgments: normal given their spreads, or nearly so."""

import numpy as np
from scipy import sparse

from betterthan import names
from betterthan.counts.judgments import Rows
from betterthan.exact.laplace import judgments, spreads
from betterthan.exact.laplace.nested import Posterior
from betterthan.models import importance, log_priors, shrinkage, tie_models
from betterthan.models.importance import Values, Variable

EFFECT = 0.5  # standard deviation of the normal prior of the position
JUDGES = (-1.2, 0.7)  # of the logarithm of the spread over judges
_ROW_MODELS = {"davidson": judgments.DAVIDSON, "rao_kupper": judgments.RAO_KUPPER}
_SD = spreads.gamma(shrinkage.SHAPE, shrinkage.RATE)
_JUDGE_SPREAD = spreads.log_normal(*JUDGES)


def build_posterior(rows: Rows, tie_model: str, *, position: bool, judges: bool) -> Posterior:
    """The parameters: abilities, what judges add to tie and to the advantage of the first place,
    tie, and that advantage; the last three where they are asked for.
    """
    kinds = [(len(rows.systems), _SD)]
    kinds += [(len(rows.judges), _JUDGE_SPREAD)] * (judges * (1 + position))
    others = [tie_models.PRIOR[tie_model]] + [(0.0, EFFECT)] * position
    prior = spreads.Effects(tuple(kinds), np.array(others))
    d_design, tie_design, netted = _designs(rows, position=position, judges=judges)
    counts = rows.counts.T.astype(float)
    likelihood = judgments.Judgments(counts, d_design, tie_design, netted, _ROW_MODELS[tie_model])
    return Posterior(prior, likelihood)


def variables(
    rows: Rows,
    by_judge: dict[str, np.ndarray],
    won: tuple[np.ndarray, np.ndarray],
    position: bool,
    v: np.ndarray,
    x: np.ndarray,
) -> dict[str, Variable]:
    """All variables of the PyMC model, of each draw.

    Parameters
    ----------
    rows : Rows
    by_judge : dict
        Of each judge ties, judgments won by the first, and judgments; empty without judges.
    won : tuple of numpy.ndarray
        Judgments each system won, and in how many it was.
    position : bool
    v, x : numpy.ndarray
        Spreads in their coordinates, (draw, spread), and parameters, (draw, parameter).
    """
    n, j = len(rows.systems), len(rows.judges) if by_judge else 0
    abilities, tied, placed, others = np.split(x, np.cumsum([n, j, j * position]), axis=1)
    sd, system_dims = _SD(v[:, 0]), (names.SYSTEM,)
    variables: dict[str, Variable] = {
        "ability_raw": (system_dims, shrinkage.free_abilities(abilities, sd, *won)),
        "ability_sd": ((), sd),
        "tie": ((), others[:, 0]),
        "ability": (system_dims, abilities - abilities.mean(1, keepdims=True)),
    }
    variables |= {"position": ((), others[:, 1])} if position else {}
    if tied.size:
        variables |= _judge_variables(
            "judge_tie", tied, v[:, 1], by_judge["tied"], by_judge["tried"]
        )
    if placed.size:
        variables |= _judge_variables(
            "judge_position", placed, v[:, 2], by_judge["first"], by_judge["tried"]
        )
    return variables


def log_prior(
    by_judge: dict[str, np.ndarray],
    won: tuple[np.ndarray, np.ndarray],
    tie_model: str,
    values: Values,
) -> dict[str, np.ndarray]:
    """Log densities of the variables that have a prior, of each draw; see `variables`."""
    densities = shrinkage.abilities_log_prior(values, *won)
    densities["tie"] = log_priors.normal(values["tie"], *tie_models.PRIOR[tie_model])
    if "position" in values:
        densities["position"] = log_priors.normal(values["position"], 0.0, EFFECT)
    for name, key in (("judge_tie", "tied"), ("judge_position", "first")):
        if f"{name}_raw" in values:
            sd, raw = values[f"{name}_sd"], values[f"{name}_raw"]
            densities[f"{name}_sd"] = log_priors.log_normal(sd, *JUDGES)
            densities[f"{name}_raw"] = shrinkage.log_prior(
                raw, sd, by_judge[key], by_judge["tried"]
            )
    return densities


def outcomes(rows: Rows, tie_model: str, values: Values, random: np.random.Generator) -> np.ndarray:
    """Judgments drawn anew, (draw, row, outcome)."""
    ability, tie = values["ability"], values["tie"][:, None]
    d = ability[:, rows.a] - ability[:, rows.b]
    if "judge_tie_effect" in values:
        tie = tie + values["judge_tie_effect"][:, rows.judge]
    if "position" in values:
        d += values["position"][:, None]
    if "judge_position_effect" in values:
        d += values["judge_position_effect"][:, rows.judge]
    win, loss = tie_models.probabilities(d, tie, tie_model)
    return importance.forward_tables(win, loss, rows.counts.sum(1), random)


def _judge_variables(
    name: str, effects: np.ndarray, v: np.ndarray, won: np.ndarray, tried: np.ndarray
) -> dict[str, Variable]:
    sd, judge_dims = _JUDGE_SPREAD(v), ("judge",)
    return {
        f"{name}_sd": ((), sd),
        f"{name}_raw": (judge_dims, shrinkage.free(effects, sd, won, tried)),
        f"{name}_effect": (judge_dims, effects - effects.mean(1, keepdims=True)),
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
    d_terms, tie_terms = [(rows.a, 1.0), (rows.b, -1.0)], [(_everywhere(rows, tie), 1.0)]
    if position:
        d_terms.append((_everywhere(rows, tie + 1), 1.0))
    if j:
        tie_terms.append((n + rows.judge, 1.0))
    if placed:
        d_terms.append((n + j + rows.judge, 1.0))
    netted = [slice(n, n + j)] * (j > 0) + [slice(n + j, tie)] * (placed > 0)
    return _summed(d_terms, size), _summed(tie_terms, size), tuple(netted)


def _everywhere(rows: Rows, column: int) -> np.ndarray:
    return np.full(len(rows.a), column)


def _summed(parts: list[tuple[np.ndarray, float]], size: tuple[int, int]) -> sparse.csr_array:
    columns = np.concatenate([where for where, _ in parts])
    values = np.repeat([value for _, value in parts], size[0])
    row = np.tile(np.arange(size[0]), len(parts))
    return sparse.csr_array((values, (row, columns)), shape=size)
