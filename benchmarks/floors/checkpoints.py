"""The same inserts, bare, in a graph with LangGraph's own PostgresSaver, durability "sync": effect and checkpoint are two
commits, so a crash between them repeats the effect."""

import os
from typing import Any, TypedDict

import psycopg
from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.graph import END, START, StateGraph
from psycopg.rows import dict_row

from benchmarks.floors.plan import ACTIONS, ANSWER, EFFECT, REPLY


class State(TypedDict, total=False):
    follower: int
    plan: list[dict[str, Any]]
    results: list[int]


class Checkpoints:
    def __init__(self) -> None:
        self.db = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        options: dict[str, Any] = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
        saver = PostgresSaver(psycopg.connect(os.environ["DATABASE_URL"], **options))
        saver.setup()
        self.graph, self.follower = self.compiled(saver), 0

    def compiled(self, saver: PostgresSaver) -> Any:
        graph = StateGraph(State)
        for name, node in (("analyse", self.analyse), ("act", self.act), ("answer", self.answer)):
            graph.add_node(name, node)
        graph.add_edge(START, "analyse")
        graph.add_edge("analyse", "act")
        graph.add_conditional_edges("act", lambda state: "act" if len(state["results"]) < len(ACTIONS) else "answer")
        graph.add_edge("answer", END)
        return graph.compile(checkpointer=saver)

    def analyse(self, state: State) -> State:
        return {"plan": ACTIONS, "results": []}

    def act(self, state: State) -> State:
        action = state["plan"][len(state["results"])]
        made = self.db.execute(EFFECT, (state["follower"], action["title"], action["start"])).fetchone()
        assert made
        return {"results": [*state["results"], made[0]]}

    def answer(self, state: State) -> State:
        self.db.execute(ANSWER, (f"checkpoints:{state['follower']}", state["follower"], REPLY))
        return {}

    def prepare(self, runs: int) -> None:
        return

    def run(self) -> None:
        self.follower += 1
        thread = {"configurable": {"thread_id": str(self.follower)}}
        self.graph.invoke({"follower": self.follower}, thread, durability="sync")

    def done(self) -> int:
        found = self.db.execute("SELECT count(*) FROM floor_outbound WHERE key LIKE 'checkpoints:%'").fetchone()
        assert found
        return int(found[0])
