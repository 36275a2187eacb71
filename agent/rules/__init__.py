"""The rule-based analyser: what it is certain of, it does without a model. Pure: times come in with the messages."""

from agent.rules.engine import Understood, analyse, may_snooze

__all__ = ["Understood", "analyse", "may_snooze"]
