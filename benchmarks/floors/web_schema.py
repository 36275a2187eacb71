"""The floor's tables."""

CREATE = """
    CREATE TABLE floor_message (id bigserial PRIMARY KEY, key text UNIQUE NOT NULL, follower text NOT NULL,
        kind text NOT NULL, body text NOT NULL, answer text NOT NULL DEFAULT '', sent_at timestamptz NOT NULL,
        trace_id uuid NOT NULL DEFAULT gen_random_uuid(), created_at timestamptz NOT NULL DEFAULT now());
    CREATE TABLE floor_batch (follower text PRIMARY KEY, available_at timestamptz NOT NULL, messages int NOT NULL);
    INSERT INTO floor_batch
        SELECT 'o-follower-' || lpad(n::text, 16, '0'), now(), 0 FROM generate_series(0, 999) n;
"""
