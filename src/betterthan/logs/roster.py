"""What is known of each kind of log: one row each, in a written tuple."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from betterthan.logs.record import Run
from betterthan.logs.sniffing import JSON, LogFile, Preview


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
    tried: str  # versions whose files were read
    system: str  # what names the system
    takes_items: bool = False  # whether it needs the ids of the data set where no file has them
    takes_cluster: bool = False  # whether samples have metadata that items can share
    kinds: tuple[str, ...] = JSON  # of `Head`; its own file is loaded for these alone

    def recognises(self, preview: Preview) -> bool:
        """Whether a file is of this kind."""
        return preview.kind in self.kinds and self._file.recognises(preview)

    @property
    def _file(self) -> Any:
        return import_module(f"betterthan.logs.of_{self.name}")

    def runs(
        self,
        files: Sequence[LogFile],
        items: Sequence[str] | None = None,
        cluster: str | None = None,
    ) -> list[Run]:
        """The runs in files of this kind; `items` are the ids of the data set, `cluster` names the
        metadata that items of one cluster share.
        """
        if self.takes_cluster:
            return self._file.runs(files, cluster)
        return self._file.runs(files, items) if self.takes_items else self._file.runs(files)

    def check(self, runs: Sequence[Run]) -> None:
        """Refuse runs that cannot be compared, where the reader has a function ``check`` for it:
        its files are read by the names that a mapping gave them.
        """
        check = getattr(self._file, "check", None)
        if runs and check is not None:
            check(runs)


READERS: tuple[Reader, ...] = (
    Reader(
        "inspect",
        "Inspect",
        "logs of `inspect eval`: .eval and .json",
        "0.3.6x, 2024-10, 0.3.285",
        "eval.model",
        takes_cluster=True,
        kinds=("zip", "object"),
    ),
    Reader(
        "lm_eval",
        "lm-eval",
        "samples_*.jsonl of --log_samples, with results_*.json next to it",
        "0.4.0 to 0.4.13",
        "model_name of the results",
    ),
    Reader(
        "every_eval_ever",
        "Every Eval Ever",
        "*_samples.jsonl, with the aggregate next to it",
        "0.3.0",
        "model_id",
    ),
    Reader(
        "harbor",
        "Harbor (Terminal-Bench 2)",
        "folders of jobs with a result.json a trial",
        "0.25, files after its data model",
        "the agent and its model",
    ),
    Reader(
        "swebench",
        "SWE-bench",
        "reports, results.json and per_instance_details.json",
        "reports of schema 2",
        "the file or its folder",
        takes_items=True,
    ),
    Reader(
        "tau2",
        "tau2-bench",
        "results.json, and simulations/*.json",
        "files after its data model",
        "the agent's model",
    ),
    Reader(
        "helm",
        "HELM",
        "per_instance_stats.json, with run_spec.json and stats.json next to it",
        "a shortened run",
        "the model of run_spec.json",
    ),
    Reader(
        "promptfoo",
        "promptfoo",
        "``promptfoo eval -o out.json``, or ``out.jsonl``",
        "0.118, 0.123",
        "provider and prompt",
        kinds=(*JSON, "text"),
    ),
    Reader(
        "tool_rows",
        "rows of MLflow, LangSmith, Braintrust, Langfuse or ragas",
        "a table of ``result_df``, ``to_pandas()`` or an export",
        "MLflow 3.17",
        "the file, or the name you give",
        kinds=(*JSON, "text", "parquet"),
    ),
    Reader(
        "deepeval",
        "deepeval",
        "``test_run_*.json`` of its folder of results",
        "4.3.1",
        "hyperparameters.model, else the file",
    ),
    Reader(
        "pydantic_evals",
        "pydantic-evals",
        "an ``EvaluationReport`` as JSON",
        "2.62",
        "the report's name, else the file",
    ),
    Reader(
        "trec",
        "trec_eval or ir_measures",
        "``trec_eval -q`` or ``ir_measures -q``",
        "ir_measures 0.4.3",
        "the file",
        kinds=("text",),
    ),
    Reader("sacrebleu", "sacrebleu -sl", "a line a sentence", "2.6.0", "the file", kinds=("text",)),
)
