"""`manage.py serve`: the whole service in one process, for a real account on a small machine."""

import argparse
import threading
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from planner.embedded import Home, PortTaken, stop_on_signals

NEEDED = ("WECHAT_APP_ID", "WECHAT_APP_SECRET", "WECHAT_TOKEN")


class Command(BaseCommand):
    help = "Web, worker and clock in one process. WeChat reaches it through a web server or tunnel on port 80 or 443."

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for every address of this machine")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        if missing := [name for name in NEEDED if not getattr(settings, name)]:
            raise CommandError(f"{', '.join(missing)} must be set; .env.example says where to find each")
        stop_on_signals()
        call_command("migrate", verbosity=0)
        try:
            with Home(host=host, port=port) as home:
                self.stdout.write(f"listening on {home.url}, callback {home.url}/wechat/callback; Ctrl-C stops")
                self.stdout.flush()
                threading.Event().wait()
        except PortTaken as error:
            raise CommandError(str(error)) from None
        except KeyboardInterrupt:
            self.stdout.write("stopped")
