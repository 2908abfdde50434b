INSERT INTO "audit_head" ("id", "seq", "hash") VALUES (1, 0, decode(repeat('00', 32), 'hex'));--> statement-breakpoint
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();--> statement-breakpoint
CREATE TRIGGER "audit_head_kept" BEFORE DELETE OR TRUNCATE ON "audit_head"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();
