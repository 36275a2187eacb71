"""The agent as a LangGraph: analyse → act → ask | answer.

Few nodes, since each superstep costs a millisecond; `act` loops inside. No checkpointer: the rows are the state, and a
question is a row, not an interrupt (docs/decisions/no-checkpointer.md).
"""

from functools import cache
from typing import Any, TypedDict

from langgraph.graph import END, START, StateGraph

from agent.questions import Question
from agent.run import Run

STEPS = 12  # LangGraph's own default would let a loop burn ten thousand


class State(TypedDict, total=False):
    run: Run
    understood: bool
    question: Question | None


def analyse(state: State) -> State:
    return {"understood": state["run"].analyse()}


def act(state: State) -> State:
    return {"question": state["run"].act()}


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
    """Built once per process."""
    graph = StateGraph(State)
    for node in (analyse, act, ask, answer):
        graph.add_node(node.__name__, node)
    graph.add_edge(START, "analyse")
    graph.add_conditional_edges("analyse", lambda state: "act" if state["understood"] else END, ["act", END])
    graph.add_conditional_edges("act", lambda state: "ask" if state["question"] else "answer", ["ask", "answer"])
    graph.add_edge("ask", END)
    graph.add_edge("answer", END)
    return graph.compile()


def invoke(run: Run) -> str:
    """Runs it to its end: `done` or `waiting`. Raises Failure, OperationConflict, LeaseLost, or what was unforeseen."""
    state = compiled().invoke({"run": run}, {"recursion_limit": STEPS})
    return "waiting" if state.get("question") else "done"
