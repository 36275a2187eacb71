from enum import StrEnum


class Upstream(StrEnum):
    """Each has a breaker and a bucket of its own: a template that was deleted must not stop the answers."""

    LLM = "llm"
    ASR = "asr"
    WECHAT_SEND = "wechat_send"
    WECHAT_TEMPLATE = "wechat_template"
    TOKEN = "token"  # noqa: S105 - a name
    MEDIA = "media"


LABELS = {
    Upstream.LLM: "模型",
    Upstream.ASR: "语音识别",
    Upstream.WECHAT_SEND: "微信客服消息",
    Upstream.WECHAT_TEMPLATE: "微信模板消息",
    Upstream.TOKEN: "微信访问令牌",
    Upstream.MEDIA: "微信素材下载",
}
WAITING = "等待上游恢复"
