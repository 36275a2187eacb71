"""The agent's part of `doctor`: the model, and the seams."""

from collections.abc import Iterator

import requests
from django.conf import settings

from planner.findings import Finding, bad, note, ok


def checks() -> Iterator[Finding]:
    yield from _model()
    yield from _seams()


def _model() -> Iterator[Finding]:
    if not settings.LLM_BASE_URL:
        yield note("model", "LLM_BASE_URL is empty: the rules understand, without a model")
        return
    if not settings.LLM_MODEL:
        yield bad("model", "LLM_MODEL is empty: name the model")
        return
    try:
        headers = {"Authorization": f"Bearer {settings.LLM_API_KEY}"}
        address = settings.LLM_BASE_URL.rstrip("/") + "/models"
        status = requests.get(address, headers=headers, timeout=10, allow_redirects=False).status_code
    except requests.RequestException as error:
        yield bad("model", f"does not answer ({type(error).__name__}): is LLM_BASE_URL right (with /v1)?")
        return
    if status in (401, 403):
        yield bad("model", f"refuses the key (HTTP {status}): check LLM_API_KEY")
    else:
        yield ok("model", f"answers (HTTP {status}), {settings.LLM_MODEL}")


def _seams() -> Iterator[Finding]:
    for name in ("AGENT_URL", "TOOLS_URL"):
        if not (base := getattr(settings, name)):
            continue
        if not settings.INTERNAL_TOKEN:
            yield bad(name, "is set, but INTERNAL_TOKEN is not: both sides need the same token")
            continue
        try:
            headers = {"Authorization": f"Bearer {settings.INTERNAL_TOKEN}"}
            status = requests.get(f"{base}/tools/", headers=headers, timeout=5, allow_redirects=False).status_code
        except requests.RequestException as error:
            yield bad(name, f"does not answer ({type(error).__name__})")
            continue
        words = {200: "answers", 401: "refuses INTERNAL_TOKEN: it must be the same there", 404: "has no INTERNAL_TOKEN"}
        yield (ok if status == 200 else bad)(name, words.get(status, f"answers HTTP {status}"))
