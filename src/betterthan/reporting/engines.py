"""What the engines of a comparison are, in words: one row a model."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    """What a report says of an engine or a model."""

    how: str = ""  # how it is computed
    model: str = ""  # what it takes outcomes to be; empty for win, loss and tie
    taken_as: str = ""  # what it takes as independent, where that is not examples
    joint: str = ""  # whence the joint answer of all systems
    beside: str = "beside"  # its column, where it stands beside another


_SHRUNK = (
    "The joint answer is by {joint_model} ({joint_draws:,} draws), which draws systems together by "
    "as much as they are alike: the best of many is partly the luckiest, and is moved back most."
)
ENGINES = {
    "exact": Words("closed form, no sampling error", beside="as if one set, independent"),
    "mcmc": Words("PyMC, with Monte Carlo errors", beside="by PyMC"),
    "hierarchical": Words(
        "PyMC, data sets drawn to a common mean, each weighing the same (hierarchical)",
        "(win, loss, tie) of each data set ~ Multinomial(theta), theta ~ Dirichlet(kappa mu), one "
        "mu and kappa a pair; A is better when theta_win - theta_loss, its mean over data sets, is "
        "above 0",
        "Examples of one data set are taken as independent, and data sets as draws of one kind.",
        _SHRUNK,
    ),
    "clustered": Words(
        "PyMC, examples of a cluster alike (clustered)",
        "in each cluster Beta-binomial numbers of decisive examples and of wins among them; A is "
        "better when it wins more than half of the decisive examples of the population of clusters",
        "Clusters are taken as independent draws of one population, and examples of one as alike.",
        _SHRUNK,
    ),
    "davidson": Words(
        "PyMC, abilities of all systems from their judgments (davidson)",
        "win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of abilities, "
        "which are drawn to their mean; A is better when its ability is larger",
        joint=_SHRUNK,
    ),
    "item_response": Words(
        "PyMC, abilities of all systems on shared items, differences as shares solved "
        "(item_response)",
        "success ~ logistic(mean + ability - difficulty), abilities drawn to their mean, "
        "difficulties integrated out; A is better when its ability is larger",
        joint=_SHRUNK,
    ),
    "graded": Words(
        "PyMC, Student-t differences in units of the score (graded)",
        "differences that are not 0 ~ Student-t around a centre; A is better when it is above 0",
        joint=_SHRUNK,
    ),
    "bayesian_bootstrap": Words(
        "draws of the score of all items together (Bayesian bootstrap)",
        "items have random weights, the same for all systems; A is better when the score of all "
        "weighted items together is larger",
        joint="The joint answer is by the Bayesian bootstrap of the score itself "
        "({joint_draws:,} draws).",
    ),
}
# of units, beside any engine
JOINT_OF_UNITS = (
    "The joint answer is by the Bayesian bootstrap of {joint_units} ({joint_draws:,} "
    "draws, seed {joint_seed}); its prior is zero, so few examples read as too certain."
)
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
