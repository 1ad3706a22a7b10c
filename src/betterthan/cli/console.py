"""Output of commands: standard streams, files, and how a command ends.

Standard output and standard error of a command: what cannot be printed is a failure, in one
line and with exit code 2; what cannot be said beside it is left unsaid.

How a command ends: bad input is one line on stderr and exit code 2, as is what cannot be
printed; a failure of ours is exit code 2, too, for others are verdicts.
"""

import errno
import io
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import betterthan as bt
from betterthan.text import can_encode, may_print, no_command

if TYPE_CHECKING:
    from betterthan.results.comparison import Comparison
    from betterthan.results.document import Document

_CLOSED = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}


class NotPrintedError(Exception):
    """Standard output does not take what is printed.

    It is no OSError: of a broken pipe the argument parser makes exit code 1, which is a verdict.
    """


class _Stream(io.TextIOWrapper):
    """A stream in which GitHub Actions finds no command, but for those of `put_command`."""

    blank = True  # whether the line that it is in holds blanks alone

    def write(self, text: str, /) -> int:
        self.put(no_command(text, self.blank) if in_actions() else text)
        return len(text)

    def put(self, text: str) -> None:
        """Write a text as it is."""
        super().write(text)
        *before, last = text.replace("\r", "\n").rsplit("\n", 1)
        self.blank = not last.strip() and (self.blank or bool(before))


class _Output(_Stream):
    """Standard output, in which ? stands for a letter that its encoding lacks; of signs that it
    lacks those of ASCII are printed.
    """

    replaced = False
    failed = ""  # why, from the first failure on: whoever printed may have overheard it

    def put(self, text: str) -> None:
        self.refuse_failed()
        if not can_encode(text, self.encoding):
            from betterthan.results.text import ASCII_SIGNS

            text = text.translate(ASCII_SIGNS)
            self.replaced = self.replaced or not can_encode(text, self.encoding)
        try:
            super().put(text)
        except OSError as error:
            raise self._failed(error) from None

    def flush(self) -> None:
        try:
            super().flush()
        except OSError as error:
            raise self._failed(error) from None

    def refuse_failed(self) -> None:
        """Fail again."""
        if self.failed:
            raise NotPrintedError(self.failed)

    def _failed(self, error: OSError) -> NotPrintedError:
        _to_nowhere(self)
        reason = "it is closed" if error.errno == errno.EBADF else error.strerror
        self.failed = f"standard output cannot be written to ({reason})"
        return NotPrintedError(self.failed)


class _Errors(_Stream):
    """Standard error, which nobody need read."""

    def put(self, text: str) -> None:
        try:
            super().put(text)
        except OSError:
            _to_nowhere(self)

    def flush(self) -> None:
        try:
            super().flush()
        except OSError:
            _to_nowhere(self)


def in_actions() -> bool:
    """Whether a step of GitHub Actions runs."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def put_command(line: str) -> None:
    """Print a command of GitHub Actions."""
    out: Any = sys.stdout
    (out.put if isinstance(out, _Stream) else out.write)(f"{line}\n")


def ready() -> None:
    """Take both streams over, unless somebody else has; where one is closed, keep its place, in
    which the next file that is opened would stand.
    """
    for name, flags in _CLOSED.items():
        if getattr(sys, name) is None:
            place = os.open(os.devnull, flags)
            setattr(sys, f"__{name}__", os.fdopen(place, "r" if name == "stdin" else "w"))
            setattr(sys, name, getattr(sys, f"__{name}__"))
    if sys.stdout is sys.__stdout__:
        sys.stdout = _of(_Output, sys.stdout, "replace")
    if sys.stderr is sys.__stderr__:
        sys.stderr = _of(_Errors, sys.stderr, "backslashreplace")


def finish() -> str:
    """Print what still waits, and return what should be known of it; empty as a rule.

    Raises
    ------
    NotPrintedError
        If it cannot be printed.
    """
    out = sys.stdout
    out.flush()
    if not isinstance(out, _Output):
        return ""
    out.refuse_failed()
    if not out.replaced:
        return ""
    return (
        f"? stands for characters that the encoding of standard output, {out.encoding}, "
        "lacks; set PYTHONUTF8=1, or write to a file"
    )


def _of(kind: type[io.TextIOWrapper], stream: Any, errors: str) -> Any:
    return kind(
        stream.buffer,
        encoding=stream.encoding,
        errors=errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def _to_nowhere(stream: io.TextIOWrapper) -> None:
    """Let go of what waits, which Python would try again, and fail again, when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


