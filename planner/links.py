"""Signed links: a follower's key to his own plan, for a day. Nothing is stored; a SECRET_KEY that is changed
without SECRET_KEY_FALLBACKS ends them all."""

from django.core import signing

SALT = "planner.plan"
SECONDS = 24 * 3600


def plan_key(follower_id: int) -> str:
    return signing.TimestampSigner(salt=SALT).sign(str(follower_id))


def follower_of(key: str) -> int | None:
    """None for a forged, changed or expired key."""
    try:
        return int(signing.TimestampSigner(salt=SALT).unsign(key, max_age=SECONDS))
    except (signing.BadSignature, ValueError):
        return None
