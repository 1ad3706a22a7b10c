"""Logs of Inspect: versions, cut texts, samples given twice, and files that are damaged."""

import gzip
import json
import math
import sys

import pytest

import betterthan as bt
from betterthan.io import compression, json_records
from betterthan.logs import archives, of_inspect
from betterthan.logs.inspect_contents import Contents
from betterthan.logs.sniffing import LogFile

from . import made_inspect as made
from .samples import cells_of

LONG = "x" * 5120


def read(path):
    file = LogFile(path, path.name)
    assert of_inspect.recognises(file.preview)
    return of_inspect.runs([file])[0]


def scores(run):
    return [(item, metric, score, status) for _, item, _, metric, _, score, status in cells_of(run)]


def problem_of(path):
    with pytest.raises(ValueError, match=path.name) as error:
        read(path)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("method", [made.STORED, made.DEFLATE, made.ZSTD])
@pytest.mark.parametrize("frames", [1, 3])
def test_every_packing_reads_alike(tmp_path, method, frames):
    samples = [made.summary("q0"), made.summary("q1", "I")]
    path = made.eval_log(tmp_path / "a.eval", made.header(), samples, method=method, frames=frames)
    run = read(path)
    assert scores(run) == [("q0", "match", 1.0, "ok"), ("q1", "match", 0.0, "ok")]
    assert (run.tool, run.system, run.task, run.version) == (
        "inspect",
        "org/alpha",
        "toy",
        "0.3.285",
    )
    assert (run.again, run.declared, run.state) == ("t1", ["q0", "q1"], "done")


def test_json_reads_as_eval_does(tmp_path):
    samples = [made.summary("q0"), made.summary("q1", {"a": 1, "b": "no"}, scorer="d")]
    packed_log = read(made.eval_log(tmp_path / "a.eval", made.header(), samples))
    plain = read(made.json_log(tmp_path / "a.json", made.header(), samples))
    assert repr(packed_log.cells) == repr(plain.cells)
    assert ("q1", "d/b", 0.0, "ok") in scores(plain)


@pytest.mark.parametrize(
    ("value", "score", "status"),
    [
        ("C", 1, "ok"),
        ("P", 0.5, "ok"),
        ("N", 0, "ok"),
        (True, 1, "ok"),
        ("0.25", 0.25, "ok"),
        ("Yes", 1, "ok"),
        ("no", 0, "ok"),
        (float("nan"), None, "unscored"),
        (float("inf"), None, "unscored"),
        ("A", None, "unscored"),
        ([1, 0], None, "unscored"),
    ],
)
def test_values(tmp_path, value, score, status):
    samples = [made.summary("q0", "I"), made.summary("q1", value)]
    run = read(made.eval_log(tmp_path / "a.eval", made.header(), samples))
    assert scores(run)[1] == ("q1", "match", score, status)
    assert ("match" in run.refused) == isinstance(value, list)
    assert bool(run.notes) == (value in ("A", "N"))


def test_null_is_unscored(tmp_path):
    sample = made.summary("q1") | {"scores": {"match": {"value": None}}}
    run = read(made.eval_log(tmp_path / "a.eval", made.header(), [made.summary("q0"), sample]))
    assert scores(run)[1] == ("q1", "match", None, "unscored")


def test_a_score_on_an_error_is_kept_beside(tmp_path):
    samples = [made.summary("q0"), made.summary("q1", "C", error="boom")]
    run = read(made.eval_log(tmp_path / "a.eval", made.header(), samples))
    assert run.cells.status == ["ok", "error"]
    assert list(run.cells.raw) == [1.0, 1.0]
    assert run.why == "boom"


def test_errors_alone_have_the_declared_metrics(tmp_path):
    samples = [made.summary("q0", None, error="boom")]
    run = read(made.eval_log(tmp_path / "a.eval", made.header(status="error"), samples))
    assert scores(run) == [("q0", "match", None, "error")]
    assert run.state == "failed"


def test_no_scores_are_no_metrics(tmp_path):
    samples = [made.summary("q0", None)]
    assert read(made.eval_log(tmp_path / "a.eval", made.header(), samples)).metrics == []


def test_a_run_that_died_is_its_journal(tmp_path):
    parts = [[made.summary(f"q{k}")] for k in range(11)]
    head = made.header(ids=[f"q{k}" for k in range(12)])
    run = read(made.died(tmp_path / "a.eval", head, parts))
    assert run.state == "died"
    assert run.cells.item == [f"q{k}" for k in range(11)]  # part 10 comes after 9
    assert set(run.declared) - set(run.cells.item) == {"q11"}


