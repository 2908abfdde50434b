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
CREATE FUNCTION "keep_reserve_statement"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'countersignatures' = to_jsonb(OLD) - 'countersignatures' THEN
		RETURN NEW;
	END IF;
	RAISE EXCEPTION 'a statement of the reserves never changes' USING ERRCODE = 'insufficient_privilege';
END
$$;--> statement-breakpoint
CREATE TRIGGER "reserve_statements_kept" BEFORE UPDATE OR DELETE ON "reserve_statements"
	FOR EACH ROW EXECUTE FUNCTION "keep_reserve_statement"();--> statement-breakpoint
CREATE TRIGGER "reserve_statements_not_emptied" BEFORE TRUNCATE ON "reserve_statements"
	FOR EACH STATEMENT EXECUTE FUNCTION "keep_reserve_statement"();--> statement-breakpoint
CREATE FUNCTION "keep_paper"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'a paper never changes' USING ERRCODE = 'insufficient_privilege';
END
$$;--> statement-breakpoint
CREATE TRIGGER "papers_kept" BEFORE UPDATE OR DELETE ON "papers"
	FOR EACH ROW EXECUTE FUNCTION "keep_paper"();--> statement-breakpoint
CREATE TRIGGER "papers_not_emptied" BEFORE TRUNCATE ON "papers"
	FOR EACH STATEMENT EXECUTE FUNCTION "keep_paper"();--> statement-breakpoint
-- Unique by their hashes of four bytes each, which take a third of the room of an index of whole signatures.
ALTER TABLE "trades" ADD CONSTRAINT "trades_tx_signature" EXCLUDE USING hash ("tx_signature" WITH =) WITH (fillfactor = 100);--> statement-breakpoint
ALTER TABLE "chain_effects" ADD CONSTRAINT "chain_effects_moved" EXCLUDE USING hash ("tx_signature" WITH =) WITH (fillfactor = 100)
	WHERE ("changes" IS NOT NULL);--> statement-breakpoint
CREATE VIEW "program_events" AS
	SELECT "partner_id", "seq", "kind", "tx_signature", "slot", "service_signers", "created_at" FROM "chain_effects" WHERE "seq" IS NOT NULL;--> statement-breakpoint
CREATE VIEW "treasury_movements" AS
	SELECT moved."tx_signature", numbered."account", numbered."role", moved."slot", moved."changes"[numbered."id"] AS "change",
		coalesce(moved."dues"[numbered."id"], moved."changes"[numbered."id"]) AS "due",
		coalesce(moved."by_admin"[numbered."id"], 0) AS "by_admin", coalesce(moved."dust"[numbered."id"], false) AS "dust", moved."created_at"
	FROM "chain_effects" moved JOIN "treasury_accounts" numbered ON moved."changes"[numbered."id"] IS NOT NULL
	WHERE moved."changes" IS NOT NULL;--> statement-breakpoint
-- Where a bar may go, as domain/bar.ts has it: for every writer.
CREATE FUNCTION "keep_bar_moves"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF TG_OP = 'INSERT' THEN
		IF NEW.status <> 'in_stock' THEN
			RAISE EXCEPTION 'a bar begins in stock' USING ERRCODE = 'integrity_constraint_violation';
		END IF;
	ELSIF TG_OP = 'DELETE' THEN
		RAISE EXCEPTION 'bars are never deleted' USING ERRCODE = 'integrity_constraint_violation';
	ELSIF (NEW.id, NEW.serial, NEW.refiner) IS DISTINCT FROM (OLD.id, OLD.serial, OLD.refiner) THEN
		RAISE EXCEPTION 'a bar keeps its serial and refiner' USING ERRCODE = 'integrity_constraint_violation';
	ELSIF (OLD.status, NEW.status) NOT IN (('in_stock', 'in_stock'), ('in_stock', 'reserved'), ('in_stock', 'withdrawn'),
		('reserved', 'in_stock'), ('reserved', 'handed_over')) THEN
		RAISE EXCEPTION 'a bar that is % does not become %', OLD.status, NEW.status USING ERRCODE = 'integrity_constraint_violation';
	ELSIF NEW.status = 'handed_over' AND NEW.redemption_id <> OLD.redemption_id THEN
		RAISE EXCEPTION 'a bar is handed over for whom it was reserved' USING ERRCODE = 'integrity_constraint_violation';
	END IF;
	RETURN coalesce(NEW, OLD);
