"""What a gate found: it shows itself, and goes to other programs."""

from dataclasses import dataclass

from betterthan.gating import shown
from betterthan.gating.decision import Decision
from betterthan.gating.documents import as_json
from betterthan.results.markup import as_comment, as_part
from betterthan.results.text import printed


@dataclass(frozen=True, repr=False)
class Gate(Decision):
    """Whether a candidate may replace a baseline.

    Attributes
    ----------
    verdict : {"pass", "worse", "inconclusive", "not comparable"}
    margin, threshold : float
    why : tuple of str
        What makes it inconclusive or not comparable.
    evidence : Evidence or None
        None where the two are not comparable.
    looked : Looked or None
        Where this is one of several looks.
    reading : str
        What was read, in one line.
    warned, said : tuple of str
        What should be known beside the verdict.
    """

    def __repr__(self) -> str:
        return printed(shown.document(self))

    def _repr_html_(self) -> str:
        return as_part(shown.document(self))

    def to_markdown(self) -> str:
        """The answer as Markdown, for a step summary or a comment."""
        return as_comment(shown.summary(self))

    def to_json(self) -> str:
        """All that was found, for other programs.

        The document has ``schema``, whose number grows if a key changes its meaning, ``version``,
        ``verdict``, ``exit_code``, ``margin``, ``threshold``, ``why``, ``evidence``, ``looks`` and
        ``notes``.
        """
        return as_json(self)
