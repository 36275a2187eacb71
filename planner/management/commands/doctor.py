from importlib import import_module
from typing import Any

from django.core.management.base import BaseCommand

from planner.findings import Finding, Level

APPS = ("planner", "webhook", "agent", "reminders", "transcription")
MARKS = {Level.OK: "✓", Level.NOTE: "·", Level.BAD: "✗"}


class Command(BaseCommand):
    help = "Checks this installation and says in plain words what is missing or wrong. Exit 1 if it could not work."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        findings: list[Finding] = [found for app in APPS for found in import_module(f"{app}.checks").checks()]
        for found in findings:
            self.stdout.write(f"{MARKS[found.level]} {found.subject}: {found.text}")
        wrong = [found for found in findings if found.level is Level.BAD]
        if wrong:
            self.stderr.write(f"{len(wrong)} to mend before this can work")
            raise SystemExit(1)
        self.stdout.write("this installation can work")
