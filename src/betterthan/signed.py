"""How an answer was made: written into its attrs in one place, and read back from them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from betterthan import __version__, names


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What the attrs of an answer say; None where it does not apply.

    ``answer`` names what it is an answer to, by which a report knows how to show it.
    """

    answer: str | None = None
    version: str | None = None
    data_hash: str | None = None
    # the data
    source: str | None = None
    reading: str | None = None
    citation: str | None = None
    layout: str | None = None
    tool: str | None = None  # that wrote the logs, and of these:
    metric: str | None = None
    errors: str | None = None  # what a sample counts as that failed
    unscored: str | None = None  # or that has no score
    datasets: str | None = None  # names and sizes
    unit: str | None = None
    n_items: int | None = None  # -1: differs from pair to pair
    n_blank: int | None = None
    n_units: int | None = None  # clusters, or items with their runs, where these are the examples
    n_effective: float | None = None  # what they are worth in units of equal size, if less
    unit_notes: tuple[str, ...] | None = None  # what a reader must know of them
    ignored: str | None = None  # clusters or runs that are taken as independent items
    counted: str | None = None  # what wins are counted on within clusters: judgments, not items
    weight: str | None = None  # unit: each of them counts once in a mean, and not each item
    over: str | None = None  # the data sets that are averaged, and how they are weighed
    weights: str | None = None  # of data sets of a fit, where they were passed
    higher_is_better: bool | None = None
    # what was asked
    baseline: str | None = None
    method: str | None = None
    quantity: str | None = None  # what a difference is of: wins, accuracy or mean
    beside_quantity: str | None = None  # the other one, where both are told
    splits: bool | None = None  # whether a verdict is withheld where the two disagree
    difference_is: str | None = None  # in words
    difference_most: float | None = None  # the largest that there can be, where it is known
    ties: str | None = None
    missing: str | None = None
    margin: float | None = None
    statistic: str | None = None
    test_share: float | None = None  # of the items that a fold of a cross-validation tests on
    rope: float | None = None
    ci_prob: float | None = None
    ci_kind: str | None = None
    threshold: float | None = None
    labels_by: str | None = None  # of judged items, whose labels are the truth
    judged_by: str | None = None  # and the columns of the judge's answers
    # the model and its draws
    engine: str | None = None  # exact, mcmc, or the model that is read first
    model: str | None = None
    modelled: str | None = None
    prior: tuple[float, ...] | None = None
    prior_text: str | None = None  # of a prior that is not the same numbers for every pair
    prior_sd: float | None = None  # of a normal prior of differences of means
    seed: int | None = None
    draws: int | None = None
    chains: int | None = None
    inference_library: str | None = None
    rhat_max: float | None = None
    df: float | None = None  # of Student's t, of scores of units of unequal size
    pareto_k: float | None = None  # of draws by weights, in the place of R-hat and divergences
    ess_min: float | None = None
    divergences: int | None = None
    failures: tuple[str, ...] | None = None  # why there is no verdict
    # the tests beside it
    tests: tuple[str, ...] | None = None
    tests_on: str | None = None  # clusters, where tests look at these and not at items
    alpha: float | None = None
    correction: str | None = None
    sign_ties: str | None = None
    shuffles: int | None = None
    shuffle_seed: int | None = None
    randomization_method: str | None = None
    randomization_reason: str | None = None
    randomization_statistic: str | None = None
    # all systems jointly
    joint_model: str | None = None
    joint_draws: int | None = None
    joint_seed: int | None = None
    joint_units: str | None = None
    joint_quantity: str | None = None
    joint_kept: float | None = None  # of a difference, after systems are drawn together
    joint_spread: float | None = None  # of abilities within a group
    joint_groups: tuple[float, ...] | None = None  # probabilities of one, two and three groups
    joint_notes: tuple[str, ...] | None = None  # what a reader must know of it
    no_joint: str | None = None
    # in words
    advice: str | None = None
    audit: tuple[str, ...] | None = None  # what stops a comparison of the scores, or warns of it
    bounds: tuple[str, ...] | None = None  # whether verdicts hold for every value of missing scores
    notes: tuple[str, ...] | None = None

    @property
    def lower_mean(self) -> bool:
        """Whether a difference below 0 is for A: wins and accuracy are always better if higher."""
        return self.higher_is_better is False and self.quantity not in ("wins", "accuracy")

    @property
    def reliability(self) -> str | None:
        """The quantity where it is pass^k or pass@k."""
        return self.quantity if (self.quantity or "").startswith("pass") else None

    @property
    def observation(self) -> str:
        """What a win is counted on: an item, a judgment or a measure."""
        counted = self.counted or self.unit
        return str(counted) if counted in ("judgment", names.MEASURE) else names.ITEM

    def to_attrs(self) -> dict[str, Any]:
        """As attrs that netCDF can hold: without what is None, lines joined, truths as 0 and 1."""
        fields_by_name = vars(self)  # the fields, in their order
        return {name: _plain(value) for name, value in fields_by_name.items() if value is not None}

    @classmethod
    def from_attrs(cls, attrs: Mapping[str, Any]) -> Self:
        """What attrs say; keys that are no field are left aside."""
        held = {f.name: attrs[f.name] for f in fields(cls) if f.name in attrs}
        for name in _LINES & held.keys():
            if isinstance(held[name], str):
                held[name] = tuple(line for line in held[name].split("\n") if line)
        if isinstance(held.get("prior"), str):
            held["prior_text"] = held.pop("prior")
        for name in ("prior", "joint_groups"):
            if name in held:
                held[name] = _numbers(held[name])
        if "higher_is_better" in held:
            held["higher_is_better"] = bool(held["higher_is_better"])
        return cls(**held)


def provenance_attrs(**choices: Any) -> dict[str, Any]:
    """The attrs of an answer of this version, from fields of `Signature`."""
    return Signature(version=__version__, **choices).to_attrs()


_LINES = {"failures", "tests", "audit", "bounds", "notes", "unit_notes", "joint_notes"}


def _plain(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, tuple | list):
        return "\n".join(value) if all(isinstance(v, str) for v in value) else list(value)
    return value


def _numbers(value: Any) -> tuple[float, ...]:
    """One number or several: netCDF gives a list of one back as a number."""
    return tuple(float(v) for v in (value if hasattr(value, "__len__") else [value]))