def test_of_samples_given_twice_the_last_counts(tmp_path):
    samples = [made.summary("q0", "I"), made.summary("q1"), made.summary("q0", "C")]
    run = read(made.eval_log(tmp_path / "a.eval", made.header(), samples))
    assert dict(zip(run.cells.item, run.cells.raw, strict=True)) == {"q0": 1.0, "q1": 1.0}
    assert run.notes == [("twice", "1 sample of a.eval given twice, the last is taken")]


def test_two_questions_of_one_id_are_refused(tmp_path):
    samples = [made.summary("q0"), made.summary("q1"), made.summary("q0") | {"input": "What else?"}]
    with pytest.raises(ValueError, match="row 1: sample 'q0' asks something else in row 3; give"):
        read(made.eval_log(tmp_path / "a.eval", made.header(), samples))


def cut(text):
    return f"{text[:5120]}...\n(content truncated)"


def test_texts_that_the_summary_cuts_are_read_whole(tmp_path):
    whole = [made.summary(f"q{k}", input=f"{LONG} {k}") for k in (0, 1)]
    thin = [one | {"input": cut(one["input"])} for one in whole]
    big = [one | {"messages": ["m" * 2**21]} for one in whole]
    run = read(made.eval_log(tmp_path / "a.eval", made.header(), thin, full=big))
    plain = read(made.json_log(tmp_path / "a.json", made.header(), whole))
    assert run.cells.content == plain.cells.content
    assert len(set(run.cells.content)) == 2
    without = read(made.eval_log(tmp_path / "b.eval", made.header(), thin))
    assert without.cells.content == [None, None]


def test_images_are_read_where_the_summary_names_them(tmp_path):
    def asked(image):
        part = {"type": "image", "image": image}
        return [{"id": image, "role": "user", "content": [{"type": "text", "text": "?"}, part]}]

    whole = [made.summary(f"q{k}", input=asked(f"attachment://{k}a")) for k in (0, 1)]
    words = [{"type": "text", "text": "?"}, {"type": "text", "text": "(Image)"}]
    thin = [one | {"input": [{"role": "user", "content": words}]} for one in whole]
    run = read(made.eval_log(tmp_path / "a.eval", made.header(), thin, full=whole))
    assert len({*run.cells.content}) == 2


def test_ids_of_messages_are_no_content(tmp_path):
    def run(id):
        asked = [{"id": id, "role": "user", "content": "What?"}]
        samples = [made.summary("q0", input=asked)]
        return read(made.eval_log(tmp_path / "a.eval", made.header(), samples))

    assert run("random1").cells.content == run("random2").cells.content


def test_choices_that_older_summaries_leave_out(tmp_path):
    steps = [{"solver": "multiple_choice", "params": {}}]
    head = made.header(plan__steps=steps)
    thin = made.summary("q0")
    whole = {"id": "q0", "epoch": 1, "input": thin["input"], "choices": ["a", "b"], "target": "0"}
    old = read(made.eval_log(tmp_path / "old.eval", head, [thin], full=[whole]))
    new = read(made.eval_log(tmp_path / "new.eval", head, [thin | {"choices": ["a", "b"]}]))
    assert old.cells.content == new.cells.content


def test_a_system_message_is_another_prompt_for_the_same_content(tmp_path):
    def run(text):
        steps = [{"solver": "system_message", "params": {"template": text}}]
        head = made.header(plan__steps=steps)
        return read(made.eval_log(tmp_path / "a.eval", head, [made.summary("q0")])).cells

    a, b = run("Be brief"), run("Think")
    assert a.content == b.content
    assert a.prompt != b.prompt