END
$$;--> statement-breakpoint
CREATE TRIGGER "bars_moves" BEFORE INSERT OR UPDATE OR DELETE ON "bars"
	FOR EACH ROW EXECUTE FUNCTION "keep_bar_moves"();--> statement-breakpoint
-- No gold is ready, or handed out, without a bar: of its denomination, in its city. Seen when the transaction ends, in whichever
-- order it wrote the two.
CREATE FUNCTION "require_bar"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT FROM public.bars b WHERE b.redemption_id = NEW.id AND b.denomination_id = NEW.denomination_id
		AND b.city_key = NEW.city_key AND (NEW.status = 'ready' OR b.status = 'handed_over'))
	THEN
		RAISE EXCEPTION 'a redemption that is % has its bar', NEW.status USING ERRCODE = 'integrity_constraint_violation';
	END IF;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE CONSTRAINT TRIGGER "redemptions_bar" AFTER INSERT OR UPDATE OF "status" ON "redemptions"
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.status IN ('ready', 'collected')) EXECUTE FUNCTION "require_bar"();--> statement-breakpoint
-- What drizzle has made as one table, in parts by month.
ALTER TABLE "events" RENAME TO "events_whole";--> statement-breakpoint
CREATE TABLE "events" (LIKE "events_whole" INCLUDING ALL) PARTITION BY RANGE ("created_at");--> statement-breakpoint
DROP TABLE "events_whole";--> statement-breakpoint
-- Takes what lies outside of every month that is there, so that no event is ever refused.
CREATE TABLE "events_default" PARTITION OF "events" DEFAULT;--> statement-breakpoint
-- Unique in each month: an index of all of them would have to name what partitions them.
CREATE UNIQUE INDEX "events_default_number" ON "events_default" (uuid_hash_extended("partner_id", 0), "sequence");--> statement-breakpoint
-- The requests of partners, in parts by day.
ALTER TABLE "request_log" RENAME TO "request_log_whole";--> statement-breakpoint
CREATE TABLE "request_log" (LIKE "request_log_whole" INCLUDING ALL) PARTITION BY RANGE ("created_at");--> statement-breakpoint
DROP TABLE "request_log_whole";--> statement-breakpoint
-- Takes what lies outside of every day that is there, likewise.
CREATE TABLE "request_log_default" PARTITION OF "request_log" DEFAULT;--> statement-breakpoint
-- Makes the part of a log for now and the next two, and drops those with nothing since a time: "events" by month, "request_log"
-- by day. Those who may call it make and drop no other table.
CREATE FUNCTION "keep_partitions"("log" text, "at" timestamptz, "kept_since" timestamptz) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET lock_timeout = '2s' AS $$
DECLARE
	unit text := CASE log WHEN 'events' THEN 'month' WHEN 'request_log' THEN 'day' END;
	form text := CASE unit WHEN 'month' THEN 'YYYY_MM' WHEN 'day' THEN 'YYYY_MM_DD' END;
	digits text := regexp_replace(form, '[A-Z]', '[0-9]', 'g');
	span interval := ('1 ' || unit)::interval;
	since timestamptz := date_trunc(unit, at);
	part text;
	old record;
	granted record;
