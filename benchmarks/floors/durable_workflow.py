"""The same inserts as a DBOS workflow: a step and three transactions, each exactly once."""

import os
from typing import Any

from dbos import DBOS, SetWorkflowID, SQLAlchemyDatasource
from sqlalchemy import text
from sqlalchemy.engine import make_url

from benchmarks.floors.plan import ACTIONS, REPLY

EFFECT = text("INSERT INTO floor_task (follower_id, title, start_at) VALUES (:follower, :title, :start) RETURNING id")
ANSWER = text(
    "INSERT INTO floor_outbound (key, follower_id, text) VALUES (:key, :follower, :text) ON CONFLICT DO NOTHING"
)
COUNT = text("SELECT count(*) FROM floor_outbound WHERE key LIKE 'dbos:%'")


class Dbos:
    def __init__(self) -> None:
        url = make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+psycopg").render_as_string()
        DBOS(config={"name": "bench", "system_database_url": url, "run_admin_server": False, "log_level": "ERROR"})
        self.source = SQLAlchemyDatasource.create(url)
        self.batch, self.follower = self.workflow(), 0
        DBOS.launch()

    def workflow(self) -> Any:
        source = self.source

        @DBOS.step()
        def analyse(follower: int) -> list[dict[str, Any]]:
            return ACTIONS

        @source.transaction(isolation_level="READ COMMITTED")
        def act(follower: int, action: dict[str, Any]) -> int:
            values = {"follower": follower, "title": action["title"], "start": action["start"]}
            return int(source.sql_session().execute(EFFECT, values).scalar_one())

        @source.transaction(isolation_level="READ COMMITTED")
        def answer(follower: int, results: list[int]) -> None:
            values = {"key": f"dbos:{follower}", "follower": follower, "text": REPLY}
            source.sql_session().execute(ANSWER, values)

        @DBOS.workflow()
        def batch(follower: int) -> None:
            answer(follower, [act(follower, action) for action in analyse(follower)])

        return batch

    def prepare(self, runs: int) -> None:
        return

    def run(self) -> None:
        self.follower += 1
        with SetWorkflowID(f"batch-{self.follower}"):
            self.batch(self.follower)

    def done(self) -> int:
        with self.source.engine.connect() as db:
            return int(db.execute(COUNT).scalar_one())
