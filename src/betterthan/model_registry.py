"""One row a model: what it takes into account, what it is loaded, and what a report says of it."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from betterthan import names
from betterthan.counts.counting import count_outcomes
from betterthan.counts.judgments import JUDGE
from betterthan.counts.shapes import to_square
from betterthan.counts.units import CLUSTER, EPOCH, several

BOOTSTRAP = "bayesian_bootstrap"  # of scores: it has no fit, and answers beside any model
CLUSTERED = "clustered"  # of wins on clusters, and on items with their runs
COUNTED, ONE_BY_ONE = "counts", "judgments"


@dataclass(frozen=True)
class Spec:
    """A model, as `compare`, `advise` and the report know it.

    ``prepare`` makes of loaded data what ``fit`` takes, and ``code`` is how a user writes that.
    Loaded data have a ``kind``, ``data`` (scores under the policy for missing ones), the data as
    ``scores``, and ``margin``.
    """

    name: str
    assumes: str = ""  # the model in a sentence
    computed: str = ""  # how its answer was computed, in a table
    taken_as: str = ""  # what it still takes as independent
    takes: tuple[str, ...] = ()  # of dataset, cluster and epoch, what it takes into account
    prepare: Callable[[Any], Any] = field(default=lambda loaded: loaded.data)
    code: Callable[[Any], str] = field(default=lambda loaded: "data")
    options: Callable[[Any], dict[str, Any]] = field(default=lambda loaded: {})
    fitted: bool = True  # by PyMC; else the answer has no fit
    door: str = ""  # of what has no fit, the function that answers, where it is not compare
    own_prior: bool = False  # a Dirichlet prior says nothing of it
    knows_margin: bool = False  # it counts wins, and then a margin says which are ties
    rope_unit: str = "probability"  # or score

    def __reduce__(self) -> tuple[Any, ...]:
        return spec_of, (self.name,)  # its functions are those of this version

    def fit(self, ready: Any, **choices: Any) -> Any:
        """Sample its posterior; the model's file, and PyMC, are loaded now."""
        return importlib.import_module(f"betterthan.models.{self.name}").fit(ready, **choices)

    def call(self, loaded: Any) -> str:
        """The code that answers."""
        options = "".join(f", {k}={v!r}" for k, v in self.options(loaded).items() if v)
        if self.door:
            return f"betterthan.{self.door}(data{options})"
        if not self.fitted:
            return f"betterthan.compare({self.code(loaded)}{options})"
        fit = f"betterthan.models.{self.name}.fit({self.code(loaded)}{options})"
        return f"betterthan.fits.compare({fit})"


def spec_of(name: str) -> Spec:
    """The row of a model."""
    return next(spec for spec in ROSTER if spec.name == name)


def _by_dataset(loaded: Any) -> Any:
    if loaded.kind == COUNTED:
        single = [d for d in _extra(loaded.data) if loaded.data.sizes[d] == 1]
        return _squared(loaded.data.sum(single, keep_attrs=True))
    return count_outcomes(loaded.scores, by=names.DATASET, margin=loaded.margin)


def _by_cluster(loaded: Any) -> Any:
    if loaded.kind != COUNTED:
        from betterthan.counts.counting import count_clusters

        return count_clusters(loaded.data, margin=loaded.margin)
    extra = [d for d in _extra(loaded.data) if d != CLUSTER]
    return _squared(loaded.data.sum(extra, keep_attrs=True))


def _code_by_cluster(loaded: Any) -> str:
    if loaded.kind != COUNTED:
        return "betterthan.count(data, by='cluster')"
    extra = [d for d in _extra(loaded.data) if d != CLUSTER and loaded.data.sizes[d] > 1]
    return f"data.sum({extra}, keep_attrs=True)" if extra else "data"


def _code_by_dataset(loaded: Any) -> str:
    if loaded.kind == COUNTED:
        return "data"
    share = "data['successes'].where(data['trials'] > 0)"
    return f"betterthan.count({share if loaded.kind == 'trials' else 'data'}, by='dataset')"


def _of_quantity(loaded: Any) -> dict[str, Any]:
    return {"quantity": "mean"} if loaded.graded else {}


def _extra(counts: Any) -> list[str]:
    known = (*names.SQUARE, names.PAIR, names.OUTCOME)
    return [str(d) for d in counts.dims if d not in known]


def _squared(counts: Any) -> Any:
    return to_square(counts) if names.PAIR in counts.dims else counts