INTERRUPTED = 130  # what a shell expects of a program that was interrupted

# what computes is loaded when a command runs, so that --help and --version answer at once


def where(
    format: str | None, output: Path | None, inputs: Sequence[Path | None] = ()
) -> tuple[str, Path | None]:
    """Format and target, agreed before any work is done; no target is one of the `inputs`."""
    form, target = _agreed(format, output)
    if target is not None:
        from betterthan.files import refuse_inputs

        refuse_inputs(written_files(form, target), [path for path in inputs if path is not None])
    return form, target


def written_files(form: str, target: Path) -> list[Path]:
    """The file, or the files of the folder."""
    return [target] if target.suffix else [target / name for name in folder_of(form)]


def folder_of(form: str) -> tuple[str, str, str]:
    """Return the files of an output folder: report, pairs, and the comparison itself."""
    from betterthan.results import reports

    every = (*reports.FORMATS, *reports.PAPERS)
    named = next((f.suffixes[0] for f in every if f.name == form), ".json")
    return f"report{named}", "pairs.csv", "comparison.nc"


def _agreed(format: str | None, output: Path | None) -> tuple[str, Path | None]:
    if format is None and output is None:
        return "text", None
    from betterthan import checks
    from betterthan.results import reports

    suffixes = {k: form.name for k, form in reports.BY_SUFFIX.items()} | {".json": "json"}
    by_suffix = suffixes.get(output.suffix.lower()) if output is not None else None
    if output is not None and not str(output).strip("."):
        raise ValueError("output is empty; give a folder or a file")
    if str(output) == "-":
        raise ValueError("output is '-'; leave it out to print the answer, or give a file")
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
    if format is None and output is None:
        return "text", None
    from betterthan import checks
    from betterthan.results import reports

    if format is not None:
        checks.one_of(format, [form.name for form in reports.FORMATS], "format")
    if output is not None and output.suffix.lower() not in reports.BY_SUFFIX:
        reason = f"{what} is one report, in {', '.join(reports.BY_SUFFIX)}"
        example = output.parent / f"{output.stem or 'report'}.html"
        raise ValueError(f"{output}: give one file, such as {example}; {reason}")
    return where(format, output, inputs)


def put(written: str, target: Path | None) -> None:
    """Print, or write one file."""
    from betterthan.files import write_whole

    if target is None:
        print(written, end="" if written.endswith("\n") else "\n")
    else:
        write_whole(target, written)
        say(f"wrote {target}")


def put_report(answers: Sequence[Any], form: str, target: Path | None) -> None:
    """Print a report on all answers, on a terminal as wide as that, or write one file."""
    if form != "text" or target is not None:
        put(bt.report(*answers, format=form), target)
        return
    from betterthan.results.document import joined, without_figures
    from betterthan.results.kinds import build_page
    from betterthan.results.text import as_text, terminal_width

    page = without_figures(joined([build_page(answer) for answer in answers]))
    put(as_text(with_options(page), terminal_width()), target)


def deliver(
    comparison: "Comparison",
    form: str,
    target: Path | None,
    *,
    p_values: str | None = None,
    title: str | None = None,
    full: bool = False,
    picture: bool = True,
) -> None:
    """Print, or write one file, or fill a folder; everything is made before the first byte is
    written.
    """
    from betterthan.files import write_all
    from betterthan.progress import working
    from betterthan.results.kinds import plain
    from betterthan.results.tables import pair_rows
    from betterthan.text import no_formulas

    main_answer = plain(comparison)
    if form == "text" and target is None:
        written = on_screen(comparison, full=full, picture=picture)
    else:
        with working("writing the report"):
            if form == "json":
                from betterthan.results.reports import as_json

                written = as_json(main_answer)
            else:
                written = bt.report(comparison, format=form, title=title, p_values=p_values)
    if target is None or target.suffix:
        put(written, target)
    else:
        rows = pair_rows(main_answer).assign(data_hash=main_answer.attrs.get("data_hash"))
        outputs = written, no_formulas(rows).to_csv(index=False), comparison.to_bytes()
        contents: dict[str, str | bytes] = dict(zip(folder_of(form), outputs, strict=True))
        write_all({target / name: content for name, content in contents.items()})
        say(f"wrote {', '.join(str(target / name) for name in contents)}")
    if target is not None:
        for line in comparison.statement():
            say(line)


