"""Items that are near copies of one another."""

import random
from itertools import combinations

import pytest

import betterthan as bt
from betterthan.auditing.audit import WITHIN, simhash, similar_pairs
from tests.logs import made_inspect

chance = random.Random(3)
LONG = [" ".join(chance.choices([f"w{k}" for k in range(900)], k=400)) for _ in range(8)]


def test_pairs_are_all_that_are_near():
    texts = [*LONG]
    for text in LONG[:4]:
        words = text.split()
        texts += [" ".join([*words[:at], "other", *words[at + 1 :]]) for at in (10, 200)]
    hashes = [simhash(text) for text in texts]
    every = combinations(range(len(texts)), 2)
    wanted = [(i, j) for i, j in every if (hashes[i] ^ hashes[j]).bit_count() <= WITHIN]
    assert similar_pairs(texts) == wanted
    assert len(wanted) >= 4  # so that there is something to find


def test_other_texts_are_not_near():
    assert similar_pairs(LONG) == similar_pairs(["a"]) == similar_pairs([]) == []


@pytest.mark.parametrize("write", [made_inspect.eval_log, made_inspect.json_log])
def test_the_audit_finds_them_where_it_is_asked_to(tmp_path, write):
    texts = {"q0": LONG[0], "q1": f"{LONG[0]} indeed", "q2": LONG[1], "q3": "short", "q4": "short?"}
    for model in ("a", "b"):
        samples = [made_inspect.summary(item, 1, input=text) for item, text in texts.items()]
        head = made_inspect.header(model, list(texts), eval__task_id=model)
        write(tmp_path / f"{model}.log", head, samples)
    found = bt.audit(tmp_path, near=True).findings
    (said,) = found.loc[found["code"] == "near-double", "message"]
    assert said == "1 pair of items is a near copy: q0 and q1"
    assert "near-double" not in set(bt.audit(tmp_path).findings["code"])
    logs = bt.read_logs(tmp_path)
    assert logs.records["text"].str.len().max() == 80
    with pytest.raises(ValueError, match="near=True needs the logs themselves"):
        bt.audit(logs, near=True)
    with pytest.raises(ValueError, match="near=True needs the logs themselves"):
        bt.audit(bt.read(tmp_path), near=True)


def test_a_table_has_no_texts(tmp_path):
    (tmp_path / "a.csv").write_text("item,a,b\nq,1,0\nr,0,1\n")
    with pytest.raises(ValueError, match="near=True does not apply"):
        bt.audit(tmp_path / "a.csv", near=True)


def test_one_question_with_two_answers_is_a_near_copy(tmp_path):
    for model in ("a", "b"):
        questions = {"q0": (LONG[0], "x"), "q1": (LONG[0], "y"), "q2": (LONG[1], "z")}
        samples = [
            made_inspect.summary(item, 1, input=text, target=target)
            for item, (text, target) in questions.items()
        ]
        head = made_inspect.header(model, list(questions), eval__task_id=model)
        made_inspect.json_log(tmp_path / f"{model}.log", head, samples)
    near = bt.audit(tmp_path, near=True).findings.set_index("code").loc["near-double"]
    assert near["message"] == "1 pair of items is a near copy: q0 and q1"
    assert (near["n"], near["of"]) == (1, 3)


def test_items_that_ask_one_thing_of_many_choices_are_no_copies(tmp_path):
    for model in ("a", "b"):
        samples = [made_inspect.summary(f"q{k}", 1, input=LONG[0], target=str(k)) for k in range(9)]
        head = made_inspect.header(model, [f"q{k}" for k in range(9)], eval__task_id=model)
        made_inspect.json_log(tmp_path / f"{model}.log", head, samples)
    assert "near-double" not in set(bt.audit(tmp_path, near=True).findings["code"])
