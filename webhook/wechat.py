"""WeChat's API, behind one thin adapter over wechatpy: what we call, and what its answers mean.

The one table of this upstream: ANSWERS. A non-zero code means that nothing was done, -1 being "busy"; only what was cut
off after the request left is unknown. No retry, no redirect and no connection reuse here: a send leaves once.
"""

import json
import re
import ssl
from typing import Any

import requests
from django.conf import settings
from wechatpy import WeChatClient
from wechatpy.exceptions import WeChatClientException

from planner import upstreams
from planner.errors import Effect, Failure, Retry
from planner.http import beneath, not_connected
from planner.upstreams import Upstream
from webhook.plain import is_number

SEND_TEXT, SEND_TEMPLATE = "message/custom/send", "message/template/send"
SENDS = (SEND_TEXT, SEND_TEMPLATE)  # their success is errcode 0, nothing less
BUSY = -1
TOKEN_CODES = (40001, 40014, 42001, 41001)
CLOSED_CODES = (45015, 45047)
GONE_CODES = (43004, 50005)
REFUSED_CODES = (43101, 48002)
SECRET_CODES = (40013, 40125, 40243, 41002, 41004)
ADDRESS_CODES = (40164, 61004, 89503, 89506, 89507)
SICK_CODES = (BUSY, 45011)  # WeChat's own trouble, or too much of ours for one account; the rest is an answer
# The template, its values or the right to send it: what the customer message would still say.
TEMPLATE_CODES = (40036, 40037, 40200, 40246, 40247, 40249, 43116, 45026, 45027, 47003, 48001)
OUR_FAULTS = (
    *(40002, 40004, 40007, 40008, 40029, 40033, 40039, 40163, 42003, 42007, 43002, 43003, 44002, 44004, 45001),
    *(45003, 45004, 45005, 45006, 45007, 45008, 45065, 45066, 45067, 45072, 45080, 45081, 46001, 46004, 47001, 48006),
    *(48008, 87009),
)

ANSWERS: dict[int, tuple[Retry, str]] = {
    BUSY: (Retry.LATER, "微信系统繁忙"),
    **dict.fromkeys(TOKEN_CODES, (Retry.NOW, "访问令牌失效")),
    45015: (Retry.USER, "超出 48 小时窗口"),
    45047: (Retry.USER, "客服消息条数已用完"),
    43004: (Retry.USER, "用户未关注"),
    50005: (Retry.USER, "用户未关注"),
    43101: (Retry.USER, "用户拒收"),
    48002: (Retry.USER, "用户关闭了接收消息"),
    43019: (Retry.NEVER, "用户在黑名单中"),
    50002: (Retry.NEVER, "用户受限"),
    70000: (Retry.NEVER, "未成年人保护模式拦截"),
    40003: (Retry.NEVER, "openid 无效"),
    45002: (Retry.NEVER, "内容超长"),
    **dict.fromkeys(OUR_FAULTS, (Retry.NEVER, "请求不合规")),
    47003: (Retry.NEVER, "模板参数不合规"),
    40249: (Retry.NEVER, "模板内容被判为营销"),
    40241: (Retry.LATER, "60 秒内内容重复"),
    43117: (Retry.LATER, "对该用户发送过于频繁"),
    45011: (Retry.LATER, "接口调用太频繁"),
    45009: (Retry.QUOTA, "当日接口额度已用完"),
    **dict.fromkeys(SECRET_CODES, (Retry.OPERATOR, "AppID 或 AppSecret 不对")),
    **dict.fromkeys(ADDRESS_CODES, (Retry.OPERATOR, "服务器 IP 不在白名单")),
    **dict.fromkeys((40036, 40037, 40246, 40247, 43116, 45026, 45027), (Retry.OPERATOR, "模板不存在或不属于该账号")),
    **dict.fromkeys((48001, 48003, 40200), (Retry.OPERATOR, "该账号没有此接口权限")),
    **dict.fromkeys((48004, 50004, 50007), (Retry.OPERATOR, "接口或账号被封禁")),
    65400: (Retry.OPERATOR, "客服功能未开通"),
}  # fmt: skip
WAITS = {45011: 60.0, 43117: 300.0, 40241: 60.0}  # the least wait before another try, where the code implies one
OPERATOR_SECONDS = 60.0
TOKEN_LIMIT = 1024
_IP = re.compile(r"\bip ([0-9a-fA-F.:]{2,45})\b")


