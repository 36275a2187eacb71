"""Messages, batches and sends, for operators: a batch on one page, and the buttons for what waits for a person."""

from webhook.admin import batch, clip, erasure, ledger, messages, outbound

__all__ = ["batch", "clip", "erasure", "ledger", "messages", "outbound"]
