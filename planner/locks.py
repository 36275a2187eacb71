"""One thing after the other for one follower."""

from planner import sql


def lock_follower(pk: int) -> None:
    """Until commit: what is counted, decided and settled for him waits for its turn."""
    sql.row("SELECT 1 FROM planner_follower WHERE id = %s FOR NO KEY UPDATE", (pk,))
