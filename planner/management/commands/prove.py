"""`manage.py prove`: kill it everywhere, and show that nothing is lost or doubled (docs/proof.md).

The proof brings servers and settings of its own, so it runs in a process that has read none.
"""

import os
import subprocess
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand


class Command(BaseCommand):
    help = "Kills, stops and cuts the product at every commit and call, on private servers, and judges what is left."
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        """Its options are the proof's own."""
        self.handle(arguments=argv[2:])

    def handle(self, *args: Any, **options: Any) -> None:
        bare = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
        command = [sys.executable, "-m", "tests.crash", *options["arguments"]]
        sys.exit(subprocess.call(command, cwd=settings.BASE_DIR, env=bare))  # noqa: S603 - our own module
