"""Read a table from a path: extension, compression, encoding."""

import stat
from pathlib import Path
from typing import Any

from betterthan.files import expanded
from betterthan.io.compression import gunzipped
from betterthan.io.delimited import parse_delimited
from betterthan.io.json_records import parse_json, parse_json_lines
from betterthan.io.problems import printable, problem
from betterthan.io.table import Table

FORMATS = (".csv", ".tsv", ".jsonl", ".json", ".parquet")
PATHS = "paths, or a mapping of name to path or DataFrame"  # what to give
_PIECE = 2**20  # bytes that are looked at together


_BASELINE = b"# betterthan baseline "


def read_file(path: Path, sep: str | None = None) -> Table:
    """The table in a file of a known extension, gzipped or not; `sep` stands between the cells of
    text when it is neither a comma nor a tab.
    """
    refuse_no_file(path)
    extension = Path(_unzipped_name(path)).suffix.lower()
    if extension not in FORMATS:
        raise problem(path.name, unknown_type(path))
    if not (data := _bytes(path)):
        raise problem(path.name, "is empty; give column names and at least one row")
    if extension == ".parquet":
        from betterthan.io.frames import parse_parquet

        return parse_parquet(data, path.name)
    if extension in (".jsonl", ".json"):
        refuse_no_text(data, path.name)
        return (parse_json if extension == ".json" else parse_json_lines)(data, path.name)
    if data.startswith(_BASELINE):
        right = "give betterthan gate this file, and other commands the results themselves"
        raise problem(path.name, f"is a baseline that betterthan gate --accept wrote; {right}")
    delimiter = sep or ("\t" if extension == ".tsv" else ",")
    refuse_no_text(data, path.name)
    return parse_delimited(data, path.name, delimiter)


def dataset_name(path: Path) -> str:
    """The name of a file without its extensions."""
    return Path(_unzipped_name(path)).stem


def _unzipped_name(path: Path) -> str:
    return path.name[:-3] if path.name.lower().endswith(".gz") else path.name


def unknown_type(path: Path) -> str:
    """What is wrong with the extension of a file, and what to do."""
    extension = Path(_unzipped_name(path)).suffix.lower()
    if extension == ".nc":
        opened = f"betterthan.load({path.as_posix()!r})"
        return f"is a netCDF file, not a table; open a saved comparison with {opened}"
    if extension in (".xlsx", ".xls", ".ods"):
        right = "pass the DataFrame of pandas.read_excel to betterthan.compare"
        return f"is a spreadsheet; save the sheet as CSV, or {right}"
    table = "; rename it to .csv or .tsv if it is a table" if extension == ".txt" else ""
    return f"unknown file type {extension!r}{table}; give {', '.join(FORMATS)}, each also with .gz"


def refuse_no_file(path: Path) -> None:
    """Refuse what is not there, and what never ends: a pipe, a device."""
    try:
        kind = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        raise FileNotFoundError(f"no such file: {printable(str(path))}") from None
    except (OSError, ValueError) as error:  # no leave to look, a name that cannot be one
        reason = getattr(error, "strerror", None) or error
        raise problem(str(path), f"cannot be read ({reason})") from None
    if stat.S_ISDIR(kind):
        raise problem(str(path), "is a directory; give a file, or a list of files")
    if not stat.S_ISREG(kind):
        what = "is a pipe or a device, and may never end; save what it gives as a file"
        raise problem(str(path), what)


def _bytes(path: Path) -> bytes:
    try:
        if path.name.lower().endswith(".gz"):
            return gunzipped(path, path.name)
        return path.read_bytes()
    except OSError as error:
        raise problem(str(path), f"cannot be read ({error.strerror})") from None


def decoded(data: bytes, source: str) -> str:
    """The text in bytes of UTF-8."""
    refuse_no_text(data, source)
    return data.decode("utf-8-sig")


def refuse_no_text(data: bytes, source: str) -> None:
    """Refuse what is no UTF-8, and say what it is instead, with its row."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise problem(source, "is UTF-16, not UTF-8; save it as UTF-8")
    if b"\0" in data:
        raise problem(source, "holds zero bytes, so it is not UTF-8 text; save it as UTF-8")
    begin = len(data) if data.isascii() else 0
    while begin < len(data):
        end = data.find(b"\n", begin + _PIECE) + 1 or len(data)
        try:
            data[begin:end].decode()
        except UnicodeDecodeError as error:
            row = data.count(b"\n", 0, begin + error.start) + 1
            reason = f"not UTF-8 (byte 0x{data[begin + error.start]:02x}); save the file as UTF-8"
            raise problem(source, reason, row=row) from None
        begin = end


def table_of(source: Any) -> Table:
    """The table in a file or a frame."""
    if isinstance(source, str | Path):
        return read_file(expanded(source))
    import pandas as pd

    from betterthan.io.frames import table_from_frame

    if isinstance(source, pd.DataFrame):
        return table_from_frame(source, "DataFrame")
    raise ValueError(f"source is a {type(source).__name__}; give a path or a pandas.DataFrame")
