"""Voice's part of `doctor`."""

from collections.abc import Iterator

from planner.findings import Finding, note


def checks() -> Iterator[Finding]:
    yield note("voice", "voice messages are answered with a request to type: this version does not transcribe")
