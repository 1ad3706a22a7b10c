"""Sentences on each kind of answer, from the table of situations."""

import json
from pathlib import Path

import pytest

from betterthan.reporting import feature_sentences as features
from betterthan.reporting import label_sentences as labels
from betterthan.reporting import order_sentences as orders
from betterthan.reporting.of_audit import audit_sentences
from betterthan.reporting.of_groups import GroupFacts, group_sentences

SENTENCES = {
    "taus": (orders.TauFacts, orders.tau_sentences),
    "agreement": (orders.AgreementFacts, orders.agreement_sentences),
    "consensus": (orders.ConsensusFacts, orders.consensus_sentences),
    "document_consensus": (
        orders.DocumentConsensusFacts,
        orders.document_consensus_sentences,
    ),
    "dispersions": (orders.DispersionFacts, orders.dispersion_sentences),
    "function": (features.FunctionFacts, features.function_sentences),
    "coefficients": (features.CoefficientFacts, features.coefficient_sentences),
    "sets": (features.FeatureSetFacts, features.feature_set_sentences),
    "labels": (labels.LabelFacts, labels.label_sentences),
    "classifiers": (labels.ClassifierFacts, labels.classifier_sentences),
    "groups": (GroupFacts, group_sentences),
    "audit": (dict, lambda facts: audit_sentences(**facts)),
}
SITUATIONS = [
    one
    for one in json.loads(Path(__file__).with_name("situations.json").read_text("utf-8"))
    if one["of"] in SENTENCES
]


def sentences_of(kind, facts):
    record, sentences = SENTENCES[kind]
    return sentences(record(**facts))


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation["name"])
def test_sentences_of_a_situation(situation):
    assert sentences_of(situation["of"], situation["facts"]) == situation["said"]


def test_every_kind_has_a_situation():
    assert {situation["of"] for situation in SITUATIONS} == set(SENTENCES)
