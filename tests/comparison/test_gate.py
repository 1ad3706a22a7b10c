"""A comparison refuses verdicts on chains that have not converged."""

import pytest

import betterthan as bt
from betterthan.models import dirichlet_multinomial


@pytest.fixture
def drifting(monkeypatch):
    """A fit whose chains disagree."""

    def fit(counts, **choice):
        tree = bt.posterior.draws(counts, rng=1)
        posterior = tree["posterior"].to_dataset()
        shift = 0.02 * posterior["chain"]
        posterior["theta"] = posterior["theta"] + shift
        posterior["difference"] = posterior["difference"] + shift
        posterior.attrs |= {"draws": posterior.sizes["draw"], "chains": posterior.sizes["chain"]}
        tree["posterior"] = posterior
        return tree

    monkeypatch.setattr(dirichlet_multinomial, "fit", fit)


def test_no_verdict_and_the_reason_is_told(drifting):
    comparison = bt.compare(bt.datasets.contingency_case("a"), method="both", rope=0.01)
    verdicts = comparison["verdict"].sel(system_a="A", system_b="B")
    assert verdicts.item() == "a_better"
    assert (
        comparison.alternatives["mcmc"]["verdict"].sel(system_a="A", system_b="B").item()
        == "no_verdict"
    )
    assert "R-hat" in " ".join(comparison.provenance.failures)
    assert "FAILED" in bt.report(comparison)
    alone = bt.report(bt.compare(bt.datasets.contingency_case("a"), method="mcmc"))
    assert "No verdict on A and B" in alone
    assert "A is better" not in alone.split("\nAnswer\n")[1].split("\nData\n")[0]
