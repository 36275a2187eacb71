"""`manage.py demo`: everything in one process, a conversation through the real webhook, then the chat page."""

import argparse
import io
import secrets
import sys
import threading
import time
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from planner.embedded import Home, PortTaken, stop_on_signals
from planner.management.scenes import Player, Scene, Unexpected, words
from webhook.kinds import KINDS, abilities
from webhook.sandbox.phones import Entry
from webhook.sandbox.server import Sandbox

PORT = 8000
HEAD = "日程助手 · 演示（微信是本机的仿真，其余都是产品本身）\n"


class Command(BaseCommand):
    help = "Plays a conversation on this machine, with no key and no server, then serves the chat page."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="end after the conversation; 0 if every line came true")
        parser.add_argument(
            "--account-kind", choices=KINDS, default="service", help="what WeChat lets this account do"
        )
        parser.add_argument("--port", type=int, help=f"for the web page (default: {PORT}, or a free one)")

    def handle(self, *args: Any, once: bool, port: int | None, **options: Any) -> None:
        if not settings.SANDBOX:
            raise CommandError("run it as `python3 manage.py demo`: the settings are made before Django starts")
        stop_on_signals()
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a console that knows no ⏰ still shows the rest
        try:
            self._run(once=once, port=port)
        except KeyboardInterrupt:
            self.stdout.write("\n再见。")

    def _run(self, *, once: bool, port: int | None) -> None:
        self.stdout.write(HEAD)
        call_command("migrate", verbosity=0)
        home = _home(0 if once and port is None else port)
        with _sandbox(home) as sandbox, home:
            if abilities().menu:
                call_command("wechat_menu", stdout=io.StringIO())
            self._play(sandbox)
            if not once:
                self._serve(home)

    def _play(self, sandbox: Sandbox) -> None:
        began, scenes = time.monotonic(), 0
        try:
            for scene, came in Player(sandbox, sandbox.phones.new(), kind=settings.WECHAT_ACCOUNT_KIND).play():
                self._show(scene, came)
                scenes += 1
        except Unexpected as error:
            raise CommandError(f"与预期不符。{error}") from None
        self.stdout.write(f"\n{scenes} 句全部如期，用时 {time.monotonic() - began:.0f} 秒。")

    def _show(self, scene: Scene, came: list[Entry]) -> None:
        """As a chat; the continuation lines of an answer stand below its first."""
        self.stdout.write(self.style.HTTP_INFO(f"— {scene.why}"))
        if scene.says:
            self.stdout.write(f"  你    {scene.says}")
        self.stdout.write("  助手  " + words(came).replace("\n", "\n        "))
        self.stdout.flush()

    def _serve(self, home: Home) -> None:
        password = secrets.token_urlsafe(9)
        get_user_model().objects.create_superuser("admin", password=password)
        self.stdout.write(f"\n聊天页面  {home.url}/sandbox/")
        self.stdout.write(f"运营后台  {home.url}/admin/  用户名 admin，密码 {password}（只显示这一次）\n按 Ctrl-C 结束")
        self.stdout.flush()
        threading.Event().wait()


def _home(port: int | None) -> Home:
    """The port that was asked for; unasked, 8000 or any free one."""
    try:
        return Home(host="127.0.0.1", port=PORT if port is None else port)
    except PortTaken as error:
        if port is not None:
            raise CommandError(str(error)) from None
        return Home(host="127.0.0.1", port=0)


def _sandbox(home: Home) -> Sandbox:
    return Sandbox(
        callback=f"{home.url}/wechat/callback",
        token=settings.WECHAT_TOKEN,
        app_id=settings.WECHAT_APP_ID,
        secret=settings.WECHAT_APP_SECRET,
        kind=settings.WECHAT_ACCOUNT_KIND,
        port=int(settings.WECHAT_API_BASE.rpartition(":")[2]),
    )
