"""Of all readers one at most says yes to a file."""

import pytest

from betterthan.logs.of_tool_rows import PATTERNS
from betterthan.logs.recognising import find_reader
from betterthan.logs.roster import READERS, Reader
from betterthan.logs.sniffing import LogFile, Preview

from .samples import FORMATS, files_in, needs_samples

# what each reader recognises among the samples, and nothing else
KNOWN = {
    "inspect": ("inspect/",),
    "lm_eval": ("lm_eval/",),
    "every_eval_ever": ("every_eval_ever/",),
    "harbor": ("harbor/",),
    "swebench": ("swebench/",),
    "tau2": ("tau2/",),
    "helm": ("helm/",),
}
OURS = [reader for reader in READERS if reader.name in KNOWN]


@needs_samples()
def test_one_reader_a_sample_and_the_right_one():
    for file in files_in(FORMATS):
        said = [reader.name for reader in READERS if reader.recognises(file.preview)]
        assert len(said) <= 1, (file.name, said)
        for name in said:
            assert file.name.startswith(KNOWN.get(name, (""))), (file.name, name)


@needs_samples()
@pytest.mark.parametrize("reader", OURS, ids=lambda reader: reader.name)
def test_each_reader_has_its_samples(reader):
    assert any(
        reader.recognises(file.preview) for file in files_in(FORMATS / KNOWN[reader.name][0])
    )


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@pytest.mark.parametrize(
    "text",
    [
        "{}",
        "[]",
        "[{}]",
        "[[]]",
        "[1]",
        '{"results": []}',
        '{"results": {}}',
        '{"results": null}',
        '{"a": 1}\n{"a": 2}',
        '{"system": "a", "item": 1, "score": 0.5}',
        "system,item,score\na,1,0\n",
        "item,a,b\n1,0,1\n",
        "",
        "\n\n",
        "<html></html>",
        "version https://git-lfs.github.com/spec/v1\n",
        "[" * 300,
        '{"a":' * 300,
    ],
)
def test_no_reader_takes_what_is_no_log(tmp_path, reader, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    assert not reader.recognises(LogFile(path, "a.json").preview)


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
@pytest.mark.parametrize("kind", ["zip", "parquet", "an image", "binary"])
def test_a_head_without_anything(reader, kind):
    assert reader.recognises(Preview(kind)) is False


def test_plain_names_of_columns_need_no_reader(monkeypatch):
    monkeypatch.setattr(Reader, "recognises", None)
    assert find_reader(Preview("text", lines=("item,base,new_2", "i1,0,1"))) is None


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.tool)
def test_every_tool_names_a_column_that_is_not_plain(pattern):
    # what the header that no reader is asked about may not hold
    needs = [need.replace("\\.", ".").replace(".+", "x") for need in pattern.needs]
    assert any("input" in need or set(need) & set("./") for need in needs), pattern.tool