def classify(code: int, message: str) -> Failure:
    """A non-zero errcode. An unlisted one is never repeated, and may have been done.

    What a person must mend is `down`: no fault of this message, and once it is mended everything travels.
    """
    rid = message.rpartition("rid: ")[2].strip()[:40] if "rid:" in message else ""
    retry, reason = ANSWERS.get(code, (Retry.NEVER, "未知的返回码"))
    effect = Effect.NONE if code in ANSWERS else Effect.UNKNOWN
    if code == BUSY and settings.WECHAT_BUSY_IS_UNKNOWN:
        effect = Effect.UNKNOWN
    detail = f"{code} {reason}" + _address(code, message) + (f" rid={rid}" if rid else "")
    wait = OPERATOR_SECONDS if retry is Retry.OPERATOR else WAITS.get(code)
    down, sick = retry is Retry.OPERATOR, code in SICK_CODES
    return Failure(detail, retry=retry, effect=effect, code=str(code), retry_after=wait, down=down, sick=sick)


def _address(code: int, message: str) -> str:
    """Which address WeChat saw: what the operator has to enter there."""
    found = _IP.search(message) if code in ADDRESS_CODES else None
    return f"（{found.group(1)}）" if found else ""


def transport(error: requests.RequestException) -> Failure:
    """Only what failed before a connection stood is surely not done. The error's own text holds address and token."""
    # Other TLS errors may come after the request has left.
    untrusted = any(isinstance(arg, ssl.SSLCertVerificationError) for arg in getattr(beneath(error), "args", ()))
    if untrusted or not_connected(error):
        return Failure("连接不上微信", retry=Retry.LATER, effect=Effect.NONE, code="connect", down=True)
    name = type(error).__name__
    return _unknown(f"请求发出后没有得到答复（{name}）", code="no_answer")


class _Client(WeChatClient):  # type: ignore[misc]
    """wechatpy without its own retry and token fetch: both would act behind the ledger's back."""

    def __init__(self, token: str) -> None:
        self.bearer = token
        super().__init__(
            settings.WECHAT_APP_ID,
            "",
            timeout=(settings.WECHAT_CONNECT_SECONDS, settings.WECHAT_READ_SECONDS),
            auto_retry=False,
        )
        self.API_BASE_URL = settings.WECHAT_API_BASE + "/cgi-bin/"
        self._http.headers["Connection"] = "close"
        self._http.trust_env = False

    @property
    def access_token(self) -> str:
        return self.bearer


