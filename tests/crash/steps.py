"""Steps of the days: what operators press, what WeChat tells later, and workers that vanish."""

from collections.abc import Callable
from typing import Any

from planner import crashpoints
from tests.crash.play import Cast, Step, does


def first(model: str, **lookups: Any) -> Any:
    from django.apps import apps

    return apps.get_model(model).objects.filter(**lookups).order_by("id").first()


def operator() -> Any:
    from django.contrib.auth.models import User

    return User.objects.get_or_create(username="proof")[0]


def clicks(button: str, model: str, *more: Any, **lookups: Any) -> Step:
    """An operator's button on the first row that fits; a row that is not there has been dealt with."""

    def act(cast: Cast) -> None:
        from planner import operators as planners
        from webhook import operators as webhooks

        row = first(model, **lookups)
        if row is not None:
            pressed: Callable[..., Any] = getattr(webhooks, button, None) or getattr(planners, button)
            pressed(row, operator(), *more)

    return does(f"an operator: {button}", act)


def abandons(model: str) -> Step:
    """A worker claims and is never seen again."""

    def act(cast: Cast) -> None:
        from django.apps import apps

        apps.get_model(model).claim(900)

    return does("a worker vanishes", act)


def receipt(status: str) -> Step:
    """WeChat tells what became of the template that it took."""

    def act(cast: Cast) -> None:
        templates = cast.stage.world.ask(cast.stage.world.wechat, "truth")["templates"]
        for number, (openid, _, msgid) in enumerate(templates):
            if openid == cast.openid(0):
                cast.event(0, Event="TEMPLATESENDJOBFINISH", MsgID=msgid, Status=status, sent=1_700_000_000 + number)

    return Step(f"receipt {status}", act)


def receipt_unknown() -> Step:
    """Of a message whose number we have never heard."""
    return Step("a receipt", lambda cast: cast.event(0, Event="TEMPLATESENDJOBFINISH", MsgID=77, Status="success",
                                                     sent=1_700_000_000))  # fmt: skip


def scanned(cast: Cast) -> None:
    from reminders.scan import scan_next

    scan_next()


def leaves() -> Step:
    return Step("the follower leaves", lambda cast: cast.event(0, Event="unsubscribe", sent=1_700_000_000))


def submit_quiet(cast: Cast) -> None:
    from webhook.sweep import submit_quiet

    submit_quiet()


def swept(cast: Cast) -> None:
    from webhook.sweep import sweep

    sweep()


def ran(cast: Cast) -> None:
    from agent.worker import run_next

    run_next()


def forgotten(cast: Cast) -> None:
    from webhook.forgetting import begin

    follower = first("planner.Follower", openid=cast.openid(0))
    if follower is not None:
        begin(follower.pk, by="proof")


def forgotten_again(cast: Cast) -> None:
    """As `manage.py forget` does with an erasure that has failed."""
    from webhook.models import Erasure

    for row in Erasure.objects.filter(status=Erasure.FAILED):
        Erasure.move(row.pk, Erasure.FAILED, Erasure.PENDING, claims=0)


def kept(cast: Cast) -> None:
    from webhook.retention import retain

    retain()


def erased_a_little(cast: Cast) -> None:
    from webhook.forgetting import erase_next

    erase_next(seconds=0)


def worn_out() -> Step:
    """All claims but one are used up."""

    def act(cast: Cast) -> None:
        from planner import sql

        sql.execute("UPDATE webhook_erasure SET claims = max_claims - 1 WHERE status = 'PENDING' AND claims = 0")

    return does("erasers have died before", act)


def spent_refreshes() -> Step:
    """Today's forced refreshes of the token are used up."""

    def act(cast: Cast) -> None:
        from planner import sql
        from webhook.tokens import FORCES_A_DAY, _today

        spent = "UPDATE webhook_accesstoken SET forced_day = %s, forced_count = %s"
        sql.execute(spent, (_today(), FORCES_A_DAY))

    return does("the token was forced too often", act)


def breaks(point: str) -> Step:
    """Whoever comes to `point` next finds his connection dead, once."""

    def act(cast: Cast) -> None:
        from django.db import connection

        armed, left = crashpoints._hook, [1]

        def hook(name: str) -> None:
            if armed is not None:
                armed(name)
            if name == point and left and connection.connection is not None:
                left.pop()
                connection.connection.close()

        crashpoints.arm(hook)

    return Step(f"a connection will break at {point}", act)