SETTINGS_OF_SOLVERS = {
    "a seed": [{"solver": "flaky", "params": {"seed": "gpt-small"}}],
    "another seed": [{"solver": "flaky", "params": {"seed": "gpt-large"}}],
    "a model": [{"solver": "debate", "params": {"model": "openai/gpt-4.1", "tool": "bash"}}],
    "effort": [{"solver": "generate", "params": {"tool_calls": "loop", "reasoning_effort": "low"}}],
    "an older version": [{"solver": "generate", "params": {}}],
    "a limit": [{"solver": "basic_agent", "params": {"message_limit": 9, "submit_name": "end"}}],
    "no prompt": [{"solver": "react", "params": {"prompt": None, "submit": True}}],
    "choices": [{"solver": "multiple_choice", "params": {"cot": False, "max_tokens": 9}}],
}
PROMPTS_OF_SOLVERS = {
    "a template": [{"solver": "system_message", "params": {"template": "Be brief"}}],
    "a value": [{"solver": "system_message", "params": {"template": "Be {how}", "how": "brief"}}],
    "another": [{"solver": "system_message", "params": {"template": "Be {how}", "how": "kind"}}],
    "around": [{"solver": "prompt_template", "params": {"template": "Q: {prompt} A:"}}],
    "of choices": [{"solver": "multiple_choice", "params": {"template": "Q: {question}"}}],
    "thoughts": [{"solver": "multiple_choice", "params": {"cot": True}}],
    "an agent": [{"solver": "react", "params": {"prompt": {"instructions": "Search"}}}],
    "one's own": [{"solver": "mine", "params": {"system_prompt": "Be brief", "seed": "s"}}],
    "within": [
        {
            "solver": "basic_agent",
            "params": {"init": [{"name": "system_message", "params": {"template": "Hi"}}]},
        }
    ],
}


def prompt_under(tmp_path, steps):
    head = made.header(plan__steps=steps)
    sample = made.summary("q0", choices=["a", "b"])
    return read(made.eval_log(tmp_path / "a.eval", head, [sample])).cells.prompt


@pytest.mark.parametrize("case", SETTINGS_OF_SOLVERS)
def test_other_settings_of_a_solver_are_no_prompt(tmp_path, case):
    plain = prompt_under(tmp_path, [])
    assert prompt_under(tmp_path, SETTINGS_OF_SOLVERS[case]) == plain


def test_a_seed_of_a_solver_is_one_setting_and_no_prompt_to_the_audit(tmp_path):
    for k, model in enumerate(("small", "middle", "large")):
        steps = [{"solver": "flaky", "params": {"seed": f"gpt-{model}", "mode": model}}]
        head = made.header(model=f"org/{model}", plan__steps=steps, eval__task_id=f"t{k}")
        samples = [made.summary(f"q{j}", "CI"[(j + k) % 2]) for j in range(12)]
        made.eval_log(tmp_path / f"{model}.eval", head, samples)
    findings = bt.audit(tmp_path).findings
    assert "prompt" not in findings["code"].tolist()
    told = findings[findings["code"] == "config"].sort_values("level")
    assert told["message"].tolist() == [
        "other settings differ: flaky.mode",
        "flaky.seed differs: gpt-large, gpt-middle and gpt-small",
    ]
    assert told["level"].tolist() == ["note", "warn"]


def test_every_text_that_a_solver_adds_is_a_prompt(tmp_path):
    found = [prompt_under(tmp_path, steps) for steps in ([], *PROMPTS_OF_SOLVERS.values())]
    assert len({prompt for (prompt,) in found}) == len(PROMPTS_OF_SOLVERS) + 1


def test_the_judge_and_the_scorer(tmp_path):
    scorer = {"name": "model_graded_qa", "options": {"model": "openai/gpt-4o"}}
    head = made.header(
        eval__scorers=[scorer], eval__model_roles={"grader": {"model": "openai/gpt-4.1"}}
    )
    run = read(made.eval_log(tmp_path / "a.eval", head, [made.summary("q0")]))
    assert run.judge == "openai/gpt-4.1, openai/gpt-4o"
    assert run.scorer == 'model_graded_qa{"model": "openai/gpt-4o"}'


def test_reported_by_reducer(tmp_path):
    scores = [
        made.reported("match", 0.5, "mean"),
        made.reported("match", 1.0, "at_least_2"),
        made.reported("d", 0.25, name="a", metric="mean"),
        made.reported("match", 9.0, name="grouped"),
    ]
    sample = made.summary("q0") | {"scores": {"match": {"value": "C"}, "d": {"value": {"a": 1}}}}
    run = read(made.eval_log(tmp_path / "a.eval", made.header(scores=scores), [sample]))
    assert run.reported == {"match": 0.5, "d/a": 0.25}
    assert run.reduced == {"at_least_2": {"match": 1.0}}