class WeChat:
    """The calls. Each raises Failure, and nothing else, for every answer that is no success.

    A connection of its own for each: on a kept one that the other side is about to close, a request is lost without
    anybody knowing whether it arrived. The header alone does not prevent it, for a server need not repeat it.
    """

    def _call(self, token: str, path: str, data: dict[str, Any] | None = None) -> dict[str, Any]:
        """POST with data, else GET."""
        upstream = Upstream.WECHAT_TEMPLATE if path.startswith("message/template/") else Upstream.WECHAT_SEND
        with upstreams.calling(upstream, seconds=settings.WECHAT_CONNECT_SECONDS + settings.WECHAT_READ_SECONDS):
            return self._request(token, path, data)

    def _request(self, token: str, path: str, data: dict[str, Any] | None) -> dict[str, Any]:
        client = _Client(token)
        try:
            method = "get" if data is None else "post"
            answer = getattr(client, method)(path, data=data, allow_redirects=False)
        except WeChatClientException as error:
            raise _of_exception(error) from None
        except requests.RequestException as error:
            raise transport(error) from None
        except (ValueError, TypeError, KeyError):  # an errcode that is no number
            raise _garbage() from None
        finally:
            client._http.close()
        if not isinstance(answer, dict) or answer.get("errcode", None if path in SENDS else 0) != 0:
            raise _garbage()
        return answer

    def send_text(self, token: str, openid: str, text: str) -> None:
        """Customer message: no key, no receipt."""
        self._call(token, SEND_TEXT, {"touser": openid, "msgtype": "text", "text": {"content": text}})

    def send_template(
        self, token: str, openid: str, *, template_id: str, fields: dict[str, str], client_msg_id: str
    ) -> int:
        """Returns WeChat's msgid. The same client_msg_id is sent once to one openid within 10 minutes."""
        data = {
            "touser": openid,
            "template_id": template_id,
            "client_msg_id": client_msg_id,
            "data": {key: {"value": value} for key, value in fields.items()},
        }
        msgid = str(self._call(token, SEND_TEMPLATE, data).get("msgid", ""))
        return int(msgid) if is_number(msgid, digits=19) else 0

    def create_menu(self, token: str, menu: dict[str, Any]) -> None:
        """Replaces the account's menu. Beside the breakers: an account without this right may well send."""
        self._request(token, "menu/create", menu)

    def templates(self, token: str) -> dict[str, str]:
        """The account's templates: id → content, in which each field stands as {{key.DATA}}."""
        found = self._call(token, "template/get_all_private_template").get("template_list", [])
        return {entry["template_id"]: str(entry.get("content", "")) for entry in found}

    def fetch_token(self, *, force: bool) -> tuple[str, float]:
        """stable_token: the current token and its seconds of life. Reading it twice is harmless."""
        seconds = settings.WECHAT_CONNECT_SECONDS + settings.WECHAT_READ_SECONDS
        with upstreams.calling(Upstream.TOKEN, seconds=seconds):
            return self._stable_token(force=force)

    def _stable_token(self, *, force: bool) -> tuple[str, float]:
        body = {
            "grant_type": "client_credential",
            "appid": settings.WECHAT_APP_ID,
            "secret": settings.WECHAT_APP_SECRET,
            "force_refresh": force,
        }
        timeout = (settings.WECHAT_CONNECT_SECONDS, settings.WECHAT_READ_SECONDS)
        url = settings.WECHAT_API_BASE + "/cgi-bin/stable_token"
        try:
            with requests.Session() as session:
                session.trust_env = False
                response = session.post(url, json=body, timeout=timeout, allow_redirects=False)
            if response.status_code != 200:
                raise token_down(f"取不到访问令牌：HTTP {response.status_code}")
            return _token_in(json.loads(response.content))
        except requests.RequestException:
            raise token_down("取不到访问令牌：连接不上微信") from None
        except (ValueError, TypeError, AttributeError, KeyError):
            raise token_down("取不到访问令牌：答复无法解析") from None


def _of_exception(error: WeChatClientException) -> Failure:
    if error.errcode is None:
        status = getattr(error.response, "status_code", 0)
        return _unknown(f"微信返回 HTTP {status}", code=f"http_{status}")
    return classify(int(error.errcode), str(error.errmsg))


def _garbage() -> Failure:
    return _unknown("微信的答复无法解析", code="garbage")


def _unknown(reason: str, *, code: str) -> Failure:
    """Perhaps done; and whoever answers like this is not well."""
    return Failure(reason, retry=Retry.NEVER, effect=Effect.UNKNOWN, code=code, sick=True)


def _token_failure(code: int, message: str) -> Failure:
    """On the token call 40001 is a wrong secret, not an old token; whatever failed, no message was sent."""
    found = classify(code, message)
    wrong_secret = code in TOKEN_CODES
    retry = Retry.OPERATOR if wrong_secret or found.retry in (Retry.OPERATOR, Retry.NEVER) else Retry.LATER
    reason = f"取不到访问令牌：{code} AppSecret 不对" if wrong_secret else f"取不到访问令牌：{found.reason}"
    wait = OPERATOR_SECONDS if retry is Retry.OPERATOR else found.retry_after
    return Failure(
        reason, retry=retry, effect=Effect.NONE, code=str(code), upstream="token", down=True, retry_after=wait
    )


def _token_in(answer: dict[str, Any]) -> tuple[str, float]:
    """Raises ValueError, TypeError, AttributeError or KeyError for what is no answer of WeChat's."""
    token = answer.get("access_token")
    if isinstance(token, str) and 0 < len(token) <= TOKEN_LIMIT:
        return token, max(0.0, min(7200.0, float(answer.get("expires_in", 0))))
    raise _token_failure(int(answer["errcode"]), str(answer.get("errmsg", "")))


def token_down(reason: str, *, retry_after: float | None = None) -> Failure:
    """No token now, and no message sent: the work is given back without counting."""
    return Failure(
        reason,
        retry=Retry.LATER,
        effect=Effect.NONE,
        code="token",
        retry_after=retry_after,
        down=True,
        upstream="token",
    )