BEGIN
	IF unit IS NULL THEN
		RAISE EXCEPTION '% is no log', log USING ERRCODE = 'invalid_parameter_value';
	END IF;
	-- Those who come at the same time wait here, and then find nothing to do.
	PERFORM pg_advisory_xact_lock(('public.' || log)::regclass::oid::bigint);
	FOR ahead IN 0..2 LOOP
		part := log || '_' || to_char(since, form);
		IF to_regclass('public.' || part) IS NULL THEN
			EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL)', part, log);
			IF log = 'events' THEN
				EXECUTE format('CREATE UNIQUE INDEX %I ON public.%I (uuid_hash_extended(partner_id, 0), sequence)', part || '_number', part);
			END IF;
			EXECUTE format('WITH moved AS (DELETE FROM public.%I WHERE created_at >= %L AND created_at < %L RETURNING *) INSERT INTO public.%I SELECT * FROM moved',
				log || '_default', since, since + span, part);
			EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', log, part, since, since + span);
			-- Rights on the whole do not reach a part that is read by itself, as a dump does.
			FOR granted IN SELECT a.privilege_type, a.grantee::regrole FROM pg_class c, aclexplode(c.relacl) a
				WHERE c.oid = ('public.' || log)::regclass AND a.grantee NOT IN (0, c.relowner)
			LOOP
				EXECUTE format('GRANT %s ON public.%I TO %s', granted.privilege_type, part, granted.grantee);
			END LOOP;
		END IF;
		since := since + span;
	END LOOP;
	FOR old IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
		WHERE i.inhparent = ('public.' || log)::regclass AND c.relname ~ ('^' || log || '_' || digits || '$')
			AND to_date(right(c.relname, length(form)), form) + span <= kept_since
	LOOP
		EXECUTE format('DROP TABLE public.%I', old.relname);
	END LOOP;
	EXECUTE format('DELETE FROM public.%I WHERE created_at < %L', log || '_default', kept_since);
END
$$;--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION "keep_partitions" FROM PUBLIC;--> statement-breakpoint
SELECT keep_partitions('events', now(), now() - interval '90 days'), keep_partitions('request_log', now(), now() - interval '7 days');--> statement-breakpoint
-- Names what has changed to those who follow it: kind and id of each object, a line each, and nothing else. Not for events,
-- which are written all the time: transactions that notify commit one after the other.
CREATE FUNCTION "notify_changes"("named" text[]) RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
	-- A notification has less than 8,000 bytes.
	SELECT pg_notify('karat_changes', string_agg(name, E'\n'))
	FROM (SELECT name, row_number() OVER () / 50 AS part FROM (SELECT DISTINCT left(name, 150) AS name FROM unnest(named) AS name) AS once) AS parts
	GROUP BY part
$$;--> statement-breakpoint
CREATE FUNCTION "notify_audit_rows"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- A row without before and after is a read, which changed nothing: a reader that followed it would read in a loop.
	PERFORM notify_changes(array_agg('audit ' || seq)
		|| coalesce(array_agg(object_type || ' ' || object_id) FILTER (WHERE before IS NOT NULL OR after IS NOT NULL), '{}')) FROM news;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "audit_log_notified" AFTER INSERT ON "audit_log" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "notify_audit_rows"();--> statement-breakpoint
CREATE FUNCTION "notify_dead_letters"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM notify_changes(array_agg('dead_letter ' || id)) FROM news;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "dead_letters_written" AFTER INSERT ON "dead_letters" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "notify_dead_letters"();--> statement-breakpoint
CREATE TRIGGER "dead_letters_changed" AFTER UPDATE ON "dead_letters" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "notify_dead_letters"();--> statement-breakpoint
-- What failed, expired or lapsed stays so, as the tables in domain/ have it: for every writer.
CREATE FUNCTION "keep_end"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'what is % does not become %', OLD.status, NEW.status USING ERRCODE = 'integrity_constraint_violation';
END
$$;--> statement-breakpoint
CREATE TRIGGER "redemptions_end" BEFORE UPDATE OF "status" ON "redemptions"
	FOR EACH ROW WHEN (OLD.status IN ('failed', 'lapsed') AND NEW.status <> OLD.status) EXECUTE FUNCTION "keep_end"();--> statement-breakpoint