def test_transcripts_are_not_read(tmp_path):
    big = [{"id": "q0", "epoch": 1, "messages": []}]
    path = made.eval_log(tmp_path / "a.eval", made.header(), [made.summary("q0")], full=big)
    data = path.read_bytes()
    start = data.index(b"samples/q0_epoch_1.json") + 30
    path.write_bytes(data[:start] + b"\xff" * 8 + data[start + 8 :])  # a damaged transcript
    assert scores(read(path)) == [("q0", "match", 1.0, "ok")]


# -- damaged ---------------------------------------------------------------------------------------


def test_cut_zip_is_no_log(tmp_path):
    path = made.eval_log(tmp_path / "a.eval", made.header(), [made.summary("q0")])
    path.write_bytes(path.read_bytes()[:-30])
    assert LogFile(path, "a.eval").preview.kind == "a zip file that is cut or damaged"


def test_zip_of_a_later_version_is_not_called_damaged(tmp_path):
    path = made.eval_log(tmp_path / "a.eval", made.header(), [made.summary("q0")])
    data = bytearray(path.read_bytes())
    data[data.index(b"PK\1\2") + 6] = 99  # the version that reading it needs
    path.write_bytes(data)
    assert LogFile(path, "a.eval").preview.kind == "a zip file of a version that Python cannot read"


@pytest.mark.parametrize("method", [made.STORED, made.DEFLATE, made.ZSTD])
def test_wrong_check_sum(tmp_path, method):
    path = made.eval_log(
        tmp_path / "a.eval", made.header(), [made.summary("q0")], method=method, crc=1
    )
    assert "wrong size or check sum" in problem_of(path)


def test_more_than_it_says(tmp_path):
    samples = [made.summary("q0")]
    path = made.eval_log(tmp_path / "a.eval", made.header(), samples, size=100)
    assert "unpacks to more than the 100 bytes it says" in problem_of(path)


def test_zip_bomb(tmp_path, monkeypatch):
    monkeypatch.setattr(compression, "MOST_BYTES", 10_000)
    samples = [made.summary("q0", input="x" * 20_000)]
    path = made.eval_log(tmp_path / "a.eval", made.header(), samples)
    assert "more than 10,000" in problem_of(path)


def test_damaged_member(tmp_path):
    path = made.eval_log(tmp_path / "a.eval", made.header(), [made.summary("q0")])
    data = path.read_bytes()
    at = data.index(b"summaries.json") + len("summaries.json")
    path.write_bytes(data[:at] + b"\xff" * 40 + data[at + 40 :])
    assert "cannot be unpacked" in problem_of(path)


def test_member_elsewhere(tmp_path):
    path = made.eval_log(tmp_path / "a.eval", made.header(), [made.summary("q0")])
    path.write_bytes(path.read_bytes().replace(b"PK\3\4", b"PK\3\5"))
    assert "is not where the archive lists it" in problem_of(path)


def test_cut_packing_is_said_and_closed(tmp_path):
    path = tmp_path / "a.json.gz"
    path.write_bytes(gzip.compress(json.dumps(made.header()).encode())[:-20])
    with pytest.raises(ValueError, match="not a whole gzip file"):
        LogFile(path, path.name).preview.kind  # noqa: B018


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[{}]", "is no sample"),
        ("{}", "is no list of samples"),
        ("[", "not valid JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"id": 1, "id": 2}]', "occurs twice"),
    ],
)
@pytest.mark.parametrize("short", [0, 2**22])
def test_summaries_that_are_none(tmp_path, text, why, short, monkeypatch):
    monkeypatch.setattr(archives, "_SHORT", short)
    members = [
        ("summaries.json", text.encode()),
        ("header.json", json.dumps(made.header()).encode()),
    ]
    assert why in problem_of(made.archive(tmp_path / "a.eval", members))


def test_no_samples(tmp_path):
    assert "holds no samples" in problem_of(made.eval_log(tmp_path / "a.eval", made.header(), []))
    assert "holds no samples" in problem_of(made.json_log(tmp_path / "a.json", made.header(), []))


def test_cut_json(tmp_path):
    path = made.json_log(tmp_path / "a.json", made.header(), [made.summary("q0")])
    path.write_bytes(path.read_bytes()[:-20])
    assert "is the file cut?" in problem_of(path)


