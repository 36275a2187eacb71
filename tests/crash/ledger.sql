-- The transition log: what each transaction did to each row, and which process it was. Only the proof's database has it.
CREATE TABLE proof_log (
    seq bigserial PRIMARY KEY, at timestamptz, txid text, actor text, machine text, row_id bigint,
    was jsonb, "is" jsonb, batch jsonb);
CREATE FUNCTION proof_note() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE was jsonb; now jsonb; held jsonb; owner_of bigint;
BEGIN
    IF TG_OP <> 'INSERT' THEN was := to_jsonb(OLD); END IF;
    IF TG_OP <> 'DELETE' THEN now := to_jsonb(NEW); END IF;
    owner_of := CASE WHEN TG_TABLE_NAME IN ('planner_operationresult', 'webhook_outboundmessage')
        THEN (coalesce(now, was) ->> 'batch_id')::bigint END;
    IF owner_of IS NOT NULL AND TG_OP = 'INSERT' THEN
        SELECT jsonb_build_object('status', b.status, 'claim_no', b.claim_no) INTO held
        FROM webhook_batch b WHERE b.id = owner_of;
    END IF;
    INSERT INTO proof_log (at, txid, actor, machine, row_id, was, "is", batch)
    VALUES (app_now(), pg_current_xact_id()::text, current_setting('application_name'),
        regexp_replace(TG_TABLE_NAME, '^[a-z]+_', ''), (coalesce(now, was) ->> 'id')::bigint, was, now, held);
    RETURN NULL;
END $$;