ROSTER = (
    Spec(
        "dirichlet_multinomial",
        computed="closed form, no sampling error",
        code=lambda loaded: "betterthan.count(data)" if loaded.kind == ONE_BY_ONE else "data",
        fitted=False,
        knows_margin=True,
    ),
    Spec(
        "student_t",
        computed="closed form, Student's t on the means of units",
        taken_as="Units, such as clusters or items with all their runs, are taken as independent.",
        takes=(CLUSTER, EPOCH),
        options=_of_quantity,
        fitted=False,
        knows_margin=True,
    ),
    Spec(
        names.AMONG_ALL,
        computed="closed form of each pair, and all systems jointly by quadrature",
        takes=(CLUSTER, EPOCH),
        options=_of_quantity,
        fitted=False,
        knows_margin=True,
    ),
    Spec("beta_binomial"),
    Spec("independent_betas"),
    Spec(
        "judge",
        assumes="truth and signal of an item ~ Multinomial(phi), phi ~ Dirichlet; the truth of "
        "items without a label is summed out; A is better when theta_win - theta_loss, over all "
        "signals, is above 0",
        computed="PyMC, labels of people on part of what a judge answered (judge)",
    ),
    Spec(
        "hierarchical",
        assumes="(win, loss, tie) of each data set ~ Multinomial(theta), theta ~ Dirichlet(kappa "
        "mu), one mu and kappa a pair; A is better when theta_win - theta_loss, its mean over data "
        "sets, is above 0",
        computed="data sets shrunk to a common mean, each weighing the same, drawn by weights or "
        "PyMC (hierarchical)",
        taken_as="Examples of one data set are taken as independent, and data sets as draws of one "
        "kind.",
        takes=(names.DATASET,),
        prepare=_by_dataset,
        code=_code_by_dataset,
        knows_margin=True,
    ),
    Spec(
        "clustered",
        assumes="in each cluster Beta-binomial numbers of discordant items and of wins among "
        "them; A is better when it wins more than half of the discordant items of the population "
        "of clusters",
        computed="items of a cluster correlated, drawn by weights or PyMC (clustered)",
        taken_as="Clusters are taken as independent draws of one population, and items of one "
        "as correlated.",
        takes=(CLUSTER, EPOCH),
        prepare=_by_cluster,
        code=_code_by_cluster,
        knows_margin=True,
    ),
    Spec(
        "davidson",
        assumes="win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of "
        "abilities, which are shrunk to their mean; A is better when its ability is larger",
        computed="abilities of all systems from their judgments, drawn by weights or PyMC "
        "(davidson)",
        # an effect of place is for who asks for it
        options=lambda of: {"judges": of.kind == ONE_BY_ONE and several(of.data, JUDGE)},
        own_prior=True,
    ),
    Spec(
        "davidson_by_cluster",
        assumes="win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of "
        "abilities, refitted to clusters with random weights; A is better when its ability is "
        "larger",
        computed="Davidson's model under random weights of the clusters (davidson_by_cluster)",
        taken_as="Clusters of judgments are taken as independent, and not the judgments in them.",
        takes=(CLUSTER,),
        options=lambda of: {} if several(of.data, CLUSTER) else {"by": JUDGE},
        fitted=False,
        own_prior=True,
        door="models.davidson.by_cluster",
    ),
    Spec(
        "item_response",
        assumes="success ~ logistic(mean + ability - difficulty), abilities shrunk to their mean, "
        "difficulties integrated out; A is better when its ability is larger",
        computed="abilities of all systems on shared items, drawn by weights or PyMC, differences "
        "as shares solved (item_response)",
        takes=(EPOCH,),
        own_prior=True,
    ),
    Spec(
        "repeated",
        assumes="successes of runs of an item ~ Beta-binomial with mean logistic(mean + ability - "
        "difficulty), difficulties integrated out; A is better when its ability is larger",
        computed="PyMC, runs of an item correlated, differences as shares solved (repeated)",
        takes=(EPOCH,),
        own_prior=True,
    ),
    Spec(
        "graded",
        assumes="differences that are no ties ~ Student-t around a centre, the typical difference; "
        "A is better when it is above 0, whatever the difference of means",
        computed="PyMC, typical difference in units of the score, Student-t (graded)",
        takes=(names.DATASET,),
        prepare=lambda loaded: loaded.scores,
        own_prior=True,
        rope_unit="score",
    ),
    Spec(
        BOOTSTRAP,
        assumes="items have random weights, the same for all systems; A is better when the score "
        "of all weighted items together is better",
        computed="draws of the score of all items together (Bayesian bootstrap)",
        takes=(CLUSTER, EPOCH),
        options=lambda loaded: {"unit": CLUSTER} if several(loaded.data, CLUSTER) else {},
        fitted=False,
        own_prior=True,
        rope_unit="score",
        door="scores.compare",
    ),
    Spec("mallows", own_prior=True),
    Spec("performance_function", own_prior=True),
    Spec("subject_slopes", own_prior=True),
)