CREATE TRIGGER "orders_end" BEFORE UPDATE OF "status" ON "orders"
	FOR EACH ROW WHEN (OLD.status IN ('failed', 'expired') AND NEW.status <> OLD.status) EXECUTE FUNCTION "keep_end"();--> statement-breakpoint
CREATE TRIGGER "submissions_end" BEFORE UPDATE OF "status" ON "submissions"
	FOR EACH ROW WHEN (OLD.status IN ('landed', 'expired') AND NEW.status <> OLD.status) EXECUTE FUNCTION "keep_end"();--> statement-breakpoint
CREATE TRIGGER "operator_transactions_end" BEFORE UPDATE OF "status" ON "operator_transactions"
	FOR EACH ROW WHEN (OLD.status IN ('failed', 'expired') AND NEW.status <> OLD.status) EXECUTE FUNCTION "keep_end"();--> statement-breakpoint
-- What lands is watched until it is final, whatever writes it: a record that has landed and is not among those is final. One
-- that failed is recorded from the finalized chain, so it is final at once. The trigger's argument is the kind of record.
CREATE FUNCTION "watch_landed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO unfinalized (id, slot, landed_at, check_at, kind, tx_signature)
		SELECT id, slot, coalesce(updated_at, created_at), coalesce(updated_at, created_at) + interval '12 seconds', TG_ARGV[0]::watched_record, tx_signature
		FROM news WHERE slot IS NOT NULL AND status <> 'failed'
	ON CONFLICT (id, kind) DO UPDATE SET slot = EXCLUDED.slot, landed_at = EXCLUDED.landed_at, check_at = EXCLUDED.check_at,
		tx_signature = EXCLUDED.tx_signature;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE FUNCTION "watch_moved"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	DELETE FROM unfinalized WHERE id = OLD.id AND kind = TG_ARGV[0]::watched_record;
	IF TG_OP = 'UPDATE' AND NEW.slot IS NOT NULL AND NEW.status <> 'failed' THEN
		INSERT INTO unfinalized (id, slot, landed_at, check_at, kind, tx_signature)
			VALUES (NEW.id, NEW.slot, coalesce(NEW.updated_at, NEW.created_at), coalesce(NEW.updated_at, NEW.created_at) + interval '12 seconds',
				TG_ARGV[0]::watched_record, NEW.tx_signature);
	END IF;
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "trades_landed" AFTER INSERT ON "trades" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "watch_landed"('trade');--> statement-breakpoint
CREATE TRIGGER "trades_moved" AFTER UPDATE ON "trades"
	FOR EACH ROW WHEN ((OLD.slot, OLD.tx_signature, OLD.status = 'failed') IS DISTINCT FROM (NEW.slot, NEW.tx_signature, NEW.status = 'failed'))
	EXECUTE FUNCTION "watch_moved"('trade');--> statement-breakpoint
CREATE TRIGGER "trades_gone" AFTER DELETE ON "trades"
	FOR EACH ROW WHEN (OLD.slot IS NOT NULL) EXECUTE FUNCTION "watch_moved"('trade');--> statement-breakpoint
CREATE TRIGGER "redemptions_landed" AFTER INSERT ON "redemptions" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "watch_landed"('redemption');--> statement-breakpoint
CREATE TRIGGER "redemptions_moved" AFTER UPDATE ON "redemptions"
	FOR EACH ROW WHEN ((OLD.slot, OLD.tx_signature, OLD.status = 'failed') IS DISTINCT FROM (NEW.slot, NEW.tx_signature, NEW.status = 'failed'))
	EXECUTE FUNCTION "watch_moved"('redemption');--> statement-breakpoint
CREATE TRIGGER "redemptions_gone" AFTER DELETE ON "redemptions"
	FOR EACH ROW WHEN (OLD.slot IS NOT NULL) EXECUTE FUNCTION "watch_moved"('redemption');--> statement-breakpoint
