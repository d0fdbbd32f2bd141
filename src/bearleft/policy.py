"""What a walking agent's network computed at each step: action probabilities, and attention over words and views."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bearleft.errors import InputError, format_value
from bearleft.runtime.json_fields import Fields, Json, integer, items, number, parse_list

if TYPE_CHECKING:  # numpy is imported when weights are quantized, not when a trace is read
    import numpy.typing as npt

    from bearleft.types import Floats

POLICY_ACTIONS = ("forward", "left", "right", "stop")  # the order of the probabilities
MAX_VIEWS = 360  # sectors around the walker
DIGITS = 3  # of probabilities
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class PolicyStep:
    """What the network computed for one action.

    Attributes:
        probabilities: The probability of each of POLICY_ACTIONS, to three digits.
        words: The attention weight of each token of the text, one byte each, relative to the largest of the step.
        views: The attention weight of each of the equal sectors around the walker, clockwise, the first one centred on
            its heading; one byte each, relative to the largest of the step.
    """

    probabilities: tuple[float, ...]
    words: bytes = b""
    views: bytes = b""

    def __post_init__(self) -> None:
        values = items(self.probabilities, "probabilities", len(POLICY_ACTIONS))
        rounded = tuple(round(number(p, f"probabilities[{k}]", 0, 1), DIGITS) for k, p in enumerate(values))
        object.__setattr__(self, "probabilities", rounded)
        for name in ("words", "views"):
            weights: object = getattr(self, name)
            if not isinstance(weights, bytes):
                raise InputError("bytes", format_value(weights), name, hint="PolicyStep.quantize makes them.")
        if len(self.views) > MAX_VIEWS:
            raise InputError(f"at most {MAX_VIEWS} weights", str(len(self.views)), "views")

    @classmethod
    def quantize(
        cls, probabilities: Iterable[float], words: npt.ArrayLike = (), views: npt.ArrayLike = ()
    ) -> PolicyStep:
        """Return the step of plain numbers; weights are scaled so that the largest becomes 255."""
        return cls(tuple(probabilities), _to_bytes(words, "words"), _to_bytes(views, "views"))


@dataclass(frozen=True, slots=True)
class Policy:
    """What the network computed for each action of a leg.

    Attributes:
        steps: One for each action.
        spans: Begin and end of each token, in characters of the leg's text; empty if it has no attention over words.
    """

    steps: tuple[PolicyStep, ...]
    spans: tuple[Span, ...] = ()

    def __post_init__(self) -> None:
        if not self.steps:
            raise InputError("a policy of at least one step", "none", "steps")
        object.__setattr__(self, "spans", parse_list(parse_span, self.spans, "spans"))
        for name, size in (("words", len(self.spans)), ("views", len(self.steps[0].views))):
            for k, step in enumerate(self.steps):
                if len(getattr(step, name)) != size:
                    raise InputError(f"{size} weights", str(len(getattr(step, name))), f"steps[{k}].{name}")

    def to_json(self) -> Json:
        """Return the JSON object, with the weights of all steps in base64, one step after another."""
        out: dict[str, Json] = {"probabilities": [list(step.probabilities) for step in self.steps]}
        if self.spans:
            out["spans"] = [list(span) for span in self.spans]
            out["words"] = base64.b64encode(b"".join(step.words for step in self.steps)).decode()
        if self.steps[0].views:
            out["views"] = base64.b64encode(b"".join(step.views for step in self.steps)).decode()
        return out

    @classmethod
    def from_json(cls, value: Json, field: str = "") -> Policy:
        """Return the policy of a JSON object; `field` is its name for error messages."""
        row = Fields(value, field)
        probabilities = row.items("probabilities", nonempty=True)
        count = len(probabilities)
        spans = parse_list(parse_span, row["spans"], row.name("spans")) if "spans" in row else ()
        words = _decode(row, "words") if "words" in row else b""
        views = _decode(row, "views") if "views" in row else b""
        if len(words) != count * len(spans):
            expected = f"{count} x {len(spans)} = {count * len(spans):,} bytes"
            raise InputError(expected, f"{len(words):,}", row.name("words"))
        if len(views) % count or len(views) > count * MAX_VIEWS:
            expected = f"{count} x up to {MAX_VIEWS} bytes, the same number for each step"
            raise InputError(expected, f"{len(views):,}", row.name("views"))
        size = len(views) // count
        steps = []
        for k, step in enumerate(probabilities):
            name = f"{row.name('probabilities')}[{k}]"
            checked = tuple(number(p, f"{name}[{j}]", 0, 1) for j, p in enumerate(items(step, name, 4)))
            begin = k * len(spans)
            steps.append(PolicyStep(checked, words[begin : begin + len(spans)], views[k * size : (k + 1) * size]))
        return cls(tuple(steps), spans)


def parse_span(value: Json, field: str = "") -> Span:
    """Return begin and end of a token in characters; both are equal for a token that stands for no words."""
    begin, end = items(value, field, 2)
    first = integer(begin, f"{field}[0]", 0)
    return first, integer(end, f"{field}[1]", first)


def check_weights(weights: npt.ArrayLike, field: str) -> Floats:
    """Return attention weights as an array.

    Raises:
        InputError: They are not a list of finite numbers that are not negative.
    """
    import numpy as np

    try:
        array = np.asarray(weights, float)
    except (TypeError, ValueError, RuntimeError) as error:  # PyTorch raises all three
        raise InputError("a list of numbers", format_value(str(error)), field, hint="Try weights.tolist().") from None
    if array.ndim != 1:
        raise InputError("a list of numbers", f"an array of shape {array.shape}", field)
    if array.size and not (array.min() >= 0 and array.max() < np.inf):  # False for NaN, too
        invalid = array[~(np.isfinite(array) & (array >= 0))][0]
        raise InputError("finite numbers that are not negative", format_value(float(invalid)), field)
    return array


def _to_bytes(weights: npt.ArrayLike, field: str) -> bytes:
    import numpy as np

    array = check_weights(weights, field)
    scaled: Floats = array / ((array.max() if array.size else 0.0) or 1.0)
    return bytes(np.rint(255 * scaled).astype(np.uint8))


def _decode(row: Fields, name: str) -> bytes:
    try:
        return base64.b64decode(row.text(name), validate=True)
    except (binascii.Error, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError("bytes in base64", format_value(row[name]), row.name(name)) from None
