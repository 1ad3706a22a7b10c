"""What `print` shows of an audit: plain sentences, then errors and warnings, then scores."""

import pytest
from golden.cases import CASES

FIRST_LINES = {
    "audit_of_logs": "You can compare these data, but the comparison can be misleading: 5 "
    "warnings, 1 info message.",
    "audit_of_scores": "You can compare these data, but the comparison can be misleading: 2 "
    "warnings, 3 info messages.",
}


@pytest.fixture(scope="module", params=FIRST_LINES)
def printed(request):
    return request.param, str(CASES[request.param]())


def test_the_answer_is_first(printed):
    name, text = printed
    assert " ".join(text.partition("\n\n")[0].split()) == FIRST_LINES[name]


def test_tables_have_plain_names_and_columns(printed):
    lines = printed[1].splitlines()
    at = lines.index("Errors and warnings") + 2
    assert lines[at].split() == ["Level", "Check", "Finding"]
    assert {line.split()[0] for line in lines[at + 2 : at + 5]} <= {"error", "warning", "info"}
    scores = lines.index("Scores by system")
    heads = "System Items Runs per item Runs Scored Errors Unscored Missing Mean score"
    assert heads.split() in [line.split() for line in lines[scores:]]


def test_no_private_word_is_printed(printed):
    for word in ("±", "found", "own means", "separate", "identical", "Cells", "Epochs"):
        assert word not in printed[1]
