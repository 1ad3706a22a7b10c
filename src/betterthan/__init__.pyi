from . import datasets, models
from .bayes.bootstrap import bayesian_bootstrap, bootstrap_scores
from .bayes.closed import bayes_factor, decisive, decisive_density, prob_better
from .bayes.confusions import confusion_posterior
from .bayes.conjugate import exact_draws
from .bayes.differences import (
    difference,
    difference_cdf,
    difference_density,
    difference_quantile,
    prob_difference_above,
    prob_equivalent,
)
from .bayes.draws import summary
from .bayes.f_scores import score_posterior
from .bayes.gate import Diagnosis, diagnose
from .bayes.graded import compare_folds, sign_of_differences, signed_rank
from .bayes.sensitivity import prior_sweep
from .comparison import compare
from .crosscheck import cross_check
from .dispersions import compare_dispersions
from .frequentist.corrections import adjust_p
from .frequentist.randomizing import randomization_test
from .frequentist.signs import mcnemar, sign_test
from .frequentist.similarity import groups
from .frequentist.strengths import strength_of_results
from .io.judged import read_judgments
from .io.labelled import read_confusion, read_labels
from .io.ordered import read_orders
from .io.reading import read
from .io.tallied import tallies_from_table
from .joint.abilities import compare_abilities, transitivity
from .joint.advice import Advice, advise
from .joint.clusters import compare_clusters
from .joint.datasets import compare_datasets, leave_one_dataset_out
from .joint.graded import compare_graded
from .joint.models import compare_models
from .measure_comparison import compare_measures
from .measures import confusion_frequencies, majority_baseline, precision_recall_f
from .order_comparison import compare_orders, tau_posterior
from .ordering.agreement import order_agreement, reference_rank
from .ordering.chance import tau_distribution, tau_test
from .ordering.consensus import consensus_order
from .ordering.references import tau_scores, weighted_tau
from .ordering.taus import kendall_tau
from .outcomes.clusters import count_clusters
from .outcomes.confusions import confusion_from_table, confusion_matrix
from .outcomes.features import confusion_features, learning_gain
from .outcomes.formulas import PerformanceFunction
from .outcomes.judgments import count_judgments
from .outcomes.labels import confusions_from_labels, tallies_from_labels
from .outcomes.measure_table import counts_from_measures
from .outcomes.orders import orders_from_lists, ranks_from_table
from .outcomes.scoring import count_outcomes, item_outcomes
from .outcomes.shapes import apply_ties, swap, to_pairs, to_square
from .outcomes.tables import counts_from_contingency, counts_from_table
from .outcomes.tallies import tally_scores, tally_totals
from .outcomes.trials import count_trials, trials_from_table
from .people.correlations import correlation, intersubject_agreement
from .people.repeated import anova, slopes_by_subject
from .people.screening import bin_by, winsorise
from .performance.feature_sets import compare_feature_sets
from .performance.fitting import performance_function
from .performance.recall_weight import fit_beta
from .plots.bars import plot_outcomes
from .plots.confusion import plot_confusion
from .plots.densities import plot_densities
from .plots.forest import plot_differences
from .plots.matrix import plot_matrix
from .plots.orders import plot_orders, plot_tau, plot_tau_distribution
from .plots.outcome import plot_coefficients, plot_predictions
from .plots.ranks import plot_ranks
from .plots.scores import plot_scores
from .plots.ternary import plot_simplex
from .prediction import predict_outcome
from .provenance import signature
from .reporting.marks import group_table
from .reporting.measures import measures_report
from .reporting.orders import order_report
from .reporting.outcome import outcome_report
from .reporting.records import pair_table
from .reporting.rendering import report

__version__: str

__all__ = [
    "Advice",
    "Diagnosis",
    "PerformanceFunction",
    "adjust_p",
    "advise",
    "anova",
    "apply_ties",
    "bayes_factor",
    "bayesian_bootstrap",
    "bin_by",
    "bootstrap_scores",
    "compare",
    "compare_abilities",
    "compare_clusters",
    "compare_datasets",
    "compare_dispersions",
    "compare_feature_sets",
    "compare_folds",
    "compare_graded",
    "compare_measures",
    "compare_models",
    "compare_orders",
    "confusion_features",
    "confusion_frequencies",
    "confusion_from_table",
    "confusion_matrix",
    "confusion_posterior",
    "confusions_from_labels",
    "consensus_order",
    "correlation",
    "count_clusters",
    "count_judgments",
    "count_outcomes",
    "count_trials",
    "counts_from_contingency",
    "counts_from_measures",
    "counts_from_table",
    "cross_check",
    "datasets",
    "decisive",
    "decisive_density",
    "diagnose",
    "difference",
    "difference_cdf",
    "difference_density",
    "difference_quantile",
    "exact_draws",
    "fit_beta",
    "group_table",
    "groups",
    "intersubject_agreement",
    "item_outcomes",
    "kendall_tau",
    "learning_gain",
    "leave_one_dataset_out",
    "majority_baseline",
    "mcnemar",
    "measures_report",
    "models",
    "order_agreement",
    "order_report",
    "orders_from_lists",
    "outcome_report",
    "pair_table",
    "performance_function",
    "plot_coefficients",
    "plot_confusion",
    "plot_densities",
    "plot_differences",
    "plot_matrix",
    "plot_orders",
    "plot_outcomes",
    "plot_predictions",
    "plot_ranks",
    "plot_scores",
    "plot_simplex",
    "plot_tau",
    "plot_tau_distribution",
    "precision_recall_f",
    "predict_outcome",
    "prior_sweep",
    "prob_better",
    "prob_difference_above",
    "prob_equivalent",
    "randomization_test",
    "ranks_from_table",
    "read",
    "read_confusion",
    "read_judgments",
    "read_labels",
    "read_orders",
    "reference_rank",
    "report",
    "score_posterior",
    "sign_of_differences",
    "sign_test",
    "signature",
    "signed_rank",
    "slopes_by_subject",
    "strength_of_results",
    "summary",
    "swap",
    "tallies_from_labels",
    "tallies_from_table",
    "tally_scores",
    "tally_totals",
    "tau_distribution",
    "tau_posterior",
    "tau_scores",
    "tau_test",
    "to_pairs",
    "to_square",
    "transitivity",
    "trials_from_table",
    "weighted_tau",
    "winsorise",
]