CREATE TRIGGER "orders_landed" AFTER INSERT ON "orders" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "watch_landed"('order');--> statement-breakpoint
CREATE TRIGGER "orders_moved" AFTER UPDATE ON "orders"
	FOR EACH ROW WHEN ((OLD.slot, OLD.tx_signature, OLD.status = 'failed') IS DISTINCT FROM (NEW.slot, NEW.tx_signature, NEW.status = 'failed'))
	EXECUTE FUNCTION "watch_moved"('order');--> statement-breakpoint
CREATE TRIGGER "orders_gone" AFTER DELETE ON "orders"
	FOR EACH ROW WHEN (OLD.slot IS NOT NULL) EXECUTE FUNCTION "watch_moved"('order');--> statement-breakpoint
CREATE TRIGGER "operator_transactions_landed" AFTER INSERT ON "operator_transactions" REFERENCING NEW TABLE AS news
	FOR EACH STATEMENT EXECUTE FUNCTION "watch_landed"('operator_transaction');--> statement-breakpoint
CREATE TRIGGER "operator_transactions_moved" AFTER UPDATE ON "operator_transactions"
	FOR EACH ROW WHEN ((OLD.slot, OLD.tx_signature, OLD.status = 'failed') IS DISTINCT FROM (NEW.slot, NEW.tx_signature, NEW.status = 'failed'))
	EXECUTE FUNCTION "watch_moved"('operator_transaction');--> statement-breakpoint
CREATE TRIGGER "operator_transactions_gone" AFTER DELETE ON "operator_transactions"
	FOR EACH ROW WHEN (OLD.slot IS NOT NULL) EXECUTE FUNCTION "watch_moved"('operator_transaction');--> statement-breakpoint
-- Keeps with each redemption whether its tokens have left escrow or may still do so, for the index of those that wait.
CREATE FUNCTION "note_settlement"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	redemption uuid := CASE TG_OP WHEN 'DELETE' THEN OLD.redemption_id ELSE NEW.redemption_id END;
BEGIN
	UPDATE redemptions SET settled = NOT settled WHERE id = redemption AND settled <> EXISTS (
		SELECT FROM operator_transactions WHERE redemption_id = redemption AND status IN ('pending', 'confirmed')
			AND kind IN ('refund', 'burn'));
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "operator_transactions_settle" AFTER INSERT OR DELETE OR UPDATE OF "status" ON "operator_transactions"
	FOR EACH ROW EXECUTE FUNCTION "note_settlement"();--> statement-breakpoint
-- Every row of it comes and goes within a minute: its dead rows are removed before there are many.
ALTER TABLE "unfinalized" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
	autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 0.1, autovacuum_vacuum_cost_delay = 0);--> statement-breakpoint
-- Gives back the room of entries that came by the thousand, as those of a history do, once all of them are gone: its files do
-- not become shorter by what is deleted. Waits for nobody who reads or writes entries.
CREATE FUNCTION "shrink_unfinalized"() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '50ms' AS $$
BEGIN
	-- A snapshot from before the lock would not show what was written meanwhile.
	IF current_setting('transaction_isolation') <> 'read committed' THEN
		RAISE EXCEPTION 'entries are only looked at as they are now' USING ERRCODE = 'invalid_transaction_state';
	END IF;
	IF pg_total_relation_size('public.unfinalized') < 524288 OR EXISTS (SELECT FROM public.unfinalized) THEN
		RETURN;
	END IF;
	LOCK TABLE public.unfinalized IN ACCESS EXCLUSIVE MODE;
	IF NOT EXISTS (SELECT FROM public.unfinalized) THEN
		TRUNCATE public.unfinalized;
	END IF;
EXCEPTION WHEN lock_not_available THEN
	-- The next time does.
END
$$;--> statement-breakpoint
REVOKE EXECUTE ON FUNCTION "shrink_unfinalized" FROM PUBLIC;--> statement-breakpoint
-- A payment that is final is no event, but then its redemption can be prepared.
CREATE FUNCTION "notify_final_redemption"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	PERFORM notify_changes(ARRAY['redemption red_' || OLD.id]);
	RETURN NULL;
