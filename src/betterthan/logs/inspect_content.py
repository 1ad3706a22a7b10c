"""Content of Inspect samples: what the model was given, independent of the log."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from betterthan.io.elements import fields
from betterthan.logs.archives import Archive
from betterthan.logs.hashing import digest, digest_task, digest_tasks
from betterthan.logs.inspect_header import plan_steps
from betterthan.logs.json_values import as_dict, as_dicts

_CUT = "...\n(content truncated)"  # behind 5120 characters of a text in a summary
_STANDS_FOR = re.compile(r"\([A-Z][a-z_]+\)")  # (Image) and such, in place of what is no text
_ATTACHED = "attachment://"
_ODD = ("(", _ATTACHED)
_FIRST = frozenset(start[0] for start in _ODD)
_BY_PLACE = re.compile(r"attachment://\d+")  # which the log counts, and no other log alike
_INPUT_KEYS = ("input", "choices", "target")
# solvers of Inspect that write messages, and names of parameters of others that are texts
_WRITERS = (
    *("system_message", "user_message", "assistant_message", "prompt_template"),
    *("chain_of_thought", "multiple_choice", "self_critique"),
)
_TEXT_KEY = re.compile(r"(^|_)(template|prompt|message|instruction|prefix|suffix)s?$")
_MAX_CACHED, _SHORT = 2**13, 2**13  # how many texts are kept, and of how many characters


class Contents:
    """Digests of what samples ask; of texts in several logs reckoned once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], bytes] = {}

    def digest(
        self, sample: dict[str, Any], archive: Archive | None = None, choices: bool = False
    ) -> bytes | None:
        """The digest of input, target and choices; None where the log does not hold them whole.

        Parameters
        ----------
        sample : dict
            A summary or a whole sample.
        archive : Archive, optional
            Of the summary; a sample is read from it where its summary is cut.
        choices : bool, default False
            Whether samples have choices, which summaries of older logs leave out.
        """
        question, target = sample.get("input"), sample.get("target")
        if choices or sample.get("choices") or type(question) is not str or type(target) is not str:
            return _digest_any(sample, archive, choices)
        known_digest = self._known.get((question, target))
        if known_digest is not None:
            return known_digest
        if _is_odd(question) or _is_odd(target):
            return _digest_any(sample, archive, choices)
        known_digest = digest_task(question, target)
        if len(self._known) < _MAX_CACHED and len(question) < _SHORT:
            self._known[question, target] = known_digest
        return known_digest


def digest_plain(samples: Sequence[dict[str, Any]]) -> list[bytes | None] | None:
    """Digest samples that are plain texts, all at once, as `Contents.digest` does one by one.
    None if one may be cut, or has more content.
    """
    questions: list[Any] = [sample.get("input") for sample in samples]
    targets: list[Any] = [sample.get("target") for sample in samples]
    if set(map(type, questions)) | set(map(type, targets)) != {str}:
        return None
    if any(sample.get("choices") for sample in samples):
        return None
    text = "\n".join([*questions, *targets])
    if not text.isascii() or "\r" in text or _CUT in text or _any_odd([*questions, *targets]):
        return None
    return digest_tasks(questions, targets)


def _any_odd(texts: Sequence[str]) -> bool:
    """Whether one stands for something else; told by first letters alone, as a rule."""
    if not _FIRST & {text[:1] for text in texts}:
        return False
    return any(text.startswith(_ODD) for text in texts)


def _is_odd(text: str) -> bool:
    """Whether a text may be cut, or stand for something else."""
    if text[-1:] == ")" and text.endswith(_CUT):
        return True
    return text[:1] in "(a" and text.startswith(_ODD)


def _digest_any(sample: dict[str, Any], archive: Archive | None, choices: bool) -> bytes | None:
    """Digest a sample, with the fields that only the archive has in full."""
    values: list[Any] = [sample.get(key) for key in _INPUT_KEYS]
    texts = list(_texts(values))
    if archive is not None and (any(map(_is_cut, texts)) or (choices and values[1] is None)):
        fields_read = _begun(sample, archive)
        if fields_read is None:
            return None
        values = [fields_read.get(key) for key in _INPUT_KEYS]
        texts = list(_texts(values))
    if any(text.startswith(_ATTACHED) and _BY_PLACE.fullmatch(text) for text in texts):
        return None
    question, offered, target = values
    return digest(_messages(question), target, offered or None)


def input_text(summary: dict[str, Any]) -> str:
    """Return the beginning of the input, for messages."""
    question = summary.get("input")
    return question if type(question) is str else next(filter(str.strip, _texts(question)), "")


def plan_texts(header: dict[str, Any]) -> list[Any]:
    """What the plan and the settings of a run add to each input: templates and messages.

    Other parameters of a solver, such as a seed or the name of a model, are settings; so is any of
    a solver that is not of Inspect whose name is not that of a text.
    """
    texts = [text for step in plan_steps(header) for text in _step_texts(step, step.get("solver"))]
    plan, about = as_dict(header.get("plan")), as_dict(header.get("eval"))
    settings = [plan.get("config"), about.get("model_generate_config")]
    return texts + [text for config in settings if (text := as_dict(config).get("system_message"))]


def _step_texts(step: dict[str, Any], solver: Any) -> Iterable[Any]:
    """Yield the texts that a solver adds, and those of nested solvers."""
    params = as_dict(step.get("params"))
    any_text = solver in _WRITERS
    texts = {
        key: value
        for key, value in params.items()
        if (any_text and (isinstance(value, str) or value is True))
        or (value and isinstance(value, str | dict | list) and _TEXT_KEY.search(key))
    }
    if texts:
        yield [solver, texts]
    for key, value in params.items():
        if key not in texts:
            for inner in as_dicts(value if isinstance(value, list) else [value]):
                yield from _step_texts(inner, inner.get("name"))


def _begun(summary: dict[str, Any], archive: Archive) -> dict[str, Any] | None:
    """Read the first fields of a sample, before its messages and events."""
    name = f"samples/{summary.get('id')}_epoch_{summary.get('epoch')}"
    member = next((m for m in (f"{name}.json", f"{name}/sample.json") if m in archive), None)
    if member is None:
        return None
    sample: dict[str, Any] = {}
    where = f"{archive.name}, member {member}"
    with archive.open(member, whole=False) as file:
        for key, value in fields(file, where):
            sample[key] = value
            if key == "target":
                break
    return sample


def _is_cut(text: str) -> bool:
    return text.endswith(_CUT) or (text[:1] == "(" and _STANDS_FOR.fullmatch(text) is not None)


def _texts(value: Any) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, dict):
        for key in ("content", "text", "image", "audio", "video", "document"):
            if key in value:
                yield from _texts(value[key])


def _messages(question: Any) -> Any:
    """Return role and content of messages, without ids, which differ between runs."""
    if not isinstance(question, list):
        return question
    return [
        [message.get("role"), _content(message.get("content"))]
        if isinstance(message, dict)
        else message
        for message in question
    ]


def _content(content: Any) -> Any:
    if not isinstance(content, list):
        return content
    parts = [_part(part) for part in content]
    return parts[0] if len(parts) == 1 and isinstance(parts[0], str) else parts


def _part(part: Any) -> Any:
    if isinstance(part, dict) and part.get("type") == "text":
        return part.get("text")
    if isinstance(part, dict):
        return json.dumps({k: v for k, v in part.items() if k != "id"}, sort_keys=True)
    return part
