"""Who reads a coefficient of the R2D2 model, or a difference made of them, is told of the
shrinkage.
"""

import betterthan as bt


def test_the_report_of_a_posterior_says_that_it_is_shrunk():
    tree = bt.datasets.example_fit("performance_function")
    text = " ".join(bt.report(tree).split())
    assert "Coefficients are shrunk toward 0 by design" in text
    assert "Its 95% interval contains it in 82%" in text


def test_the_report_of_predictions_says_it_of_differences():
    tree = bt.datasets.example_fit("performance_function")
    components = {"A": {"x0": 1.0, "x1": 0.5}, "B": {"x0": 0.0, "x1": 0.5}}
    text = " ".join(bt.report(bt.features.predict(tree, components)).split())
    assert "Differences between components come from coefficients that are shrunk" in text
