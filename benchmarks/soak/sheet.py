"""The balance: what was acknowledged against what stands in the rows and on the phones."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import psycopg

from benchmarks.soak.door import Door
from benchmarks.soak.traffic import Turn

_UNREST = {
    "batches": "SELECT count(*) FROM webhook_batch WHERE status IN ('COLLECTING', 'SUBMITTED', 'RUNNING')",
    "voice": "SELECT count(*) FROM webhook_voiceclip WHERE status NOT IN ('HEARD', 'FAILED', 'CANCELLED')",
    "outbound": "SELECT count(*) FROM webhook_outboundmessage WHERE status = 'SENDING' OR status = 'PENDING' AND NOT waiting",
    "reminders due": "SELECT count(*) FROM planner_reminder WHERE status = 'PENDING' AND due_at <= app_now()",
}
_PLANNED = """
    SELECT f.openid, r.params->>'title' FROM planner_operationresult r JOIN planner_follower f ON f.id = r.follower_id
    WHERE r.op = 'create' AND r.status = 'SUCCEEDED'"""
_MESSAGES = """
    SELECT m.msg_id, b.id, b.status, EXISTS (SELECT 1 FROM webhook_outboundmessage o WHERE o.batch_id = b.id),
        m.response_text, EXISTS (SELECT 1 FROM planner_review v WHERE v.kind = 'batch' AND v.object_id = b.id),
        EXISTS (SELECT 1 FROM planner_operationresult r WHERE r.batch_id = b.id AND r.status <> 'SUCCEEDED')
        OR EXISTS (SELECT 1 FROM webhook_voiceclip c WHERE c.message_id = m.id AND c.status = 'FAILED')
    FROM webhook_inboundmessage m LEFT JOIN webhook_batch b ON b.id = m.batch_id"""
_SENDS = (
    "SELECT f.openid, o.status, o.text FROM webhook_outboundmessage o JOIN planner_follower f ON f.id = o.follower_id"
)
_REVIEWS = "SELECT kind, count(*) FROM planner_review GROUP BY 1"
_HIDDEN = """
    SELECT count(*) FROM webhook_outboundmessage o WHERE o.status IN ('FAILED', 'UNKNOWN')
    AND NOT EXISTS (SELECT 1 FROM planner_review v WHERE v.kind = 'outbound' AND v.object_id = o.id)"""


@dataclass
class Sheet:
    """`wrong` must stay empty; `counts` say what became of everything."""

    counts: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    lost: int = 0
    doubled: int = 0
    batches: int = 0
    reviews: dict[str, int] = field(default_factory=dict)

    def claim(self, right: object, what: str) -> None:
        if not right:
            self.wrong.append(what)


def unrest(db: psycopg.Connection) -> dict[str, int]:
    """What still moves, by kind; empty at rest."""
    found = {name: db.execute(statement).fetchone()[0] for name, statement in _UNREST.items()}
    return {name: number for name, number in found.items() if number}


def drawn(db: psycopg.Connection, turns: list[Turn], door: Door, phones: dict[str, list[str]]) -> Sheet:
    sheet = Sheet()
    rows = {int(msg_id): rest for msg_id, *rest in db.execute(_MESSAGES)}
    _messages(sheet, rows, door)
    _plans(
        sheet, [turn for turn in turns if turn.plans and turn.number in door.acknowledged], rows, db.execute(_PLANNED)
    )
    _sends(sheet, list(db.execute(_SENDS)), phones)
    sheet.batches = db.execute("SELECT count(*) FROM webhook_batch").fetchone()[0]
    sheet.reviews = dict(db.execute(_REVIEWS))
    sheet.counts |= {"batches": sheet.batches, **{f"reviews {kind}": n for kind, n in sheet.reviews.items()}}
    hidden = db.execute(_HIDDEN).fetchone()[0]
    sheet.claim(not hidden, f"{hidden} failed or unknown sends stand in nobody's queue")
    for name, number in unrest(db).items():
        sheet.claim(False, f"not at rest: {number} {name}")
    return sheet


def _messages(sheet: Sheet, rows: dict[int, list], door: Door) -> None:
    sheet.counts |= {
        "acknowledged": len(door.acknowledged),
        "stored": len(rows),
        "refused deliveries": len(door.refused),
    }
    lost = door.acknowledged - set(rows)
    sheet.lost = len(lost)
    sheet.claim(not lost, f"{len(lost)} acknowledged messages are not stored")
    changed = [number for number, texts in door.answers.items() if len(texts) > 1]
    sheet.claim(not changed, f"{len(changed)} redeliveries got another answer")
    batches = Counter(status or "answered at once" for _, status, *_ in rows.values())
    sheet.counts |= {f"messages {status}": number for status, number in sorted(batches.items())}
    silent = [number for number, (batch, _, spoke, text, *_) in rows.items() if not spoke and not text and batch]
    sheet.claim(not silent, f"{len(silent)} messages have no answer: {silent[:3]}")
    unseen = [n for n, (_, status, _, _, review, _) in rows.items() if status == "FAILED" and not review]
    sheet.claim(not unseen, f"{len(unseen)} messages of failed batches stand in nobody's queue")


def _plans(sheet: Sheet, turns: list[Turn], rows: dict[int, list], planned: Iterable[tuple[str, str]]) -> None:
    made = Counter(planned)
    ends = Counter()
    for turn in turns:
        number = sum(
            times for (openid, title), times in made.items() if openid == turn.follower and turn.plans in title
        )
        sheet.claim(number <= 1, f"{turn.plans} was planned {number} times for one instruction")
        _, status, *_, refused = rows[turn.number]  # also: a question that was closed, a voice that nobody understood
        ends["planned" if number else "refused" if refused else f"not planned, {status}"] += 1
        sheet.claim(number or refused or status != "DONE", f"{turn.text} ({turn.number}) is done, and nothing is planned")
    sheet.counts |= {f"tasks {end}": times for end, times in sorted(ends.items())}


def _sends(sheet: Sheet, rows: list[tuple[str, str, str]], phones: dict[str, list[str]]) -> None:
    sheet.counts |= {f"outbound {status}": n for status, n in sorted(Counter(status for _, status, _ in rows).items())}
    sheet.counts["on the phones"] = sum(map(len, phones.values()))
    sent = Counter((openid, text) for openid, status, text in rows if status == "SENT")
    doubtful = Counter((openid, text) for openid, status, text in rows if status == "UNKNOWN")
    seen = Counter((openid, text) for openid, texts in phones.items() for text in texts)
    for what in {*sent, *seen}:
        openid, text = what
        reached = sum(text in said for said in phones.get(openid, [])) if not seen[what] else seen[what]
        most = sent[what] + doubtful[what]
        sheet.doubled += reached > most and what in sent
        sheet.claim(reached <= most or what not in sent, f"said {reached} times, sent {most} times: {text[:30]}")
        sheet.claim(reached >= min(1, sent[what]), f"SENT and not on the phone: {text[:30]}")
