"""What is known of each kind of log: one row each, in a written tuple."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from betterthan.logs.heads import Head, LogFile
from betterthan.logs.record import Run


@dataclass(frozen=True)
class Reader:
    """A kind of log.

    Its file ``logs/of_<name>.py`` has two functions: ``recognises(head)``, whether a file is of
    this kind, from its first bytes alone, so that of all readers one at most says yes; and
    ``runs(files)``, the runs in all the files of this kind. A log that names its system in another
    file of its folder finds that among ``files``, or beside it.
    """

    name: str
    tool: str  # as its makers write it
    sentence: str  # which files it writes

    @property
    def recognises(self) -> Callable[[Head], bool]:
        """Whether a file is of this kind."""
        return import_module(f"betterthan.logs.of_{self.name}").recognises

    @property
    def runs(self) -> Callable[[Sequence[LogFile]], list[Run]]:
        """The runs in files of this kind."""
        return import_module(f"betterthan.logs.of_{self.name}").runs

    def check(self, runs: Sequence[Run]) -> None:
        """Refuse runs that cannot be compared, where the reader has a function ``check`` for it:
        its files are read by the names that a mapping gave them.
        """
        check = getattr(import_module(f"betterthan.logs.of_{self.name}"), "check", None)
        if runs and check is not None:
            check(runs)


READERS: tuple[Reader, ...] = (
    Reader("inspect", "Inspect", "logs of `inspect eval`: .eval and .json"),
    Reader("lm_eval", "lm-eval", "samples_*.jsonl of --log_samples, with results_*.json beside"),
    Reader("every_eval_ever", "Every Eval Ever", "*_samples.jsonl, with the aggregate beside"),
    Reader("harbor", "Harbor (Terminal-Bench 2)", "folders of jobs with a result.json a trial"),
    Reader("swebench", "SWE-bench", "reports, results.json and per_instance_details.json"),
    Reader("tau2", "tau2-bench", "results.json, and simulations/*.json"),
    Reader("helm", "HELM", "per_instance_stats.json, with run_spec.json and stats.json beside"),
    Reader("promptfoo", "promptfoo", "``promptfoo eval -o out.json``, or ``out.jsonl``"),
    Reader(
        "tool_rows",
        "rows of MLflow, LangSmith, Braintrust, Langfuse or ragas",
        "a table of ``result_df``, ``to_pandas()`` or an export",
    ),
    Reader("deepeval", "deepeval", "``test_run_*.json`` of its folder of results"),
    Reader("pydantic_evals", "pydantic-evals", "an ``EvaluationReport`` as JSON"),
    Reader("trec", "trec_eval or ir_measures", "``trec_eval -q`` or ``ir_measures -q``"),
    Reader("sacrebleu", "sacrebleu -sl", "a line a sentence"),
)
