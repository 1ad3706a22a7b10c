"""The table of situations: facts as JSON, the record they make, and the sentences it gives."""

import json
from dataclasses import fields
from pathlib import Path

from betterthan.auditing.answer import audit_sentences
from betterthan.results import facts, robustness
from betterthan.results import features_page as features
from betterthan.results import labels_page as labels
from betterthan.results import order_sentences as orders
from betterthan.results.paper_sentences import paper_sentences
from betterthan.results.score_sentences import Judged, Scored, judged_sentences, score_sentences
from betterthan.results.sentences import answer_sentences
from betterthan.results.significance_tables import GroupFacts, group_sentences

SITUATIONS = json.loads(Path(__file__).with_name("situations.json").read_text("utf-8"))
# of a situation: the record, and the function that writes it
KINDS = {
    "answer": (facts.Answer, answer_sentences),
    "paper": (facts.Answer, paper_sentences),
    "scores": (Scored, score_sentences),
    "judged": (Judged, judged_sentences),
    "taus": (orders.TauFacts, orders.tau_sentences),
    "agreement": (orders.AgreementFacts, orders.agreement_sentences),
    "consensus": (orders.ConsensusFacts, orders.consensus_sentences),
    "document_consensus": (orders.DocumentConsensusFacts, orders.document_consensus_sentences),
    "dispersions": (orders.DispersionFacts, orders.dispersion_sentences),
    "function": (features.FunctionFacts, features.function_sentences),
    "coefficients": (features.CoefficientFacts, features.coefficient_sentences),
    "sets": (features.FeatureSetFacts, features.feature_set_sentences),
    "labels": (labels.LabelFacts, labels.label_sentences),
    "classifiers": (labels.ClassifierFacts, labels.classifier_sentences),
    "groups": (GroupFacts, group_sentences),
}
PARTS = {
    "answer": facts.Answer,
    "pair": facts.Pair,
    "leader": facts.Pair,
    "verdicts": facts.Pair,
    "scores": facts.Score,
    "best": facts.Candidate,
    "unbeaten": facts.Unbeaten,
    "verdict_counts": facts.VerdictCounts,
    "baseline": facts.Baseline,
    "more": robustness.More,
    "firmness": robustness.Firmness,
    "missing": robustness.Missing,
}


def sentences(of, values):
    """What is written of these facts."""
    if of == "audit":
        return audit_sentences(**values)
    record, write = KINDS[of]
    return write(filled(record, values))


def filled(record, values):
    """A record from JSON; an unknown field is an error."""
    unknown = values.keys() - {field.name for field in fields(record)}
    assert not unknown, unknown
    return record(**{name: _value(name, value) for name, value in values.items()})


def _value(name, value):
    part = PARTS.get(name)
    if part and isinstance(value, dict):
        return filled(part, value)
    if isinstance(value, list):
        return tuple(filled(part, one) if part and isinstance(one, dict) else one for one in value)
    return value