@pytest.fixture
def usual_limit():
    """Of recursion, which other tests raise."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(before)


def test_nesting(tmp_path, usual_limit):
    deep = json.loads("[" * 300 + "]" * 300)
    run = read(made.json_log(tmp_path / "a.json", made.header(), [made.summary("q0", input=deep)]))
    assert run.cells.content[0] is not None
    path = tmp_path / "deep.json"
    text = json.dumps(made.header() | {"samples": "HERE"})
    path.write_text(text.replace('"HERE"', "[" * 100_000 + "]" * 100_000))
    assert "nested too deeply" in problem_of(path)
    text = json.dumps(made.header() | {"samples": [made.summary("q0", input="HERE")]})
    path.write_text(text.replace('"HERE"', "[" * 2000 + "]" * 2000))
    assert "nested too deeply" in problem_of(path)


def test_a_member_is_never_a_path(tmp_path):
    members = [("../../header.json", b"{}"), ("/etc/header.json", b"{}")]
    path = made.archive(tmp_path / "a.eval", members)
    assert not of_inspect.recognises(LogFile(path, "a.eval").preview)


# -- the window ------------------------------------------------------------------------------------


@pytest.mark.parametrize("window", [1, 2, 7, 10_000])
def test_fields_do_not_depend_on_the_window(tmp_path, monkeypatch, window):
    monkeypatch.setattr(json_records, "WINDOW", window)
    value = {"a": [1, -2.5e-10, 'é\\u00e9"', None], "b": {}, "s": [{"x": math.pi}, 12, "é"]}
    path = tmp_path / "a.json"
    path.write_text(f"\ufeff {json.dumps(value, ensure_ascii=False, indent=1)}\n", "utf-8")
    with path.open("rb") as file:
        found = list(json_records.fields(file, "a.json", frozenset({"s"})))
    wanted = [("a", value["a"]), ("b", {}), *(("s", one) for one in value["s"])]
    assert found == wanted


def test_a_long_list_is_streamed(tmp_path, monkeypatch):
    monkeypatch.setattr(json_records, "WINDOW", 1000)
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"s": [{"x": "y" * 100}] * 1000}))
    held = []

    class Counted(json_records.Window):
        def _more(self):
            super()._more()
            held.append(len(self._text))

    monkeypatch.setattr(json_records, "Window", Counted)
    with path.open("rb") as file:
        assert sum(1 for _ in json_records.fields(file, "a", frozenset({"s"}))) == 1000
    assert max(held) < 3000


PLAIN = [{"input": f"Question {k}?", "target": str(k % 3)} for k in range(50)]


def together(samples):
    """Digests that were made in one go; None where each sample is looked at by itself."""
    digests = Contents().digest_all(samples, None, False)
    return digests if isinstance(digests, list) else None


def test_digests_in_one_go_are_those_one_by_one():
    one_by_one = [Contents().digest(sample) for sample in PLAIN]
    assert together(PLAIN) == one_by_one
    assert len({*one_by_one}) == 50


def test_digests_of_what_several_logs_ask_are_those_one_by_one():
    contents, last = Contents(), {"input": "Question 50?", "target": ["a", "b"]}
    for asked in (PLAIN[:25], PLAIN, [*PLAIN, last], PLAIN[25:], [last], []):
        one_by_one = [Contents().digest(sample) for sample in asked]
        assert list(contents.digest_all(asked, None, False)) == one_by_one


@pytest.mark.parametrize(
    "sample",
    [
        {"input": "cut...\n(content truncated)", "target": "a"},
        {"input": "(Image)", "target": "a"},
        {"input": "attachment://1", "target": "a"},
        {"input": "Why?", "target": "attachment://1"},
        {"input": "Warum, Müller?", "target": "a"},
        {"input": "two\r\nlines", "target": "a"},
        {"input": "Which?", "target": "a", "choices": ["a", "b"]},
        {"input": [{"role": "user", "content": "Why?"}], "target": "a"},
        {"input": "Why?", "target": ["a", "b"]},
        {"input": "Why?"},
    ],
)
def test_what_is_not_plain_is_looked_at_by_itself(sample):
    for place in (0, 25, 50):
        assert together([*PLAIN[:place], sample, *PLAIN[place:]]) is None


@pytest.mark.parametrize("epoch", ["1", 1.5, True])
def test_an_epoch_is_a_whole_number(tmp_path, epoch):
    summaries = [made.summary("q0"), made.summary("q1", epoch=epoch)]
    made.eval_log(tmp_path / "a.eval", made.header(), summaries)
    assert "a.eval, row 2, column 'epoch', value" in problem_of(tmp_path / "a.eval")
