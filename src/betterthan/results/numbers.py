"""How numbers and names are written: no more digits than a number has, and never a 0 or 1 that is
not one; names of systems as harmless text in LaTeX and Markdown.
"""

import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np

from betterthan.text import JOINERS, may_print


def probability(p: float, mcse: float = 0.0, threshold: float = 0.0) -> str:
    """A probability to three decimals, or as many as its Monte Carlo error supports; an exact one
    that is below the threshold to as many as it takes to see that it is, also from the other side.

    Examples
    --------
    >>> probability(0.996307), probability(0.9999999), probability(0.6873, 0.02)
    ('0.996', '> 0.999', '0.69')
    >>> [probability(p, threshold=0.95) for p in (0.9497, 0.0503, 0.92, 0.97)]
    ['0.9497', '0.0503', '0.920', '0.970']
    """
    if math.isnan(p):
        return "–"
    places = _places(mcse, most=3)
    if not mcse and _side(p) < threshold:
        texts = (f"{p:.{places}f}" for places in range(3, 13))
        return next((text for text in texts if _side(float(text)) < threshold), f"{p:.3f}")
    text = f"{p:.{places}f}"
    if float(text) not in (0.0, 1.0):
        return text
    if mcse >= 0.5 / 10**places:  # the last digit of a bound would be noise
        places = max(places - 1, 1)
    least = 1 / 10**places
    return f"< {least:.{places}f}" if p < 0.5 else f"> {1 - least:.{places}f}"


def _side(p: float) -> float:
    """The probability of the side that has more of it, without the rounding of a difference."""
    return max(p, round(1 - p, 15))


def equal_to(p: float, mcse: float = 0.0, threshold: float = 0.0) -> str:
    """A probability with its sign of equality, for a sentence; see `probability`.

    Examples
    --------
    >>> equal_to(0.996307), equal_to(0.9999999)
    ('= 0.996', '> 0.999')
    """
    text = probability(p, mcse, threshold)
    return text if text[0] in "<>" else f"= {text}"


def p_value(p: float, mcse: float = 0.0, *, with_error: bool = False) -> str:
    """A p-value to three significant digits, or as many as its Monte Carlo error supports, which
    may follow; a p-value is never 0.

    Examples
    --------
    >>> p_value(0.0107421875), p_value(1.79e-60), p_value(1.0), p_value(0.0125, 0.0011)
    ('0.0107', '1.8e-60', '1', '0.013')
    >>> p_value(0.0125, 0.0011, with_error=True)
    '0.013 ± 0.001'
    """
    if math.isnan(p):
        return "–"
    if p == 1:
        return "1"
    if mcse > 0:
        text = estimate(p, mcse)
        return text if with_error else text.partition(" ")[0]
    if p < 1e-4:
        return f"{p:.1e}" if p > 1e-300 else "< 1e-300"
    return f"{p:.3g}"


def estimate(value: float, mcse: float = 0.0) -> str:
    """A number with its Monte Carlo error, to the first digit of that; else three digits.

    Examples
    --------
    >>> estimate(0.0723, 0.00052), estimate(0.19)
    ('0.0723 ± 0.0005', '0.19')
    """
    places = _places(mcse)
    return f"{value:.{places}f} ± {mcse:.{places}f}" if mcse > 0 else f"{value:.3g}"


def percent(p: float, threshold: float = 1.0) -> str:
    """A probability in whole percent; none is 0 or 100 that is not.

    Nor is one at a threshold, or at what is left of it, that does not reach it: it has a decimal.

    Examples
    --------
    >>> percent(0.996307), percent(0.004), percent(0.5), percent(0.042)
    ('>99', '<1', '50', '4')
    >>> percent(0.9499, 0.95), percent(0.0501, 0.95), percent(0.95, 0.95)
    ('94.9', '5.1', '95')
    """
    if math.isnan(p):
        return "–"
    if p <= 0.005 or p >= 0.995:  # which would be written as 0 or 100
        return "<1" if p < 0.5 else ">99"
    whole = round(100 * p)
    if p < threshold and whole >= 100 * threshold:
        return f"{math.floor(1000 * p) / 10:.1f}"
    if 1 - p < threshold and 100 - whole >= 100 * threshold:
        return f"{math.ceil(1000 * p) / 10:.1f}"
    return f"{whole:.0f}"


