"""Operations on the plan, each of which takes effect exactly once per key."""

from planner.operations.ledger import apply, lookup
from planner.operations.words import OperationConflict, Outcome, Scope, Unclear

__all__ = ["OperationConflict", "Outcome", "Scope", "Unclear", "apply", "lookup"]
