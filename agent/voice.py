"""What of a batch was spoken: shown back in the reply, so that a mishearing is seen, and what could not be heard, said.

Stored with what was made of it, under the key `voice`: in `analysis_json`, and in `clarification_answer` when the words
answered a question. {"heard": [texts], "missed": [reasons], "alone": nothing else was said}; reasons as
VoiceClip.reason, '' for silence.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from planner import texts
from webhook.models import Batch, VoiceClip

SHOWN = 200  # characters of one transcript
KEY = "voice"


@dataclass(frozen=True)
class Spoken:
    heard: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)

    def added_to(self, values: dict[str, Any]) -> dict[str, Any]:
        if not self.heard and not self.missed:
            return values
        return {**values, KEY: {"heard": self.heard, "missed": self.missed}}

    def only(self) -> dict[str, Any]:
        """The analysis of a batch in which nothing could be heard."""
        voice = {"heard": [], "missed": self.missed, "alone": True}
        return {"version": 1, "actions": [], "chat": "", KEY: voice}


def spoken(batch_id: int, words: Sequence[str]) -> Spoken:
    """`words` of its voice messages, '' where there are none."""
    if all(words):
        return Spoken(heard=list(words))
    silent = VoiceClip.objects.filter(batch_id=batch_id, status__in=[VoiceClip.SILENT, VoiceClip.FAILED])
    return Spoken(
        heard=[text for text in words if text], missed=list(silent.order_by("id").values_list("reason", flat=True))
    )


def lines(batch: Batch) -> str:
    """What stands above the batch's next message: once, above the first; then above that which follows an answer."""
    said = batch.analysis_json if not batch.question else batch.clarification_answer
    found = (said or {}).get(KEY)
    if not found:
        return ""
    heard = [text if len(text) <= SHOWN else text[: SHOWN - 1] + "…" for text in found["heard"]]
    return texts.render("voice", heard=heard, missed=list(Counter(found["missed"]).items()))


def is_silence(batch: Batch) -> bool:
    """Nothing was said that could be understood or not."""
    return bool((batch.analysis_json or {}).get(KEY, {}).get("alone"))