def difference(mean: float, lower: float, upper: float, mcse: float = 0.0) -> str:
    """A difference with its interval, to the third digit of the interval's width, or the second of
    a wide one, or to the digit that its Monte Carlo error supports. No end of an interval without
    0 is written as 0.

    Examples
    --------
    >>> difference(0.00997, 0.00241, 0.01801)
    '+0.0100 [+0.0024, +0.0180]'
    >>> difference(-0.076, -0.1485, -0.0025)
    '−0.076 [−0.148, −0.003]'
    >>> difference(40123456.3, 22183580.1, 57485763.2)
    '+40,123,456 [+22,183,580, +57,485,763]'
    """
    if math.isnan(mean):
        return "–"
    width = upper - lower
    if math.isnan(width):  # all units say the same: there is no interval
        return _minus(f"{mean + 0.0:+.3g}")  # no -0
    places = 3
    if width > 0:
        least = 2 if width < 10 else 1 if width < 100 else 0
        places = max(least, 2 - math.floor(math.log10(width)) - (width >= 0.1))
    places = _places_without_0(lower, upper, places)
    if mcse > 0:
        places = min(places, _places(mcse))
    return _minus(f"{round(mean, places) + 0.0:+,.{places}f} {_limits(lower, upper, places)}")


def limits(lower: float, upper: float) -> str:
    """An interval of a difference to three decimals, or more where an end would be written as 0.

    Examples
    --------
    >>> limits(0.000161, 0.3), limits(-0.05, 0.3)
    ('[+0.0002, +0.3000]', '[−0.050, +0.300]')
    """
    return _minus(_limits(lower, upper, _places_without_0(lower, upper, 3)))


def _limits(lower: float, upper: float, places: int) -> str:
    lower, upper = (round(x, places) + 0.0 for x in (lower, upper))  # + 0.0: not -0.0
    return f"[{lower:+,.{places}f}, {upper:+,.{places}f}]"


def _places_without_0(lower: float, upper: float, places: int) -> int:
    """As many decimals, or up to three more where an end of an interval without 0 would be 0."""
    nearest = min(abs(lower), abs(upper))
    if lower * upper > 0 and nearest < 0.5 / 10**places:
        needed = -math.floor(math.log10(nearest))
        places = needed if needed <= places + 3 else places
    return places


def size(value: float) -> str:
    """A difference without its interval, to two decimals, or its first digit.

    Examples
    --------
    >>> size(0.271), size(-0.0042), size(0.0)
    ('+0.27', '−0.004', '+0.00')
    """
    places = 2 if value == 0 else min(6, max(2, -math.floor(math.log10(abs(value)))))
    return _minus(f"{round(value, places) + 0.0:+,.{places}f}")


def signed(value: float) -> str:
    """A correlation, or what lies between -1 and 1 like one, to two decimals.

    Examples
    --------
    >>> signed(0.41), signed(-0.001)
    ('+0.41', '+0.00')
    """
    return "–" if math.isnan(value) else _minus(f"{round(value, 2) + 0.0:+.2f}")


def decimals(value: float, least: int) -> int:
    """Decimals of a score: as many as its first two digits take, from `least` to 6.

    Examples
    --------
    >>> decimals(0.5, 2), decimals(0.0023, 2), decimals(1e-16, 2)
    (2, 4, 2)
    """
    if abs(value) < 1e-6:  # as rounding is
        return least
    return min(6, max(least, 1 - math.floor(math.log10(abs(value)))))


def score(value: float) -> str:
    """A score to three decimals, a small one to two digits, a large one to four or whole.

    Examples
    --------
    >>> score(0.71), score(0.0023), score(61.728), score(61728.39)
    ('0.710', '0.0023', '61.73', '61,728')
    """
    if math.isnan(value):
        return "–"
    size = abs(value)
    places = decimals(value, 3) if size < 10 else 2 if size < 100 else 1 if size < 1000 else 0
    return _minus(f"{round(value, places) + 0.0:,.{places}f}")


def signed_score(value: float) -> str:
    """A score to three decimals, with its sign.

    Examples
    --------
    >>> signed_score(0.481), signed_score(-0.0001)
    ('+0.481', '+0.000')
    """
    return _minus(f"{round(value, 3) + 0.0:+.3f}")


