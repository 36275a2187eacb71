"""The queue `transcription`: claim the next clip, hear it, and turn whatever happens into the row's next state."""

import logging
from functools import cache

from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection

from planner import counters, sql, trace, upstreams
from planner.alarms import raise_alarm
from planner.crashpoints import statement
from planner.doorbell import Queue, ring
from planner.errors import Failure, Retry
from planner.heartbeat import Heartbeat
from planner.leases import Claimed, LeaseLost
from planner.upstreams import Phase, Upstream
from transcription import renditions
from transcription.asr import Turn, Unheard
from transcription.decoding import can_decode
from transcription.hearing import Hearing, Recogniser
from webhook.media import TOO_BIG, Media
from webhook.models import VoiceClip

log = logging.getLogger(__name__)
SLOWEST = 60.0
PATIENCE = 300.0
OURS = (Upstream.ASR, Upstream.MEDIA)


@cache
def recogniser() -> Recogniser:
    """The SDK costs 20 MB: only the process that hears loads it."""
    from transcription.tencent import Tencent  # noqa: PLC0415 - see above

    return Tencent()


def hear_next(media: Media, engine: Recogniser) -> bool:
    """Takes the next clip and settles it. False when there is none."""
    # What is down is waited for; what a person stopped is not, and its clips are told so.
    claimed = VoiceClip.claim(settings.BATCH_LEASE_SECONDS, shut=upstreams.down(*OURS))
    if claimed is None:
        return False
    ring(Queue.TRANSCRIPTION)  # before the work: an idle worker may take the next
    token = trace.current.set(str(sql.uuid(claimed.columns["trace_id"])))
    try:
        _hear(claimed, media, engine)
    except LeaseLost:
        log.warning("lease lost", extra={"clip": claimed.lease.pk})
        counters.count("leases_lost", kind="voice")
    finally:
        trace.current.reset(token)
    return True


def _hear(claimed: Claimed, media: Media, engine: Recogniser) -> None:
    lease = claimed.lease
    try:
        with Heartbeat(lease) as heartbeat:
            clip = VoiceClip.objects.select_related("follower").get(pk=lease.pk)
            hearing = Hearing(clip, lease, media, engine, heartbeat.step)
            try:
                hearing.run()
            except Failure as failure:
                _settle(hearing, failure)
    except LeaseLost:
        raise
    except DatabaseError as error:
        log.warning("database error", extra={"clip": lease.pk, "error": type(error).__name__}, exc_info=True)
        connection.close()
        VoiceClip.retry(lease, f"数据库错误（{type(error).__name__}）")
    except Exception as error:  # noqa: BLE001 - the one place that turns the unforeseen into a retry
        log.error("unforeseen error", extra={"clip": lease.pk, "error": type(error).__name__})  # no traceback: no sound
        VoiceClip.retry(lease, f"程序错误（{type(error).__name__}）")


def _settle(hearing: Hearing, failure: Failure) -> None:
    """(retry, down, turn) → the row's next state. Whoever waits for a person is told at once and not kept waiting."""
    log.warning("clip not heard", extra={"clip": hearing.clip.pk, "code": failure.code, "reason": failure.reason})
    turn = failure.turn if isinstance(failure, Unheard) else Turn.NONE
    by_person = failure.upstream in OURS and failure.retry in (Retry.OPERATOR, Retry.QUOTA)
    if failure.code != upstreams.SHUT:
        counters.count("upstream_errors", upstream=failure.upstream, code=failure.code)
    if by_person:
        _alarm(failure)
    if turn is Turn.SILENT:
        hearing.silent()
    elif by_person or _is_hopeless(failure):
        VoiceClip.give_up(hearing.lease, failure.reason, columns={"reason": VoiceClip.UNAVAILABLE})
    elif failure.down:
        held_for = failure.upstream if failure.shut else ""
        VoiceClip.release(hearing.lease, failure.reason, wait=_outage_wait(hearing, failure), held_for=held_for)
    elif failure.retry in (Retry.LATER, Retry.NOW):
        VoiceClip.retry(hearing.lease, failure.reason, wait=failure.retry_after)
    elif not (_may_have_another_form(failure, turn) and _try_other_form(hearing, failure, turn)):
        VoiceClip.give_up(hearing.lease, failure.reason, columns={"reason": _tells(failure)})


def _alarm(failure: Failure) -> None:
    told = failure.reason + "。修正之前，语音会请关注者打字；修正之后，新的语音自动恢复。"
    with statement("voice alarm"):
        raise_alarm(f"{failure.upstream}:{failure.code}", told, upstream=failure.upstream if failure.shut else "")


def _is_hopeless(failure: Failure) -> bool:
    """Nobody may call, and not before a person has acted or the clip's time is as good as over."""
    if failure.code != upstreams.SHUT or failure.upstream not in OURS:
        return False
    stopped = upstreams.states()[Upstream(failure.upstream)].phase is Phase.STOPPED
    return stopped or (failure.retry_after or 0) > PATIENCE


def _outage_wait(hearing: Hearing, failure: Failure) -> float:
    """Longer with each refund; the clip's deadline is the end."""
    refunded = max(0, hearing.lease.claim_no - hearing.clip.claims)
    return failure.retry_after or min(5.0 * 2 ** min(refunded, 4), SLOWEST)


def _may_have_another_form(failure: Failure, turn: Turn) -> bool:
    return turn is Turn.OTHER_FORM or (failure.upstream == Upstream.MEDIA and failure.retry is Retry.NEVER)


def _try_other_form(hearing: Hearing, failure: Failure, turn: Turn) -> bool:
    """On to the converted form or the other recording, at once and for no claim: there are four forms at most."""
    clip, lease = hearing.clip, hearing.lease
    refused_by_recogniser = turn is Turn.OTHER_FORM and failure.upstream != Upstream.MEDIA
    codec = VoiceClip.objects.values_list("codec", flat=True).get(pk=clip.pk)
    following = renditions.next_after(clip, same_media=refused_by_recogniser and can_decode(codec))
    if following is None:
        return False
    VoiceClip.release(lease, f"{failure.reason}，换一种形式", wait=0, columns={"rendition": following})
    return True


def _tells(failure: Failure) -> str:
    if isinstance(failure, Unheard):
        return failure.tells
    if failure.code == TOO_BIG:
        return VoiceClip.TOO_LONG
    return VoiceClip.GONE if failure.retry is Retry.NEVER else VoiceClip.UNAVAILABLE
