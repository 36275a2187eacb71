"""Actions in one short line, for tables of what people say."""

from datetime import datetime

from agent.analysis import (
    Action,
    Changes,
    Clarify,
    Create,
    Query,
    Set,
    Snooze,
    Target,
    Undo,
    Update,
)
from agent.rules import Understood

HIDDEN = {"when", "repeat", "resolved_by"}


def short(understood: Understood) -> str:
    """`+开会 03-12 15:00`, `-聚餐 @03-13`, `~健身 start=…`, `? 什么…`, `「chat」`; `?!` in front where the rules are unsure."""
    analysis = understood.analysis
    said = [_action(action) for action in analysis.actions] or [f"「{analysis.chat.splitlines()[0]}」" if analysis.chat else "-"]
    unread = [f"!{text}" for text in analysis.unread]
    return ("" if understood.certain else "?! ") + " | ".join([*said, *unread])


def _action(action: Action) -> str:
    match action:
        case Create():
            return _create(action)
        case Clarify():
            options = f" {'/'.join(action.options)}" if action.options else ""
            return f"? {action.pending['op']}: {action.question}{options}"
        case Update():
            return f"~{_target(action.target)} {_changes(action.changes)}"
        case Query():
            words = [action.range and f"[{action.range}]", action.text, action.status.removeprefix("open")]
            return " ".join(["Q", *filter(None, [*words, "free" if action.free else "", _from(action.start)])])
        case Snooze():
            return f"zz {_moment(action.at)}{_target(action.target)}"
        case Undo():
            return "undo"
        case Set():
            return f"set {_named(action.changes.model_dump(exclude_none=True))}"
    sign = {"complete": "√", "delete": "-", "reopen": "○"}[action.op]
    return f"{sign}{_target(action.target)}"


def _create(task: Create) -> str:
    start = f" {task.start:%m-%d}" if task.start and task.all_day else _from(task.start)
    parts = [f"+{task.title}{start if start.startswith(' ') else start and ' ' + start}"]
    parts += [f"to {_moment(task.end)}"] if task.end else []
    parts += [f"({'、'.join(task.remind)})"] if task.remind else []
    parts += [f"rings {_moment(at)}" for at in task.remind_at]
    return " ".join([*parts, *filter(None, [task.rrule, task.notes and f"# {task.notes}"])])


def _from(moment: datetime | None) -> str:
    return _moment(moment) if moment else ""


def _moment(moment: datetime | None) -> str:
    return f"{moment:%m-%d %H:%M}" if moment else "-"


def _target(target: Target) -> str:
    day = f" @{_moment(target.start)}" if target.start else ""
    place = f"#{target.position}" if target.position is not None else ""
    return f"{target.text}{place}{day}{' all' if target.every else ''}{f' but {target.but}' if target.but else ''}{' which' if target.unnamed else ''}"


def _changes(changes: Changes) -> str:
    return _named({name: value for name, value in changes.model_dump(exclude_defaults=True).items() if name not in HIDDEN})


def _named(values: dict[str, object]) -> str:
    return " ".join(f"{name}={_moment(value) if isinstance(value, datetime) else value}" for name, value in values.items())
