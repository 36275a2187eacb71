"""States and outcomes in plain words, for operators."""

from datetime import datetime
from typing import Any

from django.utils.timesince import timesince
from django.utils.timezone import localtime

from planner import upstreams
from planner.leases import Leased
from planner.upstreams import Upstream
from webhook.models import Batch, OutboundMessage, VoiceClip

OUTCOMES = {
    "done": "完成",
    "waiting": "已提问",
    "answered": "作为回答交给了上一批次",
    "retried": "出错，稍后再试",
    "failed": "失败",
    "released": "退还，不计次数",
    "died": "失联，被收回",
    "sent": "已发",
    "cancelled": "取消",
    "closed": "等待用户开口",
    "rerouted": "改走客服消息",
    "heard": "听到了",
    "silent": "没有话",
}
PURPOSES = {
    "reply": "回复",
    "ask": "提问",
    "failed": "失败通知",
    "notice": "通知",
    "reminder": "提醒",
    "held": "请稍候",
    "digest": "早报",
}
RECEIPTS = {"success": "已送达", "failed:user block": "用户拒收", "failed:system failed": "微信没有发成"}


def receipt(status: str) -> str:
    return RECEIPTS.get(status, status)


def needs(row: Leased) -> Upstream | None:
    """The upstream that this row waits for, if it is ready for nothing but that."""
    if row.status != row.READY:
        return None
    if isinstance(row, OutboundMessage) and not row.waiting:
        route = Upstream.WECHAT_TEMPLATE if row.route == OutboundMessage.TEMPLATE else Upstream.WECHAT_SEND
        return next((name for name in (route, Upstream.TOKEN) if _is_shut(name)), None)
    known = next((name for name in Upstream if name == row.held_for), None)
    return known if known and _is_shut(known) else None


def _is_shut(name: Upstream) -> bool:
    """Also while its probe is out."""
    return upstreams.states()[name].phase is not upstreams.Phase.CLOSED


def label(row: Batch | OutboundMessage | VoiceClip) -> str:
    """The state in a word or two."""
    return upstreams.WAITING if needs(row) else row.get_status_display()


def at(moment: datetime | None) -> str:
    return f"{localtime(moment):%m-%d %H:%M:%S}" if moment else "—"


def took(start: datetime | None, end: datetime | None) -> str:
    return f"{(end - start).total_seconds():.1f} 秒" if start and end else "—"


def ago(moment: datetime | None) -> str:
    return f"{timesince(moment)}前" if moment else "—"


def tokens(usage: dict[str, Any] | None) -> str:
    """Attempt.usage as agent/llm.py writes it: model, prompt_tokens, completion_tokens, corrections …"""
    names = {"model": "模型", "prompt_tokens": "输入", "completion_tokens": "输出", "corrections": "纠正"}
    return " · ".join(f"{label} {usage[name]}" for name, label in names.items() if name in usage) if usage else "—"


def of_batch(row: Batch) -> str:
    tried = f"已领取 {row.claims} 次，最多 {row.max_claims} 次"
    match row.status:
        case Batch.COLLECTING:
            return f"正在收集：{at(row.available_at)} 前没有新消息就提交，最晚到 {at(row.collect_until)}"
        case Batch.SUBMITTED if upstream := needs(row):
            return f"{upstreams.WAITING}：{upstreams.LABELS[upstream]}，恢复后自动继续；{tried}；上次：{row.last_error}"
        case Batch.SUBMITTED:
            why = f"；上次：{row.last_error}" if row.last_error else ""
            return f"排队等待处理，{at(row.available_at)} 起可领取；{tried}{why}"
        case Batch.RUNNING:
            return f"处理中：由 {row.owner} 于 {at(row.claimed_at)} 领取，租约到 {at(row.lease_expires_at)}；{tried}"
        case Batch.WAITING:
            return f"已提问，等关注者回答，到 {at(row.question_expires_at)} 为止"
        case Batch.FAILED:
            return f"没有处理成功：{row.last_error}。已告诉关注者哪些做了、哪些没做；等人处理，可以重试"
        case Batch.CANCELLED:
            return f"已取消：{row.last_error}"
    return f"已完成，{at(row.finished_at)}"


def of_clip(row: VoiceClip) -> str:
    tried = f"已领取 {row.claims} 次，最多 {row.max_claims} 次"
    why = f"；上次：{row.last_error}" if row.last_error else ""
    match row.status:
        case VoiceClip.UNHEARD if row.rec_task:
            asked = f"已问 {row.polls} 次，{at(row.available_at)} 再问"
            return f"识别任务 {row.rec_task} 进行中，{asked}；最晚 {at(row.deadline_at)}"
        case VoiceClip.UNHEARD:
            return f"待识别，{at(row.available_at)} 起；{tried}；最晚 {at(row.deadline_at)}{why}"
        case VoiceClip.HEARING:
            return f"识别中：由 {row.owner} 于 {at(row.claimed_at)} 领取；{tried}"
        case VoiceClip.SILENT:
            return "识别过了，里面没有话；已请关注者再说一遍"
        case VoiceClip.FAILED:
            return f"没有识别出来（{row.get_reason_display() or '识别不了'}）：{row.last_error}。已告诉关注者；可以重试"
        case VoiceClip.CANCELLED:
            return f"已取消：{row.last_error}"
    return "已识别" + ("，用的是微信自带的识别" if row.heard_by == VoiceClip.WECHAT else "")


def sound(row: VoiceClip) -> str:
    """Codec and length; the sound itself is kept nowhere."""
    length = f"{row.seconds:.1f} 秒" if row.seconds is not None else ""
    return " · ".join(filter(None, (row.codec, length))) or "—"


def of_outbound(row: OutboundMessage) -> str:
    resent = f"；已另发为 {row.resent_as_id} 号" if row.resent_as_id else ""
    match row.status:
        case OutboundMessage.PENDING if row.waiting:
            return "等关注者开口：窗口已关闭、条数用完或账号不能主动发，下次来信时给出"
        case OutboundMessage.PENDING if row.carried_by_id:
            return f"正并入 {row.carried_by_id} 号一起发"
        case OutboundMessage.PENDING if upstream := needs(row):
            why = f"；上次：{row.last_error}" if row.last_error else ""
            return f"{upstreams.WAITING}：{upstreams.LABELS[upstream]}，恢复后自动发出{why}"
        case OutboundMessage.PENDING:
            why = f"；上次：{row.last_error}" if row.last_error else ""
            return f"待发，{at(row.available_at)} 起；已试 {row.claims} 次，最多 {row.max_claims} 次{why}"
        case OutboundMessage.SENDING:
            return f"发送中：由 {row.owner} 于 {at(row.claimed_at)} 领取"
        case OutboundMessage.UNKNOWN:
            return f"结果不明：也许已送达，不会自动重发。{row.last_error}{resent}"
        case OutboundMessage.FAILED:
            return f"没有送达：{row.last_error}{resent}"
        case OutboundMessage.CANCELLED:
            return f"没有发送：{row.last_error}"
    if row.carried_by_id:
        return f"已并入 {row.carried_by_id} 号，以那一条的结果为准，{at(row.finished_at)}"
    return f"已发，{at(row.finished_at)}{'；' + row.last_error if row.last_error else ''}"
