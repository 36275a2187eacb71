"""The rule-based analyser: what it is certain of, it does without a model. Pure: times come in with the messages."""

from agent.rules.alone import may_answer_a_ring, may_go_on
from agent.rules.engine import Understood, analyse
from agent.rules.going_on import Lately

__all__ = ["Lately", "Understood", "analyse", "may_answer_a_ring", "may_go_on"]
