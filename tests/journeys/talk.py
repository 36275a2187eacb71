"""A conversation as it happens: the follower writes through the door, workers run, the phone shows what came."""

from datetime import timedelta

from agent.questions import expire_next
from agent.worker import run_next
from planner.clock import app_now
from planner.models import Follower, Task
from reminders.scan import scan_next
from tests.builders import say
from tests.clock import Clock
from tests.doubles.wechat import FakeWeChat
from webhook.delivery import deliver_next
from webhook.sweep import submit_quiet, sweep

ROUNDS = 50


class Talk:
    def __init__(self, who: Follower, wechat: FakeWeChat, clock: Clock) -> None:
        self.who, self.wechat, self.clock = who, wechat, clock
        self.api = wechat.client()
        self.read = 0

    def says(self, *texts: str) -> str:
        """Writes them one after the other, and returns all that arrives on the phone for it."""
        for text in texts:
            say(self.who, text, sent=app_now().timestamp())
        self.clock.forward(seconds=4)
        return self.work()

    def work(self) -> str:
        """Everything that is due now gets done, as workers and clocks would do it."""
        submit_quiet()
        for _ in range(ROUNDS):
            if not (run_next() or scan_next() or deliver_next(self.api) or expire_next()):
                break
        arrived = self.wechat.received(self.who.openid)
        new, self.read = arrived[self.read :], len(arrived)
        return "\n".join(new)

    def later(self, **amount: float) -> str:
        self.clock.forward(**amount)
        sweep()
        return self.work()


def at_ten(talk: Talk) -> Talk:
    """At ten in the morning: no hour of the night makes «明天» doubtful."""
    now = app_now().astimezone(talk.who.zone)
    ten = (now + timedelta(days=1)).replace(hour=10, minute=0, second=0, microsecond=0)
    talk.clock.forward(seconds=(ten - now).total_seconds())
    return talk


def only(who: Follower) -> Task:
    return Task.objects.get(follower=who, status=Task.OPEN)


def hour(task: Task) -> int:
    assert task.start
    return task.start.astimezone(task.follower.zone).hour
