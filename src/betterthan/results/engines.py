"""What the engines of a comparison are, in words: those of a model are its row's."""

from dataclasses import dataclass

from betterthan import names
from betterthan.model_registry import BOOTSTRAP, ROSTER


@dataclass(frozen=True)
class Words:
    """What a report says of an engine or a model."""

    how: str = ""  # how it is computed
    model: str = ""  # what it takes outcomes to be; empty for win, loss and tie
    taken_as: str = ""  # what it takes as independent, where that is not examples
    joint: str = ""  # whence the joint answer of all systems
    beside: str = "beside"  # its column, where it stands beside another


_SHRUNK = (
    "The joint answer is by {joint_model} ({joint_draws:,} draws), which shrinks systems towards "
    "each other, the more strongly the more similar they are: the best of many is partly the "
    "luckiest, and is moved back most."
)
_JOINT = {
    BOOTSTRAP: "The joint answer is by the Bayesian bootstrap of the score itself "
    "({joint_draws:,} draws).",
    names.AMONG_ALL: "The answers among all systems are by quadrature, of {joint_units}: "
    "differences are drawn together by {joint_drawn:.0%}, for the best of many is partly the "
    "luckiest; the probability of one group of systems is {joint_groups[0]:.2f}, of two "
    "{joint_groups[1]:.2f}, of three {joint_groups[2]:.2f}; ranks are from {joint_draws:,} draws "
    "of the same posterior (seed {joint_seed}).",
}
ENGINES = {
    "exact": Words("closed form, no sampling error", beside="as if one set, independent"),
    "mcmc": Words("PyMC, with Monte Carlo errors", beside="by PyMC"),
} | {
    spec.name: Words(
        spec.computed, spec.assumes, spec.taken_as, joint=_JOINT.get(spec.name, _SHRUNK)
    )
    for spec in ROSTER
    if spec.assumes or spec.name in _JOINT
}
# what a model has beside
ALSO = {
    "position": "; d has the advantage of the system shown first",
    "judges": "; judges differ in how often they see a tie, and in that advantage",
}
BESIDE = (
    "closed form of all examples as one set of independent ones; wins, losses, mean scores, BF01, "
    "tests and groups are of these, too"
)
EXAMPLES_INDEPENDENT = (
    "Examples are taken as independent draws of one population; translations, paraphrases or turns "
    "of one dialogue are not, and make the answers more certain than they should be."
)


def advised(engine: str) -> bool:
    """Whether an engine is a model of its own, not the one of win, loss and tie."""
    return bool(ENGINES[engine].model)
