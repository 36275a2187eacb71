"""The batch that every engine does: two tasks to be planned, one answer. And the two inserts that the others share."""

from datetime import UTC, datetime, timedelta
from typing import Any

TEXT = "后天下午三点和客户开会，提前十分钟提醒我；大后天上午九点写周报"
_START = datetime.now(UTC).replace(microsecond=0) + timedelta(days=1)
ACTIONS: list[dict[str, Any]] = [
    {
        "op": "create",
        "title": "和客户开会",
        "when": "后天下午三点",
        "start": _START.isoformat(),
        "end": None,
        "all_day": False,
        "remind": ["提前10分钟"],
        "repeat": None,
        "rrule": None,
        "notes": "",
    },
    {
        "op": "create",
        "title": "写周报",
        "when": "大后天上午九点",
        "start": (_START + timedelta(days=1)).isoformat(),
        "end": None,
        "all_day": False,
        "remind": [],
        "repeat": None,
        "rrule": None,
        "notes": "",
    },
]
REPLY = "记下了：\n1. 和客户开会 12月2日 周三 15:00，提前10分钟提醒\n2. 写周报 12月3日 周四 09:00"
SCHEMA = """
    CREATE TABLE floor_task (id bigserial PRIMARY KEY, follower_id bigint NOT NULL, title text NOT NULL,
        start_at timestamptz, status text NOT NULL DEFAULT 'OPEN');
    CREATE INDEX floor_task_follower ON floor_task (follower_id, start_at);
    CREATE TABLE floor_outbound (id bigserial PRIMARY KEY, key text UNIQUE NOT NULL, follower_id bigint NOT NULL,
        text text NOT NULL, status text NOT NULL DEFAULT 'PENDING', available_at timestamptz NOT NULL DEFAULT now());
    CREATE INDEX floor_outbound_ready ON floor_outbound (follower_id, id) WHERE status = 'PENDING';
"""
EFFECT = "INSERT INTO floor_task (follower_id, title, start_at) VALUES (%s, %s, %s) RETURNING id"
ANSWER = "INSERT INTO floor_outbound (key, follower_id, text) VALUES (%s, %s, %s) ON CONFLICT (key) DO NOTHING"
