"""The rule-based analyser: what it is certain of, it does without a model. Pure: times come in with the messages."""

from agent.rules.engine import Understood, analyse, may_go_on, may_snooze
from agent.rules.going_on import Lately

__all__ = ["Lately", "Understood", "analyse", "may_go_on", "may_snooze"]
