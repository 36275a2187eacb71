"""The figures: rows for what is, shared counters for what has happened. Cheap at any size: partial indexes only."""

import re
from collections.abc import Iterator

import redis
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from planner import counters, sql, upstreams
from planner.upstreams import Phase, Upstream

_COUNTER = re.compile(r"^(\w+)\{(.*)\}$")
_LABEL = re.compile(r'(\w+)="([^"]*)"')

# Only states in which rows do not pile up: finished ones are counters.
_GAUGES = {
    ("batches", "webhook_batch"): ("COLLECTING", "SUBMITTED", "RUNNING", "WAITING"),
    ("outbound", "webhook_outboundmessage"): ("PENDING", "SENDING"),
    ("voice", "webhook_voiceclip"): ("UNHEARD", "HEARING"),
}
_AGES = {
    "batches_oldest_seconds": "SELECT min(available_at) FROM webhook_batch b WHERE status = 'SUBMITTED'"
    " AND NOT EXISTS (SELECT 1 FROM webhook_voiceclip v"
    " WHERE v.batch_id = b.id AND v.status IN ('UNHEARD', 'HEARING'))",
    "voice_oldest_seconds": "SELECT min(available_at) FROM webhook_voiceclip WHERE status = 'UNHEARD'",
    "outbound_oldest_seconds": "SELECT min(available_at) FROM webhook_outboundmessage"
    " WHERE status = 'PENDING' AND NOT waiting",
    "reminders_oldest_seconds": "SELECT min(due_at) FROM planner_reminder WHERE status = 'PENDING'",
}
_HELP = {
    "inbound": "Messages and events by kind; duplicate: a redelivery",
    "refusals": "Requests refused at the door, by reason",
    "claims": "Claims by how they ended",
    "takeovers": "Rows taken from a dead owner",
    "leases_lost": "Workers that found their claim taken over",
    "operations": "Operations applied, refused, replayed, in conflict",
    "outbound": "Outbound messages by outcome",
    "voice": "Voice messages by outcome",
    "upstream_errors": "Answers of outside systems that were no success, by class",
    "reminder_lateness": "Reminders handed over, by how late (upper edge, seconds)",
    "breaker": "Breakers of upstreams that opened, stopped or closed",
    "budget": "Model calls not made because the day's tokens are used up",
    "token_fetches": "Calls for an access token",
    "receipts": "Template receipts",
}


_STANDING = {
    Upstream.LLM: "webhook_batch WHERE status = 'SUBMITTED' AND held_for = 'llm'",
    Upstream.ASR: "webhook_voiceclip WHERE status = 'UNHEARD' AND held_for = 'asr'",
    Upstream.MEDIA: "webhook_voiceclip WHERE status = 'UNHEARD' AND held_for = 'media'",
    Upstream.WECHAT_SEND: "webhook_outboundmessage WHERE status = 'PENDING' AND NOT waiting AND route = 'customer'",
    Upstream.WECHAT_TEMPLATE: "webhook_outboundmessage WHERE status = 'PENDING' AND NOT waiting AND route = 'template'",
}


class _Collector:
    def collect(self) -> Iterator[Metric]:
        yield from _states()
        yield from _upstreams()
        yield from _ages()
        yield from _counted()


def _states() -> Iterator[Metric]:
    for (name, table), statuses in _GAUGES.items():
        family = GaugeMetricFamily(f"planner_{name}", "Rows by status", labels=["status"])
        for status in statuses:
            found = sql.row(f"SELECT count(*) FROM {table} WHERE status = '{status}'")
            family.add_metric([status], float(found[0]) if found else 0)
        yield family
    reviews = sql.row("SELECT count(*) FROM planner_review WHERE resolution = ''")
    yield GaugeMetricFamily("planner_reviews_open", "Dead letters waiting for a person", value=float(reviews[0]))  # type: ignore[index]
    alarms = sql.row("SELECT count(*) FROM planner_alarm WHERE closed_at IS NULL")
    yield GaugeMetricFamily("planner_alarms_open", "Alarms that nobody has mended", value=float(alarms[0]))  # type: ignore[index]


def _upstreams() -> Iterator[Metric]:
    shut = GaugeMetricFamily("planner_upstream_shut", "0 calls go, 1 open, 2 a person must mend", labels=["upstream"])
    rows = GaugeMetricFamily("planner_upstream_waiting", "Rows that wait for a shut upstream", labels=["upstream"])
    for name, state in upstreams.states().items():
        shut.add_metric([name.value], list(Phase).index(state.phase))
        counted = name in _STANDING and state.phase is not Phase.CLOSED
        found = sql.row(f"SELECT count(*) FROM {_STANDING[name]}") if counted else None
        rows.add_metric([name.value], float(found[0]) if found else 0.0)
    yield from (shut, rows)


def _ages() -> Iterator[Metric]:
    for name, statement in _AGES.items():
        found = sql.row(
            f"SELECT {_SECONDS.format(statement)}" if sql.is_postgres() else f"SELECT {_SQLITE.format(statement)}"
        )
        value = float(found[0]) if found and found[0] is not None else 0.0
        yield GaugeMetricFamily(f"planner_{name}", "Age of the oldest that is due", value=max(0.0, value))


_SECONDS = "extract(epoch FROM app_now() - ({}))"
_SQLITE = "(julianday(app_now()) - julianday(({}))) * 86400"


def _counted() -> Iterator[Metric]:
    families: dict[str, CounterMetricFamily] = {}
    try:
        values = counters.read()
    except redis.RedisError:
        values = {}
    for key, value in sorted(values.items()):
        if match := _COUNTER.match(key):
            name, labels = match[1], dict(_LABEL.findall(match[2]))
            family = families.setdefault(
                name, CounterMetricFamily(f"planner_{name}", _HELP.get(name, name), labels=sorted(labels))
            )
            family.add_metric([labels[label] for label in sorted(labels)], value)
    yield from families.values()


def exposition() -> bytes:
    registry = CollectorRegistry()
    registry.register(_Collector())
    return generate_latest(registry)
