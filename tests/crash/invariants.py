"""I1–I15, over the final state, the transition log and the ground truth of the doubles. Each query names what is wrong;
at rest it must find nothing."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tests.crash.play import Cast, Message, Scenario

SQL = {
    # A voice message may: an operator who has it heard again gives it a batch of its own.
    "I1 a written message belongs to one batch and its text never changes": """
        SELECT row_id FROM proof_log WHERE machine = 'inboundmessage' AND was->>'kind' = 'text'
        AND (was->'message_key', was->'batch_id', was->'text')
            IS DISTINCT FROM ("is"->'message_key', "is"->'batch_id', "is"->'text') AND "is" IS NOT NULL""",
    "I3 the analysis never changes": """
        SELECT row_id FROM proof_log WHERE machine = 'batch' AND was->'analysis_json' <> 'null'::jsonb
        AND was->'analysis_json' <> "is"->'analysis_json'""",
    "I3 each operation is the action at its place": """
        SELECT o.operation_key FROM planner_operationresult o JOIN webhook_batch b ON b.id = o.batch_id,
            LATERAL (SELECT b.analysis_json->'actions'->(substring(o.operation_key from ':([0-9]{1,3})$')::int - 1) AS action) a
        WHERE a.action IS NULL OR coalesce(nullif(a.action->>'op', 'clarify'), a.action->'pending'->>'op') <> o.op
            OR (o.op = 'create' AND o.params ? 'title' AND a.action->>'op' = 'create'
                AND o.params->>'title' <> a.action->>'title')""",
    "I4 a finished batch has a result for each action": """
        SELECT b.id FROM webhook_batch b WHERE b.status = 'DONE' AND b.analysis_json IS NOT NULL
        AND jsonb_array_length(b.analysis_json->'actions')
            <> (SELECT count(*) FROM planner_operationresult o WHERE o.batch_id = b.id)""",
    "I4 each task has one operation that made it": """
        SELECT t.id FROM planner_task t WHERE 1 <> (SELECT count(*) FROM planner_operationresult o
            WHERE o.op = 'create' AND o.status = 'SUCCEEDED' AND (o.result->'task'->>'id')::bigint = t.id)""",
    "I4 each operation that made a task has one": """
        SELECT o.id FROM planner_operationresult o WHERE o.op = 'create' AND o.status = 'SUCCEEDED'
        AND NOT EXISTS (SELECT 1 FROM planner_task t WHERE t.id = (o.result->'task'->>'id')::bigint)""",
    "I5 claim numbers never fall": """
        SELECT row_id FROM proof_log WHERE ("is"->>'claim_no')::bigint < (was->>'claim_no')::bigint""",
    "I5 what has ended is written to no more": """
        SELECT row_id FROM proof_log WHERE machine = 'batch' AND was->>'status' IN ('DONE', 'FAILED', 'CANCELLED')
        AND "is"->>'status' = was->>'status'""",
    "I5 an operation is written by the claim that holds the batch": """
        SELECT row_id FROM proof_log WHERE machine = 'operationresult' AND was IS NULL AND "is"->>'claim_no' IS NOT NULL
        AND (batch->>'status' <> 'RUNNING' OR batch->>'claim_no' <> "is"->>'claim_no')""",
    "I6 one batch of a follower at a time": """
        SELECT follower_id FROM webhook_batch WHERE status = 'RUNNING' GROUP BY 1 HAVING count(*) > 1""",
    "I7 DONE, WAITING and FAILED come with their words": """
        SELECT l.row_id, l."is"->>'status' FROM proof_log l WHERE l.machine = 'batch'
        AND l.was->>'status' IS DISTINCT FROM l."is"->>'status'
        AND ((l."is"->>'status' = 'DONE' AND l.was->>'status' = 'RUNNING' AND l."is"->'analysis_json' <> 'null'::jsonb)
            OR l."is"->>'status' IN ('WAITING', 'FAILED'))
        AND EXISTS (SELECT 1 FROM webhook_inboundmessage m WHERE m.batch_id = l.row_id)  -- else all that it held has moved on
        AND NOT EXISTS (SELECT 1 FROM proof_log o WHERE o.machine = 'outboundmessage' AND o.was IS NULL
            AND o.txid = l.txid AND (o."is"->>'batch_id')::bigint = l.row_id)""",
    "I7 a question that is closed is spoken of": """
        SELECT l.row_id FROM proof_log l WHERE l.machine = 'batch' AND l.was->>'status' = 'WAITING'
        AND l."is"->>'status' = 'DONE' AND NOT EXISTS (SELECT 1 FROM proof_log o WHERE o.machine = 'outboundmessage'
            AND o.was IS NULL AND o.txid = l.txid AND o."is"->>'follower_id' = l."is"->>'follower_id')""",
    "I9 what failed waits for a person": """
        SELECT l.row_id FROM proof_log l WHERE l.machine IN ('batch', 'outboundmessage')
        AND l.was->>'status' IS DISTINCT FROM l."is"->>'status' AND l."is"->>'status' IN ('FAILED', 'UNKNOWN')
        AND NOT EXISTS (SELECT 1 FROM proof_log r WHERE r.machine = 'review' AND (r."is"->>'object_id')::bigint = l.row_id
            AND (r.txid = l.txid OR (l.was->>'status' = 'UNKNOWN' AND r.seq < l.seq AND r."is"->>'resolution' = '')))""",
    "I9 nothing is left in between": """
        SELECT 'batch', id, status FROM webhook_batch WHERE status IN ('COLLECTING', 'SUBMITTED', 'RUNNING')
        UNION ALL SELECT 'outbound', id, status FROM webhook_outboundmessage
            WHERE status = 'SENDING' OR (status = 'PENDING' AND NOT waiting)
        UNION ALL SELECT 'reminder', id, status FROM planner_reminder WHERE status = 'PENDING' AND due_at < app_now()""",
    "I9 each message is in a batch": """
        SELECT id FROM webhook_inboundmessage WHERE kind = 'text' AND batch_id IS NULL""",
    "I10 no more claims than allowed": """
        SELECT id FROM webhook_batch WHERE claims > max_claims
        UNION ALL SELECT id FROM webhook_outboundmessage WHERE claims > max_claims""",
    "I10 each claim is counted before the work": """
        SELECT row_id FROM proof_log WHERE "is"->>'claim_no' <> was->>'claim_no'
        AND ("is"->>'claims')::int <> (was->>'claims')::int + 1""",
    "I12 no operation touches another follower's plan": """
        SELECT o.id FROM planner_operationresult o JOIN webhook_batch b ON b.id = o.batch_id
        WHERE o.follower_id <> b.follower_id OR EXISTS (SELECT 1 FROM planner_task t
            WHERE t.id = (o.result->'task'->>'id')::bigint AND t.follower_id <> o.follower_id)""",
    "I13 a question is answered at most once, while it is open": """
        SELECT row_id FROM proof_log WHERE machine = 'batch' AND was IS NOT NULL
        AND was->'clarification_answer' IS DISTINCT FROM "is"->'clarification_answer'
        AND "is"->'clarification_answer' <> 'null'::jsonb
        AND (was->>'status' <> 'WAITING' OR was->'clarification_answer' <> 'null'::jsonb
            OR (was->>'question_expires_at')::timestamptz < at)""",
    "I14 what rings has its message in the same commit": """
        SELECT l.row_id FROM proof_log l WHERE l.machine = 'reminder' AND l.was->>'status' = 'PENDING'
        AND l."is"->>'status' = 'SENT' AND NOT EXISTS (SELECT 1 FROM proof_log o WHERE o.machine = 'outboundmessage'
            AND o.was IS NULL AND o.txid = l.txid AND o."is"->>'task_id' = l."is"->>'task_id')""",
    "I14 what was called off has none": """
        SELECT r.id FROM planner_reminder r JOIN webhook_outboundmessage o ON o.task_id = r.task_id
            AND o.due_at = r.due_at AND o.key LIKE 'reminder:%%' WHERE r.status = 'CANCELLED'""",
    "I15 nobody holds a lock or an open transaction": """
        SELECT application_name, state, query FROM pg_stat_activity WHERE datname = current_database()
        AND pid <> pg_backend_pid() AND application_name LIKE 'actor-%%' AND state <> 'idle'""",
}
# What a passive answer said: it need not be any row's own words.
FIXED = """
    SELECT f.openid, m.response_text FROM webhook_inboundmessage m JOIN planner_follower f ON f.id = m.follower_id
    WHERE m.response_text <> ''"""
EDGES = """
    SELECT machine, row_id, coalesce(was->>'status', ''), "is"->>'status', actor, was, "is", at FROM proof_log
    WHERE machine IN ('batch', 'outboundmessage', 'reminder', 'voiceclip', 'erasure') AND "is" IS NOT NULL
    AND was->>'status' IS DISTINCT FROM "is"->>'status' ORDER BY seq"""


def judge(cast: Cast, scenario: Scenario, *, asleep_at_the_wire: bool = False) -> list[str]:
    """All violations of a run that has come to rest; [] is what is wanted.

    `asleep_at_the_wire`: the sender was stopped for longer than WeChat remembers a template's id, between its last look
    and its write to the socket. Nothing on our side can close that gap (docs/proof.md).
    """
    found = []
    for name, query in SQL.items():
        rows = cast.stage.rows(query)
        found += [f"{name}: {rows[:3]}"] if rows else []
    found += [*_edges(cast), *_acknowledged(cast, scenario), *_plans(cast, scenario)]
    if not scenario.erased:
        found += _deliveries(cast)
    if not (scenario.erased or asleep_at_the_wire):
        found += _templates(cast)
    return found


def _edges(cast: Cast) -> Iterator[str]:
    """I5, I6: every move stands in the product's table; who leaves a claim is who made it, or comes when it is over;
    batches of a follower begin in their order."""
    tables = _transitions()
    claimer: dict[tuple[str, int], str] = {}
    at_work: dict[int, dict[int, str]] = {}
    for machine, row, before, after, actor, was, now, at in cast.stage.rows(EDGES):
        was, now = _json(was), _json(now)
        running = getattr(tables[machine], "RUNNING", "")
        if before and (before, after) not in tables[machine].TRANSITIONS:
            yield f"I5 {machine} {row}: {before} → {after} is no legal move"
        far = actor.endswith("far")  # the agent deployed apart works under its caller's claim
        if before and before == running and claimer.get((machine, row)) != actor and not far and not _over(was, at):
            yield f"I5 {machine} {row}: {before} → {after} by {actor}, not by its claimer"
        if after == running:
            claimer[machine, row] = actor
        if machine == "batch":
            of_follower = at_work.setdefault(now["follower_id"], {})
            earlier = [b for b, status in of_follower.items() if b < row and status in ("SUBMITTED", "RUNNING")]
            if after == "RUNNING" and earlier:
                yield f"I6 batch {row} began before {earlier}"
            of_follower[row] = after


def _json(value: Any) -> Any:
    from planner import sql

    return sql.loads(value)


def _over(was: dict[str, Any], at: Any) -> bool:
    from datetime import datetime, timedelta

    from django.conf import settings

    lease, beat = was["lease_expires_at"], was["heartbeat_at"]
    silent = at - timedelta(seconds=settings.HEARTBEAT_SILENCE_SECONDS)
    return bool(lease and datetime.fromisoformat(lease) < at) or bool(beat and datetime.fromisoformat(beat) < silent)


def _transitions() -> dict[str, Any]:
    from django.apps import apps

    return {str(model._meta.model_name): model for model in apps.get_models() if hasattr(model, "TRANSITIONS")}


def _acknowledged(cast: Cast, scenario: Scenario) -> Iterator[str]:
    """I2: what WeChat was told has arrived is there."""
    there = {key for (key,) in cast.stage.rows("SELECT message_key FROM webhook_inboundmessage")}
    for position, step in enumerate(scenario.steps):
        wanted = any(key.endswith(f":msg:{cast.key(position)}") for key in there)
        if step.message and not cast.acknowledged(position):
            yield f"I2 «{step.message.text}» was never acknowledged"
        elif step.message and not (wanted or scenario.erased):
            yield f"I2 «{step.message.text}» was acknowledged and is not there"


def _plans(cast: Cast, scenario: Scenario) -> Iterator[str]:
    """I4, I9: what each follower asked for is there once; where a batch failed it may be missing, never doubled."""
    messages = [step.message for step in scenario.steps if step.message]
    for who in {message.who for message in messages}:
        asked = _asked([message for message in messages if message.who == who])
        rows = cast.stage.rows(
            "SELECT t.title FROM planner_task t JOIN planner_follower f ON f.id = t.follower_id"
            " WHERE f.openid = %s AND t.status <> 'DELETED'",
            (cast.openid(who),),
        )
        there = Counter(title for (title,) in rows)
        failed = cast.stage.rows(
            "SELECT 1 FROM webhook_batch WHERE status IN ('FAILED', 'CANCELLED')"
            " UNION ALL SELECT 1 FROM webhook_voiceclip WHERE status = 'FAILED'"
        )
        if doubled := [title for title, times in there.items() if times > 1]:
            yield f"I4 planned twice: {doubled}"
        if not (scenario.unsure or failed) and set(there) != asked:
            yield f"I9 asked for {sorted(asked)}, planned {sorted(there)}"


def _asked(messages: list[Message]) -> set[str]:
    asked: set[str] = set()
    for message in messages:
        asked = (asked | set(message.makes)) - set(message.takes)
    return asked


def _deliveries(cast: Cast) -> Iterator[str]:
    """I8: SENT reached the phone once, FAILED never, UNKNOWN at most once; a customer message never twice."""
    truth = cast.stage.world.ask(cast.stage.world.wechat, "truth")
    rows = cast.stage.rows(
        "SELECT f.openid, o.text, o.status, o.last_error FROM webhook_outboundmessage o"
        " JOIN planner_follower f ON f.id = o.follower_id WHERE o.route <> 'template'"
    )
    least, most = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for openid, text, status, settled in rows:
        least[openid, text] += status == "SENT" and "确认" not in settled
        most[openid, text] += status in ("SENT", "UNKNOWN")
    arrived = _arrived(truth["phones"], set(most))
    for openid, text in cast.stage.rows(FIXED):
        if (openid, text) in arrived and (openid, text) not in least:
            most[openid, text] += 1
    for key in {*arrived, *most}:
        if not least[key] <= arrived[key] <= most[key]:
            yield f"I8 «{key[1][:30]}» reached the phone {arrived[key]} times, not {least[key]} to {most[key]}"


def _templates(cast: Cast) -> Iterator[str]:
    """I8: one row reached the phone once, however often it was tried and whatever its tries were called."""
    truth = cast.stage.world.ask(cast.stage.world.wechat, "truth")
    rows = cast.stage.rows(
        "SELECT f.openid, count(*) FROM webhook_outboundmessage o JOIN planner_follower f ON f.id = o.follower_id"
        " WHERE o.route = 'template' AND o.status IN ('SENT', 'UNKNOWN', 'FAILED') GROUP BY 1"
    )
    most = dict(rows)
    for openid, times in Counter(openid for openid, _, _ in truth["templates"]).items():
        if times > most.get(openid, 0):
            yield f"I8 {times} templates reached the phone, for {most.get(openid, 0)} rows"


def _arrived(phones: dict[str, list[str]], known: set[tuple[str, str]]) -> Counter[tuple[str, str]]:
    """What stood on the phones: a message that is no row's own text has carried several."""
    arrived: Counter[tuple[str, str]] = Counter()
    for openid, texts in phones.items():
        for text in texts:
            carried = [key for key in known if key[0] == openid and key[1] in text]
            arrived.update([(openid, text)] if (openid, text) in known or not carried else carried)
    return arrived
