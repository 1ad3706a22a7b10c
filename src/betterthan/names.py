"""Names and defaults, written here once and read everywhere else."""

PACKAGE = (__file__.removesuffix("names.py"),)  # a warning points at the line that called it

# Dimensions.
ITEM, SYSTEM, PAIR = "item", "system", "pair"
SYSTEM_A, SYSTEM_B = "system_a", "system_b"
SQUARE = (SYSTEM_A, SYSTEM_B)
ADOPTED = "adopted model"  # which the user sampled; nothing is known of it but its draws
UNKNOWN_DRAWS = (
    "a DataTree of no known model; give betterthan.fits.adopt(tree), or a fit of betterthan.models"
)
STUDENT_T = "student_t"  # exact draws of differences of means
IS_SYSTEM = ("is_a", "is_b")  # which systems a pair compares, in the data of a PyMC model
OUTCOME, DATASET, REGION = "outcome", "dataset", "region"
TALLY, LABEL = "tally", "label"
PREDICTED, ACTUAL = "predicted", "actual"
DIALOGUE, FEATURE, FEATURE_SET = "dialogue", "feature", "feature_set"
DOCUMENT, POSITION, REFERENCE = "document", "position", "reference"  # of orders
MEASURE = "measure"  # a row of a table of measures
TEST, GROUP, TIES_POLICY = "test", "group", "ties_policy"
ENGINE = "engine"  # exact or mcmc; a dim called "method" would clash with the argument of .sel

# Labels. Outcomes and regions are told from the side of system A (d = A - B).
OUTCOMES = ("win", "loss", "tie")
DECISIVE = ("win", "loss")
REGIONS = ("b_beyond", "rope", "a_beyond")
MEASURES = ("precision", "recall", "f")
AVERAGES = ("macro", "weighted", "pooled")
TALLIES = ("tp", "fp", "fn")
# by precedence: the first that holds is given
MISSING_DECIDES, NOT_CONVERGED = "missing scores decide", "not converged"  # why "no_verdict"
VERDICTS = ("no_data", "no_verdict", "split", "equivalent", "a_better", "b_better", "undecided")
NO_WINNER = "judgments have no winner"  # in the note that counts them

# Choices a caller may name.
TIES = ("third", "drop", "half", "to_a", "to_b", "all")
SPLIT_TIES = TIES[2:5]  # ties count as wins: of wins and losses no number is of non-tied items
MISSING = ("pairwise", "complete", "wrong", "error")
METHODS = ("exact", "mcmc", "both", "advised")
CI_KINDS = ("hdi", "eti")
QUANTITIES = ("wins", "mean")  # values of quantity=, next to pass^k and pass@k
# meaning of a difference d = A - B, in words
DIFFERENCES = {
    "wins": "P(A wins) - P(B wins)",
    "accuracy": "difference in accuracy",
    "mean": "difference of means, in units of the score",
}
STATISTIC_LABELS = {
    "f1": "F1",
    "macro_f1": "macro F1",
    "mean": "mean score",
    "tau": "mean tau",
}
OF_DIFFERENCE = "the difference"  # what the ROPE refers to, if no more is known
WEIGHTS = ("item", "unit")  # what has equal weight in a mean
SAME_INDEX, SAME_FEATURES = "index label", "same features"  # reasons to group rows
EVIDENCE_UNITS = ("item",)  # treats items of a cluster as independent
ROPE_LARGE = 0.2  # a ROPE for probabilities above this is not a small difference
PROB_MODELS = ("dirichlet", "independent")
UNITS = ("item", "judgment", "measure", "unknown")
LAYOUTS = ("wide", "long", "predictions", "votes", "counts", "tallies", "judgments")

ALTERNATIVES = ("two-sided", "greater", "less")  # greater: the system of the row is better
TESTS = ("sign", "mid_p", "mcnemar", "trinomial", "randomization", "wilcoxon", "t")
STATISTICS = ("mean", "accuracy", "precision", "recall", "f1", "f_beta", "macro_f1")
RANDOMIZATIONS = ("auto", "exact", "monte_carlo")
CORRECTIONS = ("none", "holm", "bh")
DIRECTIONS = ("both", "forward", "backward", "none")  # of the stepwise search; none: all features
ROW = "row"  # as by= or leave_out=: every row is independent
JOINT_CORRECTIONS = ("max_t", "tukey")  # need the permutations, not only the p-values

EXACT = 2**53  # largest count; above it floats skip whole numbers
SIZE_MAX = 100_000_000  # of what is drawn or repeated; more would fill the memory

# Defaults of the analysis.
PRIOR = (1.0, 1.0, 1.0)  # Dirichlet parameters of win, loss, tie
PRIORS = {
    "uniform": (1.0, 1.0, 1.0),
    "jeffreys": (0.5, 0.5, 0.5),
    "haldane": (0.01, 0.01, 0.01),  # close to Haldane's improper prior, yet proper
}
SKEPTICAL, SKEPTICAL_SD = "skeptical", 0.05  # depends on the ties of the data; SD of a difference
MOST_PRIOR = 1e9  # largest prior parameter for which the closed forms are exact
CI_PROB = 0.95
CI_KIND = "hdi"
ROPE = 0.0
VERDICT_PROB = 0.95

# Defaults of the frequentist counterparts. The strict cutoff and its confidence are those of the
# MUC evaluations.
ALPHA = 0.05
CORRECTION = "holm"  # of p-values, for their number
CUTOFF = 0.01
CONFIDENCE = 0.99
SHUFFLES = 10_000
BOOTSTRAP_DRAWS = 4_000
SCORE_MAX = 1e100  # in absolute value, so that squares and cubes stay finite
AMONG_ALL = "among_all"  # the joint model of `compare`
SEVERAL_VOTES = 3  # judgments by the judge of a judgment, on average: several
MANY_MISSING = 0.1  # of all judgments
UNITS_MIN = 5  # fewer weighted units give no reliable variance
LABEL_ITEMS_MIN = 15  # gold items of the rarest label, for a verdict on a macro-average
RESAMPLES = 500  # for the choice of features; a proportion of them has an error of at most 0.02
# smallest proportion of a component's errors that a function must know from training
KNOWN_CONFUSIONS_MIN = 0.5
# the largest exact null held in memory: 80 MB, and about 3 such arrays at once
LATTICE_CELLS_MAX = 10_000_000
LATTICE_WORK_MAX = 5_000_000_000  # additions that method="auto" spends on exact nulls, some seconds
COMPARISON_WORK_MAX = 500_000_000  # those that `compare` spends on them, a tenth of a second
ENUMERATION_MAX = 16  # up to so many items that differ, all 2**n permutations are tried

# Defaults of sampling, and limits of the convergence checks that a verdict needs.
CHAINS = 4
DRAWS = 1000
TUNE = 1000
TARGET_ACCEPT = 0.9
RHAT_MAX = 1.01
ESS_MIN = 400
BFMI_MIN = 0.3
PARETO_K_MAX = 0.7  # k-hat of weights, above which their mean is not reliable
MCMC_PAIRS_MAX = 500  # above this number of pairs, a joint NUTS fit raises an error

# A difference of scores below this many units in the last place is rounding, not a win.
SCORE_ULPS = 8


class Percentage(float):
    """A number that was written with a percent sign."""
