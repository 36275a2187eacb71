"""Asking: the list, or the free hours."""

from planner import agenda
from planner.actions import Query
from planner.operations import showing
from planner.operations.changes import facts
from planner.operations.words import Done, Scope


def query(scope: Scope, params: Query) -> Done:
    if params.free:
        return showing.free(scope, params)
    page = agenda.listing(scope.follower, params)
    summary = showing.listed(scope, params, page)
    return Done(summary, {"tasks": [facts(task) for task in page.tasks], "total": page.total, "page": page.number})
