"""The agent as a LangGraph: (analyse →) act → ask | answer. What was understood before goes on at `act`.

Few nodes, since each superstep costs a millisecond; `act` loops inside. No checkpointer: the rows are the state, and a
question is a row, not an interrupt (docs/decisions/no-checkpointer.md).
"""

from functools import cache
from typing import Any, TypedDict

from langgraph.graph import END, StateGraph
from langgraph.types import Command

from agent.questions import Question
from agent.run import Run

STEPS = 12  # LangGraph's own default would let a loop burn ten thousand


class State(TypedDict, total=False):
    run: Run
    question: Question | None


def entrance(state: State) -> str:
    return "act" if state["run"].is_understood() else "analyse"


def analyse(state: State) -> Command[str]:
    return Command(goto="act" if state["run"].analyse() else END)


def act(state: State) -> Command[str]:
    question = state["run"].act()
    return Command(goto="ask", update={"question": question}) if question else Command(goto="answer")


def ask(state: State) -> State:
    question = state["question"]
    assert question is not None
    state["run"].ask(question)
    return {}


def answer(state: State) -> State:
    state["run"].answer()
    return {}


@cache
def compiled() -> Any:
    """Built once per process. Nodes name the next one themselves: cheaper than edges that look at the state."""
    graph = StateGraph(State)
    graph.add_node("analyse", analyse, destinations=("act", END))
    graph.add_node("act", act, destinations=("ask", "answer"))
    graph.add_node("ask", ask)
    graph.add_node("answer", answer)
    graph.set_conditional_entry_point(entrance, {"act": "act", "analyse": "analyse"})
    return graph.compile()


def invoke(run: Run) -> str:
    """Runs it to its end: `done` or `waiting`. Raises Failure, OperationConflict, LeaseLost, or what was unforeseen."""
    state = compiled().invoke({"run": run}, {"recursion_limit": STEPS})
    return "waiting" if state.get("question") else "done"
