"""Where the commands write: the screen, one file or a folder; everything is made before the first
byte is written.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from betterthan.results.comparison import Comparison

INTERRUPTED = 130  # what a shell expects of a program that was interrupted

# what computes is loaded when a command runs, so that --help and --version answer at once


def where(
    format: str | None, output: Path | None, inputs: Sequence[Path | None] = ()
) -> tuple[str, Path | None]:
    """Format and target, agreed before any work is done; no target is one of the `inputs`."""
    form, target = _agreed(format, output)
    if target is not None:
        from betterthan.files import refuse_inputs

        written = [target] if target.suffix else [target / name for name in folder_of(form)]
        refuse_inputs(written, [path for path in inputs if path is not None])
    return form, target


def folder_of(form: str) -> tuple[str, str, str]:
    """Return the files of an output folder: report, pairs, and the comparison itself."""
    from betterthan.results import reports

    every = (*reports.FORMATS, *reports.PAPERS)
    named = next((f.suffixes[0] for f in every if f.name == form), ".json")
    return f"report{named}", "pairs.csv", "comparison.nc"


def _agreed(format: str | None, output: Path | None) -> tuple[str, Path | None]:
    from betterthan import checks
    from betterthan.results import reports

    suffixes = {k: form.name for k, form in reports.BY_SUFFIX.items()} | {".json": "json"}
    by_suffix = suffixes.get(output.suffix.lower()) if output is not None else None
    if output is not None and not str(output).strip("."):
        raise ValueError("output is empty; give a folder or a file")
    form = format or by_suffix or ("html" if output is not None else "text")
    checks.one_of(form, (*reports.FORMAT_NAMES, "json"), "format")
    if output is not None and output.suffix and by_suffix is None and not output.is_dir():
        raise ValueError(
            f"{output}: unknown suffix {output.suffix!r}; give a folder, or one of "
            f"{', '.join(suffixes)}"
        )
    papers = {paper.name: paper.suffixes for paper in reports.PAPERS}
    fits = output is not None and output.suffix.lower() in papers.get(form, ())
    if by_suffix and form != by_suffix and not fits:
        raise ValueError(
            f"{output}: its suffix says {by_suffix}, but the format is {form}; give one of the two"
        )
    return form, output


def one_file(
    format: str | None, output: Path | None, what: str, inputs: Sequence[Path | None]
) -> tuple[str, Path | None]:
    """Format and target of a command whose answer is one file."""
    from betterthan import checks
    from betterthan.results import reports

    form, target = where(format, output, inputs)
    checks.one_of(form, reports.FORMAT_NAMES, "format")
    if target is not None and not target.suffix:
        raise ValueError(f"{target}: give one file, such as {target}.html; {what} is one report")
    return form, target


def put(written: str, target: Path | None) -> None:
    """Print, or write one file."""
    from betterthan.files import write_whole

    if target is None:
        print(written, end="" if written.endswith("\n") else "\n")
    else:
        write_whole(target, written)
        say(f"wrote {target}")


def deliver(comparison: "Comparison", form: str, target: Path | None) -> None:
    """Print, or write one file, or fill a folder; everything is made before the first byte is
    written.
    """
    import betterthan as bt
    from betterthan.files import write_all
    from betterthan.progress import working
    from betterthan.results.kinds import plain
    from betterthan.results.reports import as_json
    from betterthan.results.rows import pair_rows

    main_answer = plain(comparison)
    if form == "text" and target is None:
        written = on_screen(main_answer)
    else:
        with working("writing the report"):
            written = as_json(main_answer) if form == "json" else bt.report(comparison, format=form)
    if target is None or target.suffix:
        put(written, target)
    else:
        outputs = (written, _table(pair_rows(main_answer)), comparison.to_bytes())
        contents: dict[str, str | bytes] = dict(zip(folder_of(form), outputs, strict=True))
        write_all({target / name: content for name, content in contents.items()})
        say(f"wrote {', '.join(str(target / name) for name in contents)}")
    if target is not None:
        for line in comparison.statement():
            say(line)


def on_screen(answer: "xr.Dataset") -> str:
    """A report as in a file; on a terminal what `print` shows of a comparison, in colour."""
    from betterthan.results.brief import brief_page
    from betterthan.results.document import without_figures
    from betterthan.results.kinds import build_page
    from betterthan.results.text import as_text, coloured, terminal_width

    if not sys.stdout.isatty() or answer.attrs.get("answer") != "comparison":
        return as_text(without_figures(build_page(answer)), terminal_width(), colour=coloured())
    first = as_text(brief_page(answer), terminal_width(), colour=coloured())
    return f"{first.rstrip()}\n\nThe whole report: -o report.html, or .txt\n"


def _table(rows: "pd.DataFrame") -> str:
    """Rows as CSV, in which no name is a formula."""
    from betterthan.results.escapes import no_formula

    named = {k: rows[k].map(str).map(no_formula) for k in ("system", "other")}
    return rows.assign(**named).to_csv(index=False)


def say(line: str) -> None:
    """Tell the user, beside the answer; names of files may hold what a terminal would act on."""
    plain = "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in line)
    print(plain, file=sys.stderr)


def fail(message: str) -> NoReturn:
    """One line, and exit code 2."""
    say("error: " + " ".join(message.split()))
    raise SystemExit(2)
