"""What the engines of a comparison are, in words."""

MODELS = {
    "hierarchical": "(win, loss, tie) of each data set ~ Multinomial(theta), theta ~ "
    "Dirichlet(kappa mu), one mu and "
    "kappa a pair; A is better when theta_win - theta_loss, its mean over data sets, is above 0",
    "clustered": "in each cluster Beta-binomial numbers of decisive examples and of wins among "
    "them; A is better when "
    "it wins more than half of the decisive examples of the population of clusters",
    "davidson": "win : loss : tie = exp(d / 2) : exp(-d / 2) : exp(tie), d a difference of "
    "abilities, which are drawn "
    "to their mean; A is better when its ability is larger",
    "item_response": "success ~ logistic(mean + ability - difficulty), abilities drawn to their "
    "mean, difficulties "
    "integrated out; A is better when its ability is larger",
    "graded": "differences that are not 0 ~ Student-t around a centre; A is better when it is "
    "above 0",
    "bayesian_bootstrap": "items have random weights, the same for all systems; A is better when "
    "the score of all "
    "weighted items together is larger",
}
# what a model has beside
ALSO = {
    "position": "; d has the advantage of the system shown first",
    "judges": "; judges differ in how often they see a tie, and in that advantage",
}
BESIDE = (
    "closed form of all examples as one set of independent ones; wins, losses, mean scores, BF01, "
    "tests and groups are "
    "of these, too"
)
HOW = {
    "exact": "closed form, no sampling error",
    "mcmc": "PyMC, with Monte Carlo errors",
    "hierarchical": "PyMC, data sets drawn to a common mean, each weighing the same (hierarchical)",
    "clustered": "PyMC, examples of a cluster alike (clustered)",
    "davidson": "PyMC, abilities of all systems from their judgments (davidson)",
    "item_response": "PyMC, abilities of all systems on shared items, differences as shares "
    "solved (item_response)",
    "bayesian_bootstrap": "draws of the score of all items together (Bayesian bootstrap)",
    "graded": "PyMC, Student-t differences in units of the score (graded)",
}
