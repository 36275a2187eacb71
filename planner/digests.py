"""Keyed hashes: what stands in for an openid where the openid itself must not be kept."""

from django.conf import settings
from django.utils.crypto import salted_hmac


def digests(purpose: str, *parts: str) -> list[str]:
    """HMAC-SHA-256 under the current SECRET_KEY first, then under each one that is being rotated out."""
    value = "\x00".join(parts)
    keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return [salted_hmac(f"planner.{purpose}", value, secret=key, algorithm="sha256").hexdigest() for key in keys]
