"""Scores of few systems whose joint posterior is known, and its evidence."""

import tomllib
from pathlib import Path

import numpy as np

from betterthan.exact.joint import abilities, units
from betterthan.exact.joint.abilities import Evidence

REFERENCE = tomllib.loads(
    (Path(__file__).parents[2] / "reference" / "joint.toml").read_text("utf-8")
)
PRIOR = (1.0, 1.0, 1.0)


def _right(formula, items, systems):
    i, s = np.indices((items, systems))
    return formula(i, s).astype(float)


SCORES = {
    "a": np.array([[int(c) for c in row] for row in REFERENCE["a"]["rows"].split()], dtype=float),
    "b": _right(lambda i, s: (i * i * (s + 1) + 7 * i + s) % 13 < 5 + s, 40, 5),
    "c": _right(lambda i, s: (37 * i + 11 * s) % 50 < np.where(s < 4, 20, 33) + s % 2, 50, 8),
    "d": np.array(REFERENCE["d"]["rows"], dtype=float),
}


def rasch(systems, items, sd, seed=0):
    """Right and wrong answers of systems with normal abilities, on items some of which are hard."""
    random = np.random.default_rng(seed)
    odds = random.normal(size=systems) * sd + 1.5 * random.normal(size=(items, 1))
    return (random.random((items, systems)) < 1 / (1 + np.exp(-odds))).astype(float)


def evidence(scores, *, skewed=False) -> Evidence:
    """Of right and wrong items, or of graded ones by t."""
    if np.isin(scores, (0, 1)).all():
        return abilities.evidence_from_right(scores.T @ scores, len(scores), PRIOR)
    sizes, unit = np.ones(scores.shape), np.arange(len(scores))
    of = units.means(scores, sizes)
    pairs = units.pair_means(scores, sizes, unit, skewed=skewed)
    return abilities.evidence_from_means(of.mean, of.covariance, of.df, pairs, float(scores.std()))