END
$$;--> statement-breakpoint
CREATE TRIGGER "redemptions_final" AFTER DELETE ON "unfinalized"
	FOR EACH ROW WHEN (OLD.kind = 'redemption') EXECUTE FUNCTION "notify_final_redemption"();
--> statement-breakpoint
-- Adds amounts to what an owner has moved in an hour, and locks the owner until the transaction ends. What is older than the
-- window does not count.
CREATE FUNCTION "add_velocity"("owner" uuid, "at_hour" integer, "more_usdc" bigint, "more_gold" bigint) RETURNS "velocity_usage" LANGUAGE plpgsql AS $$
DECLARE
	used velocity_usage;
	place integer := at_hour % 24 + 1;
BEGIN
	SELECT * INTO used FROM velocity_usage WHERE owner_id = owner FOR NO KEY UPDATE;
	IF NOT FOUND THEN
		INSERT INTO velocity_usage (owner_id, hour, usdc, gold)
			VALUES (owner, at_hour, array_fill(0::bigint, ARRAY[24]), array_fill(0::bigint, ARRAY[24])) ON CONFLICT DO NOTHING;
		SELECT * INTO used FROM velocity_usage WHERE owner_id = owner FOR NO KEY UPDATE;
	END IF;
	IF at_hour <= used.hour - 24 THEN
		RETURN used;
	END IF;
	FOR passed IN used.hour + 1 .. least(at_hour, used.hour + 24) LOOP
		used.usdc[passed % 24 + 1] := 0;
		used.gold[passed % 24 + 1] := 0;
	END LOOP;
	used.hour := greatest(used.hour, at_hour);
	used.usdc[place] := greatest(0, used.usdc[place] + more_usdc);
	used.gold[place] := greatest(0, used.gold[place] + more_gold);
	UPDATE velocity_usage SET hour = used.hour, usdc = used.usdc, gold = used.gold WHERE owner_id = owner;
	RETURN used;
END
$$;--> statement-breakpoint
-- The limits of a user and of a partner, with what was moved and what open quotes may move; null when none is set. Amounts are text.
CREATE FUNCTION "velocity_of"("of_user" uuid, "of_partner" uuid) RETURNS json STABLE STRICT LANGUAGE plpgsql AS $$
DECLARE
	lim record;
BEGIN
	SELECT (array_agg(user_usdc ORDER BY kind DESC) FILTER (WHERE user_usdc IS NOT NULL))[1] AS user_usdc,
		(array_agg(user_gold ORDER BY kind DESC) FILTER (WHERE user_gold IS NOT NULL))[1] AS user_gold,
		(array_agg(partner_usdc ORDER BY kind DESC) FILTER (WHERE partner_usdc IS NOT NULL))[1] AS partner_usdc,
		(array_agg(partner_gold ORDER BY kind DESC) FILTER (WHERE partner_gold IS NOT NULL))[1] AS partner_gold
		INTO lim FROM velocity_limits WHERE owner_id IN ('00000000-0000-0000-0000-000000000000', of_partner, of_user);
	IF coalesce(lim.user_usdc, lim.user_gold, lim.partner_usdc, lim.partner_gold) IS NULL THEN
		RETURN NULL;
	END IF;
	RETURN (
		SELECT json_object_agg(owner.scope, json_build_object('usdc', owner.usdc::text, 'gold', owner.gold::text, 'used',
			(SELECT json_build_object('hour', u.hour, 'usdc', u.usdc::text[], 'gold', u.gold::text[]) FROM velocity_usage u WHERE u.owner_id = owner.id),
			'reserved', (SELECT json_build_object('usdc', sum(r.usdc)::text, 'gold', sum(r.gold)::text,
				'lapses_ms', (extract(epoch FROM max(r.lapses_at)) * 1000)::float8) FROM velocity_reservations r WHERE r.owner_id = owner.id)))
		FROM (VALUES ('user', of_user, lim.user_usdc, lim.user_gold), ('partner', of_partner, lim.partner_usdc, lim.partner_gold))
			AS owner (scope, id, usdc, gold)
	);
END
$$;
