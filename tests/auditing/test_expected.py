"""What a careful person sees in the sample logs, the audit sees too."""

import shutil

import pytest

import betterthan as bt
from tests.logs.samples import FORMATS, needs_samples

# folder or file, code, a part of the message
SEEN = [
    ("inspect/epochs_errors_0.3.285", "repeats", "the sample size is 6 items, not 18"),
    ("inspect/epochs_errors_0.3.285", "errors", "mockllm/alpha 1 of 18, mockllm/beta 4 of 18"),
    ("inspect/epochs_errors_0.3.285", "denominators", "on 6 and 5 items; 0.733"),
    ("inspect/epochs_errors_0.3.285", "reported", "0.633 is the mean over items of the mean over"),
    ("inspect/failed_logs_0.3.285", "state", "mockllm/alpha (failed), 2 of 6 samples"),
    ("inspect/failed_logs_0.3.285", "errors", "mockllm/alpha 2 of 6, mockllm/beta 2 of 6; 8 more"),
    ("inspect/failed_logs_0.3.285", "no score", "no item has a score"),
    ("inspect/died_no_header", "state", "mockllm/alpha (died), 4 of 6 samples"),
    ("inspect/died_no_header", "unmatched", "q4, q5 only in mockllm/beta"),
    ("inspect/multi_scorers_nan_limit_0.3.285", "unmatched", "q5 only in mockllm/alpha"),
    ("inspect/multi_scorers_nan_limit_0.3.285", "unscored", "mockllm/alpha 1 of 6, mockllm/beta 1"),
    ("inspect/multi_scorers_nan_limit_0.3.285", "config", "limit differs: 6 and 5"),
    ("inspect/multi_scorers_nan_limit_0.3.285", "config", "Be brief and Think step by step"),
    ("inspect/multi_scorers_nan_limit_0.3.285", "prompt", "differ on 5 of 5 shared items"),
    ("inspect/multi_scorers_nan_limit_0.3.285", "unanswered", "1 of value N (no answer)"),
    ("lm_eval/v0.4.13_two_models_three_tasks", "double", "items 1 and 5 have the same content"),
    ("lm_eval/v0.4.13_two_models_three_tasks", "repeats", "3 generations of an item"),
    ("lm_eval/v0.4.13_two_models_three_tasks", "refused", "word_perplexity is an aggregate"),
    ("lm_eval/v0.4.13_two_models_three_tasks", "direction", "lower word_perplexity is better"),
    ("promptfoo/0.123.1_repeat2_errors/out.json", "repeats", "2 runs per item"),
    ("promptfoo/0.123.1_repeat2_errors/out.json", "errors", "2 of 14, sysB"),
    ("promptfoo/0.123.1_repeat2_errors/out.json", "number-on-error", "promptfoo wrote 0 for 4"),
    ("promptfoo/0.123.1_repeat2_errors/out.json", "unchecked", "has no assert"),
    ("promptfoo/0.123.1_repeat2_errors/out.json", "double", "have the same content"),
    (
        "promptfoo/0.123.1_repeat2_errors/out.json",
        "twins",
        "echo | Say {{x}} have the same score on 12",
    ),
    ("deepeval/4.3.1_two_runs", "errors", "sysA 1 of 6, sysB 1 of 6"),
    ("deepeval/4.3.1_two_runs", "double", "5 distinct of 6 items"),
    ("deepeval/4.3.1_two_runs", "reported", "0.800 is over 5 of 6 items"),
    ("deepeval/4.3.1_two_runs", "ids", "positions or random"),
    ("mlflow/3.17_genai_evaluate", "double", "5 distinct of 6 items"),
    ("mlflow/3.17_genai_evaluate", "errors", "1 of 6"),
    ("mlflow/3.17_genai_evaluate", "ids", "matched by content"),
    ("mlflow/3.17_genai_evaluate", "labels", "'expected_response' left out"),
    ("pydantic_evals/2.62_two_reports", "errors", "sysA 1 of 6, sysB 2 of 6"),
    ("pydantic_evals/2.62_two_reports", "errors", "sysB 1 of 6"),
    ("pydantic_evals/2.62_two_reports", "double", "5 distinct of 6 items"),
    ("pydantic_evals/2.62_two_reports", "ids", "positions or random"),
    ("pydantic_evals/2.62_two_reports", "labels", "text, not scores"),
    ("every_eval_ever/0.3.0_from_lm_eval", "double", "items 1 and 5 have the same content"),
    ("harbor/0.25_two_jobs", "repeats", "2 runs per item"),
    ("harbor/0.25_two_jobs", "errors", "gpt-x 1 of 8"),
    ("harbor/0.25_two_jobs", "errors", "both a reward and an exception (AgentTimeoutError 1)"),
    ("trec/trec_eval_q", "unmatched", "q4 only in runB"),
    ("trec/ir_measures_q", "zeros", "writes 0 for a query without results"),
    ("sacrebleu/sentence_level_2.6.0", "items", "numbers of lines"),
    ("sacrebleu/sentence_level_2.6.0", "zeros", "(4): sacrebleu -sl gives an empty sentence 0"),
    ("sacrebleu/sentence_level_2.6.0", "corpus", "not the score of the corpus"),
]
# what is the same number by the rule of its tool is not told as another
REPORT_THEIR_ITEMS = [
    "inspect/basic_0.3.285",
    "inspect/epochs_errors_0.3.285",
    "inspect/multi_scorers_nan_limit_0.3.285",
    "lm_eval/v0.4.13_two_models_three_tasks",
    "promptfoo/0.123.1_repeat2_errors/out.json",
    "deepeval/4.3.1_two_runs",
    "every_eval_ever/0.3.0_from_lm_eval",
    "harbor/0.25_two_jobs",
    "trec/ir_measures_q",
]
_found = {}


def audited(path):
    """One audit a folder."""
    if path not in _found:
        _found[path] = bt.audit(FORMATS / path)
    return _found[path]


@needs_samples()
@pytest.mark.parametrize(("path", "code", "part"), SEEN)
def test_what_a_person_sees_is_found(path, code, part):
    rows = audited(path).findings
    said = rows.loc[rows["code"] == code, "message"].tolist()
    assert any(part in one for one in said), rows[["code", "message"]].to_string()


@needs_samples()
@pytest.mark.parametrize("path", ["inspect/basic_0.3.285", "inspect/multi_frame_member"])
def test_clean_logs_are_clean(path):
    assert audited(path).level in ("", "note")


@needs_samples()
@pytest.mark.parametrize("path", REPORT_THEIR_ITEMS)
def test_reported_numbers_are_those_of_the_items(path):
    rows = audited(path).findings
    assert set(rows.loc[rows["code"] == "reported", "level"]) <= {"note"}


@needs_samples()
def test_a_row_taken_out_of_a_log_is_no_longer_what_is_reported(tmp_path):
    logs = tmp_path / "logs"
    shutil.copytree(FORMATS / "lm_eval/v0.4.13_two_models_three_tasks", logs)
    path = next(logs.glob("org__beta/samples_toy_mc*"))
    lines = path.read_text("utf-8").splitlines(keepends=True)
    kept = [line for line in lines if '"acc": 1.0' not in line] or lines[1:]
    path.write_text("".join(kept), "utf-8")
    rows = bt.audit(logs, task="toy_mc", metric="acc").findings
    assert "warn" in set(rows.loc[rows["code"] == "reported", "level"])
