INSERT INTO "audit_head" ("id", "seq", "hash") VALUES (1, 0, decode(repeat('00', 32), 'hex'));--> statement-breakpoint
CREATE FUNCTION "refuse_audit_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege';
END
$$;--> statement-breakpoint
CREATE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();--> statement-breakpoint
CREATE TRIGGER "audit_head_kept" BEFORE DELETE OR TRUNCATE ON "audit_head"
	FOR EACH STATEMENT EXECUTE FUNCTION "refuse_audit_change"();--> statement-breakpoint
CREATE FUNCTION "link_audit_row"() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
	-- Whoever may call a function may put it on a table of their own, such as a temporary one.
	IF TG_RELID <> 'public.audit_log'::regclass THEN
		RAISE EXCEPTION 'only the audit log moves its end' USING ERRCODE = 'insufficient_privilege';
	END IF;
	UPDATE public.audit_head SET seq = NEW.seq, hash = NEW.hash WHERE seq = NEW.seq - 1 AND hash = NEW.previous_hash;
	IF NOT FOUND THEN
		RAISE EXCEPTION 'an audit row follows the last one' USING ERRCODE = 'integrity_constraint_violation';
	END IF;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "audit_log_linked" AFTER INSERT ON "audit_log"
	FOR EACH ROW EXECUTE FUNCTION "link_audit_row"();--> statement-breakpoint
-- Unique by their hashes of four bytes each, which take a third of the room of an index of whole signatures.
ALTER TABLE "trades" ADD CONSTRAINT "trades_tx_signature" EXCLUDE USING hash ("tx_signature" WITH =);--> statement-breakpoint
ALTER TABLE "treasury_transactions" ADD CONSTRAINT "treasury_transactions_tx_signature" EXCLUDE USING hash ("tx_signature" WITH =);--> statement-breakpoint
CREATE VIEW "treasury_movements" AS
	SELECT moved."tx_signature", numbered."account", numbered."role", moved."slot", one."change", coalesce(one."due", one."change") AS "due",
		coalesce(one."by_admin", 0) AS "by_admin", coalesce(one."dust", false) AS "dust", moved."created_at"
	FROM "treasury_transactions" moved
		CROSS JOIN LATERAL unnest(moved."accounts", moved."changes", moved."dues", moved."by_admin", moved."dust")
			AS one ("account_id", "change", "due", "by_admin", "dust")
		JOIN "treasury_accounts" numbered ON numbered."id" = one."account_id";