def score_range(lower: float, upper: float) -> str:
    """The bounds of a score's interval to three decimals, small ones to two digits, in brackets.

    Examples
    --------
    >>> score_range(0.6816, 0.7371)
    '[0.682, 0.737]'
    """
    if math.isnan(lower):
        return "–"
    places = decimals(max(abs(lower), abs(upper)), 3)
    lower, upper = (round(limit, places) + 0.0 for limit in (lower, upper))
    return _minus(f"[{lower:.{places}f}, {upper:.{places}f}]")


def share(p: float) -> str:
    """A proportion in whole percent, with its sign; only what is 0% and 100% is written so.

    Examples
    --------
    >>> [share(p) for p in (0.0, 0.0025, 0.4, 0.9975, 1.0)]
    ['0%', '<1%', '40%', '>99%', '100%']
    """
    return f"{100 * p:.0f}%" if p in (0.0, 1.0) else f"{percent(p)}%"


def bayes_factor(value: float) -> str:
    """A Bayes factor to three significant digits.

    Examples
    --------
    >>> bayes_factor(0.08331), bayes_factor(2.9e-12), bayes_factor(14.02)
    ('0.0833', '2.9e-12', '14')
    """
    return f"{value:.1e}" if value >= 1e6 or value < 1e-4 else f"{value:.3g}"


def _minus(text: str) -> str:
    """Numbers with the sign of subtraction in the place of a hyphen."""
    return text.replace("-", "−")


def _places(mcse: float, most: int = 6) -> int:
    """Decimals at which the first digit of a Monte Carlo error stands; without one, `most`."""
    return most if mcse <= 0 else min(most, max(1, -math.floor(math.log10(mcse))))


_LATEX = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": r"{[}",
    "]": r"{]}",  # else an option of \\ or \item
    "±": r"$\pm$",
    "≤": r"$\le$",
    "–": "--",
    "−": r"$-$",
    "†": r"$\dagger$",
    "✓": r"$\checkmark$",  # of amssymb
    "\N{REPLACEMENT CHARACTER}": "?",  # which pdfLaTeX does not know
    **dict.fromkeys(JOINERS, ""),  # nor these
}
_HYPHENS = re.compile("(?<=-)(?=-)")
_NUMERIC = re.compile(r"[-+\d.,\[\] ]*")
_MARKDOWN = "\\`*_{}[]<>#|~&$"


def latex(text: str) -> str:
    r"""Text with every character that LaTeX would act on made plain, and the minus of numbers.

    Examples
    --------
    >>> latex("50%"), latex("-2.5"), latex("[-2.6, 1.4]"), latex("a-5")
    ('50\\%', '$-$2.5', '{[}$-$2.6, 1.4{]}', 'a-5')
    >>> latex("*gpt"), latex("models--gpt")  # \\* is an end of a row, and -- a dash
    ('{*}gpt', 'models-{}-gpt')
    """
    plain = on_one_line(str(text)) if str(text).strip() else ""
    if _NUMERIC.fullmatch(plain):
        plain = re.sub(r"(?<![\d.])-(?=[\d.])", "−", plain)
    hyphens = ("".join(_LATEX.get(c, c) for c in part) for part in _HYPHENS.split(plain))
    escaped = "{}".join(hyphens)
    return f"{{*}}{escaped[1:]}" if escaped.startswith("*") else escaped


def markdown(text: str) -> str:
    """Text with every character that Markdown would act on made plain, on one line."""
    plain = " ".join(str(text).split())
    return "".join(f"\\{letter}" if letter in _MARKDOWN else letter for letter in plain)


def on_one_line(name: str) -> str:
    """A name as one line of printable characters; blank names show as quotes."""
    joined = " ".join(name.split())
    if joined and joined.isprintable():
        return joined
    return "".join(c if may_print(c) else "\N{REPLACEMENT CHARACTER}" for c in joined) or '""'


def labels_on_one_line(labels: Iterable[object]) -> list[str]:
    """Names as lines of printable characters, for example those of a coordinate."""
    return [on_one_line(str(label)) for label in labels]


def json_value(value: Any) -> Any:
    """A value that JSON knows; nan and infinity become null."""
    if isinstance(value, dict):
        return {k: json_value(v) for k, v in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [json_value(v) for v in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
