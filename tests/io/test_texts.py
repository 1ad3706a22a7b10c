"""Texts that are kept as few long ones are the same texts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from betterthan.io import system_names as spellings
from betterthan.io import texts as long_texts
from betterthan.io.system_names import alike
from betterthan.io.texts import Coding, Texts, coded, joined

TEXT = st.text("aA \n\t\x00\x1fé\U0001f600", max_size=3)
BLOCKS = st.lists(st.lists(TEXT, min_size=1, max_size=5), min_size=1, max_size=5)


@given(BLOCKS)
def test_texts_come_out_as_they_went_in(blocks):
    texts, plain = Texts(blocks), [text for block in blocks for text in block]
    assert list(texts) == plain
    assert [texts[k] for k in range(len(texts))] == plain
    assert list(texts.take(np.arange(0, len(plain), 2))) == plain[::2]
    assert "".join(joined(texts)) == "".join(plain)
    with pytest.raises(IndexError):
        texts[len(plain)]


def in_blocks(blocks):
    coding = Coding()
    for block in blocks:
        coding.add(block)
    return coding.done()


def same_as_at_once(blocks):
    found, plain = in_blocks(blocks), coded([text for block in blocks for text in block])
    assert list(found.distinct) == list(plain.distinct)
    assert found.codes.tolist() == plain.codes.tolist()
    assert found.once == (len(plain.distinct) == len(plain))
    assert list(found.texts) == list(plain)


@given(BLOCKS)
def test_texts_of_blocks_are_numbered_as_all_at_once(blocks):
    same_as_at_once(blocks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(long_texts, "BLOCK", 2)
        same_as_at_once(blocks)


def test_two_texts_of_one_hash_stay_two(monkeypatch):
    right = long_texts.hashes
    numbers = iter([lambda blocks: 0 * right(blocks), right])
    monkeypatch.setattr(long_texts, "hashes", lambda blocks: next(numbers)(blocks))
    found = in_blocks([["a", "b"], ["b", "c"]])
    assert list(found.distinct) == ["a", "b", "c"]
    assert found.codes.tolist() == [0, 1, 1, 2]


@given(BLOCKS)
def test_names_that_look_the_same_are_found_in_blocks(blocks):
    plain = [text for block in blocks for text in block]
    groups = {}
    for text in dict.fromkeys(plain):
        groups.setdefault(spellings.spelling(text), []).append(text)
    apart = [group for group in groups.values() if len(group) > 1]
    assert alike(plain) == alike(Texts(blocks)) == apart
