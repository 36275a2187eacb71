"""What each answer of WeChat's makes of the row, the follower, the upstream and the operators: one table, read by eye."""

from dataclasses import dataclass

from planner.errors import Effect, Retry
from webhook.models import OutboundMessage
from webhook.wechat import OUR_FAULTS

PENDING, SENT, FAILED = OutboundMessage.PENDING, OutboundMessage.SENT, OutboundMessage.FAILED
UNKNOWN, CANCELLED = OutboundMessage.UNKNOWN, OutboundMessage.CANCELLED
NONE, MAYBE, DONE = Effect.NONE, Effect.UNKNOWN, Effect.DONE
CLOSED, COUNTED, STOPPED = "closed", "counted", "stopped 60"  # "open 60": nobody calls for so many seconds


@dataclass(frozen=True)
class End:
    """Of one row and its follower. `claims`: tries spent; `wait`: seconds to the next, -1 until midnight; `follower`:
    left, refuses, shut (his window), used up (his quota)."""

    status: str
    claims: int = 1
    wait: float = 0
    route: str = ""
    waiting: bool = False
    review: bool = False
    follower: str = ""


@dataclass(frozen=True)
class Row:
    """`template`: where it ends otherwise than a customer message. `upstream`: the breaker of the call; `at_token`: the
    token's, when the call for one is answered so. `token`: dropped, where WeChat refuses a fresh one as well."""

    codes: tuple[int, ...]
    retry: Retry | None
    effect: Effect
    customer: End
    template: End | None = None
    upstream: str = CLOSED
    at_token: str = STOPPED
    token: str = "kept"
    alarm: bool = False


LATER, NEVER, USER, OPERATOR = Retry.LATER, Retry.NEVER, Retry.USER, Retry.OPERATOR
DEAD = End(FAILED, review=True)
HELD = End(PENDING, claims=0, wait=5)
REROUTED = End(PENDING, claims=0, route="customer")
UNFOLLOWED = End(CANCELLED, follower="left")
REFUSED = End(FAILED, review=True, follower="refuses")
OF_TEMPLATES = (40036, 40037, 40246, 40247, 43116, 45026, 45027, 48001, 40200)
OF_ACCOUNT = (48003, 48004, 50004, 50007, 65400, 40013, 40125, 40243, 41002, 41004)
OF_ADDRESS = (40164, 61004, 89503, 89506, 89507)
OF_TOKEN = (40001, 40014, 42001, 41001)

TABLE = [
    Row((0,), None, DONE, End(SENT)),
    Row((-1,), LATER, NONE, End(PENDING, wait=5), upstream=COUNTED, at_token=COUNTED),
    Row((45011,), LATER, NONE, End(PENDING, claims=0, wait=60), upstream="open 60", at_token="open 60"),
    Row((40241,), LATER, NONE, End(PENDING, wait=60), at_token="open 60"),
    Row((43117,), LATER, NONE, End(PENDING, wait=300), at_token="open 300"),
    Row((45009,), Retry.QUOTA, NONE, End(PENDING, claims=0, wait=-1), upstream="open 3600", at_token=COUNTED, alarm=True),
    Row(OF_TOKEN, Retry.NOW, NONE, End(PENDING, claims=0, wait=60), token="dropped"),
    Row((45015,), USER, NONE, End(PENDING, claims=0, waiting=True, follower="shut"), DEAD, at_token=COUNTED),
    Row((45047,), USER, NONE, End(PENDING, claims=0, waiting=True, follower="used up"), DEAD, at_token=COUNTED),
    Row((43004, 50005), USER, NONE, UNFOLLOWED, at_token=COUNTED),
    Row((43101, 48002), USER, NONE, REFUSED, at_token=COUNTED),
    Row((*OUR_FAULTS, 40003, 43019, 45002, 50002, 70000), NEVER, NONE, DEAD),
    Row((40249, 47003), NEVER, NONE, DEAD, REROUTED),
    Row(OF_TEMPLATES, OPERATOR, NONE, HELD, REROUTED, upstream=STOPPED, alarm=True),
    Row((*OF_ACCOUNT, *OF_ADDRESS), OPERATOR, NONE, HELD, upstream=STOPPED, alarm=True),
    Row((99999,), NEVER, MAYBE, End(UNKNOWN, review=True), End(PENDING, wait=5)),
]  # fmt: skip
