"""Messages, batches and sends, for operators: a batch on one page, and the buttons for what waits for a person."""

from webhook.admin import batch, ledger, messages, outbound

__all__ = ["batch", "ledger", "messages", "outbound"]
