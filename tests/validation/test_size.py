"""The report of sizes counts code."""

from validation.size import code_lines, sizes

TEXT = '''"""A docstring
of two lines."""

import os  # a comment


# another
def f(
    a,
):
    """It."""
    return """text
    of two lines"""
'''


def test_code_lines_are_those_with_code():
    assert code_lines(TEXT) == 1 + 3 + 2


def test_a_folder_is_counted_by_subpackage(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "a.py").write_text(TEXT)
    (tmp_path / "one" / "b.py").write_text("x = 1\n")
    (tmp_path / "two.py").write_text("def f(): ...\n")
    table = sizes(tmp_path)
    assert table.loc["one"].to_dict() == {
        "files": 2,
        "code_lines": 7,
        "functions": 1,
        "largest": 13,
    }
    assert table.loc["two", "code_lines"] == 1