def on_screen(comparison: "Comparison", *, full: bool = False, picture: bool = True) -> str:
    """What `print` shows of a comparison, on a terminal in color; in full the report, as in a
    file.
    """
    from betterthan.results.brief import brief_page_of
    from betterthan.results.document import without_figures
    from betterthan.results.kinds import build_page
    from betterthan.results.text import as_text, coloured, encodable, terminal_width

    if full:
        page = without_figures(build_page(comparison))
    else:
        page = brief_page_of(comparison, rest=_REST, picture=picture)
    return encodable(as_text(with_options(page), terminal_width(), colour=coloured()))


def with_options(page: "Document") -> "Document":
    """A page whose sentences name options of the command line."""
    from betterthan.cli.options import in_printed_options

    def of(texts: Sequence[str]) -> list[str]:
        return [in_printed_options(text) for text in texts]

    parts = [
        replace(
            part,
            facts=[(name, in_printed_options(fact)) for name, fact in part.facts],
            notes=of(part.notes),
            lines=of(part.lines),
        )
        for part in page.parts
    ]
    return replace(page, answer=of(page.answer), limits=of(page.limits), parts=parts)


_REST = "--full, or -o report.html"  # how a user of the command line gets the full report


def say(line: str) -> None:
    """Print to standard error; names of files may hold what a terminal would act on."""
    from betterthan.cli.options import in_printed_options

    line = in_printed_options(line)
    plain = "".join(c if may_print(c) or c == "\n" else ascii(c)[1:-1] for c in line)
    print(plain, file=sys.stderr)


def fail(message: str) -> NoReturn:
    """One line, and exit code 2."""
    from betterthan.cli.options import in_options

    say(in_options("error: " + " ".join(message.split())))
    raise SystemExit(2)


def _show_warning(printed: set[str], message: Warning | str, *_: Any, **__: Any) -> None:
    """Once, also where a file is looked at again."""
    from betterthan.cli.options import in_options

    if str(message) not in printed:
        say(in_options(f"warning: {message}"))
    printed.add(str(message))


def ended(command: Callable[[], Any]) -> NoReturn:
    """Run a command, and leave."""
    warnings.showwarning = partial(_show_warning, set())
    try:
        code = _code_of(command)
        if note := finish():
            say(note)
        sys.exit(code)
    except (ValueError, OSError, ArithmeticError, NotPrintedError) as error:
        fail(str(error))
    except ModuleNotFoundError as error:  # installed without what samples
        need = f"this needs {error.name}, which is not installed"
        fail(f"{need}; install it, or choose the method exact")
    except MemoryError:
        fail("there is not enough memory for this; give fewer systems, items or draws")
    except RecursionError:
        fail("what was given is nested too deeply; give plain tables")
    except Exception as error:
        if isinstance(error.__context__, KeyboardInterrupt):  # as the argument parser wraps it
            raise KeyboardInterrupt from None
        traceback.print_exc()
        raise SystemExit(2) from None


def _code_of(command: Callable[[], Any]) -> int:
    """Return the exit code of a command; bad options give 2."""
    try:
        code = command() or 0
    except SystemExit as stop:
        return stop.code  # type: ignore[return-value]
    except Exception as error:
        if not hasattr(error, "format_message"):  # not a complaint of the argument parser
            raise
        message = error.format_message()  # type: ignore[attr-defined]
        # no arguments: that is a question, and the answer is the help
        if message and "\n" not in message:
            fail(f"{message[:1].lower()}{message[1:].rstrip('.')}; see betterthan --help")
        print(message)
        return 2
    if code == INTERRUPTED:  # the argument parser says so in silence
        raise KeyboardInterrupt
    return code
