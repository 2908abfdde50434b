-- oldest code: 0.1.0
CREATE TYPE "public"."approval_status" AS ENUM('pending', 'approved', 'rejected', 'expired');--> statement-breakpoint
CREATE TYPE "public"."operator_transaction_kind" AS ENUM('refund', 'burn', 'announce_burn', 'cancel_burn', 'create_integrator', 'update_integrator', 'update_executives', 'propose_authority', 'cancel_authority', 'apply_authority', 'pause', 'resume', 'set_market', 'suspend_integrator', 'propose_settings', 'apply_settings', 'cancel_settings');--> statement-breakpoint
CREATE TYPE "public"."operator_transaction_status" AS ENUM('pending', 'confirmed', 'failed', 'expired');--> statement-breakpoint
CREATE TYPE "public"."bar_status" AS ENUM('in_stock', 'reserved', 'handed_over', 'withdrawn');--> statement-breakpoint
CREATE TYPE "public"."event_object_type" AS ENUM('user', 'api_key', 'trade', 'operation', 'redemption', 'purchase', 'sale', 'withdrawal', 'partner', 'webhook_endpoint', 'invitation');--> statement-breakpoint
CREATE TYPE "public"."event_type" AS ENUM('user.created', 'user.suspended', 'user.resumed', 'user.kyc_level_changed', 'api_key.created', 'api_key.revoked', 'trade.submitted', 'trade.confirmed', 'trade.failed', 'trade.expired', 'trade.reverted', 'redemption.submitted', 'redemption.preparing', 'redemption.ready', 'redemption.collected', 'redemption.cancellation_requested', 'redemption.cancelled', 'redemption.failed', 'redemption.refunded', 'redemption.burned', 'purchase.confirmed', 'purchase.failed', 'purchase.expired', 'sale.confirmed', 'sale.failed', 'sale.expired', 'withdrawal.confirmed', 'withdrawal.failed', 'withdrawal.expired', 'executives.changed', 'partner.suspended', 'partner.resumed', 'webhook_endpoint.disabled', 'member.invited');--> statement-breakpoint
CREATE TYPE "public"."watched_record" AS ENUM('trade', 'redemption', 'order', 'operator_transaction');--> statement-breakpoint
CREATE TYPE "public"."api_key_status" AS ENUM('active', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."api_surface" AS ENUM('partner', 'tradebook');--> statement-breakpoint
CREATE TYPE "public"."challenge_surface" AS ENUM('partner', 'tradebook', 'portal');--> statement-breakpoint
CREATE TYPE "public"."velocity_kind" AS ENUM('service', 'partner', 'user');--> statement-breakpoint
CREATE TYPE "public"."keeper_status" AS ENUM('ok', 'warning', 'critical');--> statement-breakpoint
CREATE TYPE "public"."market_state" AS ENUM('open', 'closed');--> statement-breakpoint
CREATE TYPE "public"."candle_interval" AS ENUM('1m', '1h', '1d');--> statement-breakpoint
CREATE TYPE "public"."view_list" AS ENUM('audit', 'bars', 'dead-letters', 'denominations', 'operators', 'orders', 'partners', 'redemptions', 'trades', 'users', 'webhook-endpoints');--> statement-breakpoint
CREATE TYPE "public"."order_kind" AS ENUM('purchase', 'sale', 'withdrawal', 'executive_update');--> statement-breakpoint
CREATE TYPE "public"."order_status" AS ENUM('pending_signature', 'confirmed', 'failed', 'expired');--> statement-breakpoint
CREATE TYPE "public"."vault_token" AS ENUM('gold', 'usdc');--> statement-breakpoint
CREATE TYPE "public"."wallet_status" AS ENUM('active', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."partner_status" AS ENUM('active', 'suspended');--> statement-breakpoint
CREATE TYPE "public"."factor_challenge_purpose" AS ENUM('sign_in', 'enrol_passkey', 'account', 'approval', 'confirmation');--> statement-breakpoint
CREATE TYPE "public"."person_role" AS ENUM('viewer', 'fulfilment', 'compliance', 'admin', 'owner', 'developer', 'finance');--> statement-breakpoint
CREATE TYPE "public"."person_status" AS ENUM('active', 'disabled');--> statement-breakpoint
CREATE TYPE "public"."redemption_status" AS ENUM('quoted', 'submitted', 'preparing', 'ready', 'collected', 'cancellation_requested', 'cancelled', 'failed', 'lapsed');--> statement-breakpoint
CREATE TYPE "public"."operation_kind" AS ENUM('buy', 'sell', 'redemption');--> statement-breakpoint
CREATE TYPE "public"."submission_status" AS ENUM('submitted', 'landed', 'expired');--> statement-breakpoint
CREATE TYPE "public"."trade_side" AS ENUM('buy', 'sell');--> statement-breakpoint
CREATE TYPE "public"."trade_status" AS ENUM('confirmed', 'failed');--> statement-breakpoint
CREATE TYPE "public"."treasury_role" AS ENUM('treasury_usdc', 'treasury_gold', 'fee_usdc', 'escrow_gold');--> statement-breakpoint
CREATE TYPE "public"."user_status" AS ENUM('active', 'suspended');--> statement-breakpoint
CREATE TYPE "public"."webhook_delivery_status" AS ENUM('pending', 'delivered', 'failed');--> statement-breakpoint
CREATE TYPE "public"."webhook_endpoint_status" AS ENUM('active', 'disabled');--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"object_type" text NOT NULL,
	"object_id" text NOT NULL,
	"request" jsonb NOT NULL,
	"before" jsonb,
	"object_hash" "bytea" NOT NULL,
	"reason" text,
	"status" "approval_status" DEFAULT 'pending' NOT NULL,
	"requested_by" uuid NOT NULL,
	"decided_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"decided_at" timestamp (3) with time zone,
	CONSTRAINT "approvals_other_person" CHECK ("approvals"."decided_by" is null or "approvals"."decided_by" <> "approvals"."requested_by"),
	CONSTRAINT "approvals_object_hash" CHECK (octet_length("approvals"."object_hash") = 32),
	CONSTRAINT "approvals_decided" CHECK (("approvals"."status" in ('approved', 'rejected')) = ("approvals"."decided_by" is not null and "approvals"."decided_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "guarded_transactions" (
	"quote_id" uuid PRIMARY KEY NOT NULL,
	"tx_signature" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "guarded_transactions_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "guarded_transactions_signature_length" CHECK (octet_length("guarded_transactions"."tx_signature") = 64)
);
--> statement-breakpoint
CREATE TABLE "operator_transactions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" "operator_transaction_kind" NOT NULL,
	"status" "operator_transaction_status" DEFAULT 'pending' NOT NULL,
	"redemption_id" uuid,
	"partner_id" uuid,
	"amount" bigint,
	"burn_due_at" timestamp (3) with time zone,
	"event_seq" bigint,
	"tx_signature" "bytea",
	"last_valid_block_height" bigint NOT NULL,
	"slot" bigint,
	"failure_reason" text,
	"operator_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_transactions_settlement" CHECK (("operator_transactions"."kind" in ('refund', 'burn', 'announce_burn', 'cancel_burn')) = ("operator_transactions"."redemption_id" is not null) and ("operator_transactions"."kind" in ('refund', 'burn')) = ("operator_transactions"."amount" is not null)),
	CONSTRAINT "operator_transactions_burn" CHECK (("operator_transactions"."event_seq" is null or "operator_transactions"."kind" in ('announce_burn', 'cancel_burn')) and ("operator_transactions"."burn_due_at" is not null) = ("operator_transactions"."event_seq" is not null and "operator_transactions"."kind" = 'announce_burn')),
	CONSTRAINT "operator_transactions_landed" CHECK ("operator_transactions"."status" <> 'confirmed' or num_nulls("operator_transactions"."tx_signature", "operator_transactions"."slot") = 0),
	CONSTRAINT "operator_transactions_signature_length" CHECK (octet_length("operator_transactions"."tx_signature") = 64),
	CONSTRAINT "operator_transactions_failure" CHECK (("operator_transactions"."status" = 'failed') = ("operator_transactions"."failure_reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "bars" (
	"id" uuid PRIMARY KEY NOT NULL,
	"serial" text NOT NULL,
	"refiner" text NOT NULL,
	"fineness" numeric(6, 3) NOT NULL,
	"weight_g" numeric(14, 7) NOT NULL,
	"denomination_id" text NOT NULL,
	"city" text NOT NULL,
	"city_key" text NOT NULL,
	"status" "bar_status" DEFAULT 'in_stock' NOT NULL,
	"redemption_id" uuid,
	"reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "bars_serial_length" CHECK (char_length("bars"."serial") between 1 and 64),
	CONSTRAINT "bars_refiner_length" CHECK (char_length("bars"."refiner") between 1 and 100),
	CONSTRAINT "bars_city_length" CHECK (char_length("bars"."city") between 1 and 100),
	CONSTRAINT "bars_fineness_range" CHECK ("bars"."fineness" >= 500 and "bars"."fineness" < 1000),
	CONSTRAINT "bars_weight" CHECK ("bars"."weight_g" > 0),
	CONSTRAINT "bars_redemption" CHECK (("bars"."status" in ('reserved', 'handed_over')) = ("bars"."redemption_id" is not null)),
	CONSTRAINT "bars_reason" CHECK (("bars"."status" = 'withdrawn') = ("bars"."reason" is not null) and char_length("bars"."reason") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "countries" (
	"code" char(2) PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"active" boolean NOT NULL,
	CONSTRAINT "countries_code" CHECK ("countries"."code" ~ '^[A-Z]{2}$')
);
--> statement-breakpoint
CREATE TABLE "id_type_patterns" (
	"country" char(2) NOT NULL,
	"id_type" text NOT NULL,
	"pattern" text NOT NULL,
	"example" text,
	CONSTRAINT "id_type_patterns_country_id_type_pk" PRIMARY KEY("country","id_type")
);
--> statement-breakpoint
CREATE TABLE "denominations" (
	"id" text PRIMARY KEY NOT NULL,
	"label" text NOT NULL,
	"weight_g" numeric(14, 7) NOT NULL,
	"country" char(2) NOT NULL,
	"city" text NOT NULL,
	"city_key" text NOT NULL,
	"active" boolean NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "denominations_id" CHECK ("denominations"."id" ~ '^[a-z0-9_]{1,64}$'),
	CONSTRAINT "denominations_label_length" CHECK (char_length("denominations"."label") between 1 and 255),
	CONSTRAINT "denominations_city_length" CHECK (char_length("denominations"."city") between 1 and 100),
	CONSTRAINT "denominations_weight_range" CHECK ("denominations"."weight_g" between 0.001 and 1000000)
);
--> statement-breakpoint
CREATE TABLE "event_streams" (
	"id" uuid PRIMARY KEY NOT NULL,
	"key_id" uuid,
	"member_id" uuid,
	"session_hash" "bytea",
	"renewed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "event_streams_caller" CHECK (("event_streams"."key_id" is null) <> ("event_streams"."member_id" is null)),
	CONSTRAINT "event_streams_session" CHECK (("event_streams"."member_id" is null) = ("event_streams"."session_hash" is null))
);
--> statement-breakpoint
CREATE TABLE "event_counters" (
	"partner_id" uuid PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"sequence" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"partner_id" uuid NOT NULL,
	"object_id" uuid NOT NULL,
	"type" "event_type" NOT NULL,
	"object_type" "event_object_type" NOT NULL,
	"request_id" text,
	"object" json,
	CONSTRAINT "events_object" CHECK ("events"."object" is not null or "events"."type" in ('trade.confirmed', 'trade.failed'))
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"owner_id" uuid NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"status" smallint,
	"response" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_owner_id_route_key_pk" PRIMARY KEY("owner_id","route","key"),
	CONSTRAINT "idempotency_keys_key_length" CHECK (char_length("idempotency_keys"."key") between 1 and 255),
	CONSTRAINT "idempotency_keys_request_hash_length" CHECK (octet_length("idempotency_keys"."request_hash") = 32),
	CONSTRAINT "idempotency_keys_response" CHECK (("idempotency_keys"."status" is null) = ("idempotency_keys"."response" is null))
);
--> statement-breakpoint
CREATE TABLE "chain_effects" (
	"slot" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"seq" bigint,
	"partner_id" uuid,
	"kind" smallint,
	"tx_signature" "bytea" NOT NULL,
	"service_signers" text[],
	"changes" bigint[],
	"dues" bigint[],
	"by_admin" bigint[],
	"dust" boolean[],
	CONSTRAINT "chain_effects_signature_length" CHECK (octet_length("chain_effects"."tx_signature") = 64),
	CONSTRAINT "chain_effects_seq" CHECK ("chain_effects"."seq" > 0),
	CONSTRAINT "chain_effects_kind" CHECK ("chain_effects"."kind" between 0 and 255),
	CONSTRAINT "chain_effects_event" CHECK (num_nulls("chain_effects"."seq", "chain_effects"."partner_id", "chain_effects"."kind") in (0, 3)),
	CONSTRAINT "chain_effects_signers" CHECK ("chain_effects"."service_signers" is null or "chain_effects"."seq" is not null),
	CONSTRAINT "chain_effects_any" CHECK ("chain_effects"."seq" is not null or "chain_effects"."changes" is not null),
	CONSTRAINT "chain_effects_arrays" CHECK (cardinality("chain_effects"."changes") > 0
        and ("chain_effects"."dues" is null or array_dims("chain_effects"."dues") is not distinct from array_dims("chain_effects"."changes"))
        and ("chain_effects"."by_admin" is null or array_dims("chain_effects"."by_admin") is not distinct from array_dims("chain_effects"."changes"))
        and ("chain_effects"."dust" is null or array_dims("chain_effects"."dust") is not distinct from array_dims("chain_effects"."changes")))
);
--> statement-breakpoint
CREATE TABLE "chain_genesis" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"hash" text NOT NULL,
	"noted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "chain_genesis_only" CHECK ("chain_genesis"."only")
);
--> statement-breakpoint
CREATE TABLE "dead_letters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"signature" "bytea" NOT NULL,
	"slot" bigint NOT NULL,
	"reason" text NOT NULL,
	"detail" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resolved_at" timestamp (3) with time zone,
	"retry_requested_at" timestamp (3) with time zone,
	"retried_at" timestamp (3) with time zone,
	"resolution" text,
	"group_key" text,
	CONSTRAINT "dead_letters_group" UNIQUE("group_key"),
	CONSTRAINT "dead_letters_signature_reason" UNIQUE("signature","reason"),
	CONSTRAINT "dead_letters_subject" CHECK (octet_length("dead_letters"."signature") in (32, 64)),
	CONSTRAINT "dead_letters_reason" CHECK ("dead_letters"."reason" ~ '^[a-z_]+$'),
	CONSTRAINT "dead_letters_resolution" CHECK ("dead_letters"."resolution" is null or "dead_letters"."resolved_at" is not null)
);
--> statement-breakpoint
CREATE TABLE "unfinalized" (
	"id" uuid NOT NULL,
	"slot" bigint NOT NULL,
	"landed_at" timestamp (3) with time zone NOT NULL,
	"check_at" timestamp (3) with time zone NOT NULL,
	"kind" "watched_record" NOT NULL,
	"tx_signature" "bytea" NOT NULL,
	CONSTRAINT "unfinalized_id_kind_pk" PRIMARY KEY("id","kind"),
	CONSTRAINT "unfinalized_signature_length" CHECK (octet_length("unfinalized"."tx_signature") = 64)
);
--> statement-breakpoint
CREATE TABLE "indexer_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"round_at" timestamp (3) with time zone NOT NULL,
	"slot" bigint NOT NULL,
	"complete_slot" bigint,
	"missing" text,
	"missing_since" timestamp (3) with time zone,
	CONSTRAINT "indexer_progress_only" CHECK ("indexer_progress"."only"),
	CONSTRAINT "indexer_progress_missing" CHECK (("indexer_progress"."missing" is null) = ("indexer_progress"."missing_since" is null))
);
--> statement-breakpoint
CREATE TABLE "program_counters" (
	"partner_id" uuid PRIMARY KEY NOT NULL,
	"complete_seq" bigint NOT NULL,
	CONSTRAINT "program_counters_seq" CHECK ("program_counters"."complete_seq" >= 0)
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"surface" "api_surface" DEFAULT 'partner' NOT NULL,
	"partner_id" uuid,
	"wallet_address" "bytea" NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"scope" text DEFAULT 'PARTNER' NOT NULL,
	"status" "api_key_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	"expires_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_hash" UNIQUE("hash"),
	CONSTRAINT "api_keys_hash_length" CHECK (octet_length("api_keys"."hash") = 32),
	CONSTRAINT "api_keys_wallet_length" CHECK (octet_length("api_keys"."wallet_address") = 32),
	CONSTRAINT "api_keys_name_length" CHECK (char_length("api_keys"."name") between 1 and 100),
	CONSTRAINT "api_keys_surface" CHECK (case "api_keys"."surface" when 'partner' then "api_keys"."scope" = 'PARTNER' and "api_keys"."partner_id" is not null and "api_keys"."expires_at" is null
        else "api_keys"."scope" <> 'PARTNER' and ("api_keys"."partner_id" is not null or "api_keys"."scope" = 'ADMIN') end),
	CONSTRAINT "api_keys_revoked_at" CHECK (("api_keys"."status" = 'revoked') = ("api_keys"."revoked_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "challenges" (
	"id" uuid PRIMARY KEY NOT NULL,
	"surface" "challenge_surface" NOT NULL,
	"partner_id" uuid,
	"wallet_address" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "challenges_partner" CHECK ("challenges"."surface" = 'tradebook' or "challenges"."partner_id" is not null),
	CONSTRAINT "challenges_address" CHECK (octet_length("challenges"."wallet_address") = 32),
	CONSTRAINT "challenges_lifetime" CHECK ("challenges"."expires_at" > "challenges"."created_at")
);
--> statement-breakpoint
CREATE TABLE "kyc_keys" (
	"id" integer PRIMARY KEY NOT NULL,
	"wrapper" text NOT NULL,
	"wrapped" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "kyc_keys_id" CHECK ("kyc_keys"."id" > 0)
);
--> statement-breakpoint
CREATE TABLE "leads" (
	"role" text PRIMARY KEY NOT NULL,
	"epoch" integer NOT NULL,
	"since" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "leads_role" CHECK ("leads"."role" in ('indexer', 'keeper'))
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"owner" text PRIMARY KEY NOT NULL,
	"granted_at" bigint[] NOT NULL,
	"counts" integer[] NOT NULL,
	"granted" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "budgets_owner" CHECK (char_length("budgets"."owner") <= 64),
	CONSTRAINT "budgets_counts" CHECK (cardinality("budgets"."counts") = cardinality("budgets"."granted_at") and 0 < all ("budgets"."counts")),
	CONSTRAINT "budgets_granted" CHECK ("budgets"."granted" >= 0)
);
--> statement-breakpoint
CREATE TABLE "fee_spending" (
	"partner_id" uuid NOT NULL,
	"hour" timestamp (3) with time zone NOT NULL,
	"lamports" bigint NOT NULL,
	CONSTRAINT "fee_spending_partner_id_hour_pk" PRIMARY KEY("partner_id","hour")
);
--> statement-breakpoint
CREATE TABLE "velocity_claims" (
	"quote_id" uuid PRIMARY KEY NOT NULL,
	"user_id" uuid NOT NULL,
	"partner_id" uuid NOT NULL,
	"hour" integer NOT NULL,
	"usdc" bigint NOT NULL,
	"gold" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "velocity_limits" (
	"owner_id" uuid PRIMARY KEY NOT NULL,
	"kind" "velocity_kind" NOT NULL,
	"user_usdc" bigint,
	"user_gold" bigint,
	"partner_usdc" bigint,
	"partner_gold" bigint,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "velocity_limits_service" CHECK (("velocity_limits"."kind" = 'service') = ("velocity_limits"."owner_id" = '00000000-0000-0000-0000-000000000000')),
	CONSTRAINT "velocity_limits_of_user" CHECK ("velocity_limits"."kind" <> 'user' or ("velocity_limits"."partner_usdc" is null and "velocity_limits"."partner_gold" is null)),
	CONSTRAINT "velocity_limits_positive" CHECK (least("velocity_limits"."user_usdc", "velocity_limits"."user_gold", "velocity_limits"."partner_usdc", "velocity_limits"."partner_gold") >= 0)
);
--> statement-breakpoint
CREATE TABLE "velocity_usage" (
	"owner_id" uuid PRIMARY KEY NOT NULL,
	"hour" integer NOT NULL,
	"usdc" bigint[] NOT NULL,
	"gold" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "velocity_reservations" (
	"owner_id" uuid NOT NULL,
	"process_id" uuid NOT NULL,
	"usdc" bigint NOT NULL,
	"gold" bigint NOT NULL,
	"version" bigint NOT NULL,
	"lapses_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "velocity_reservations_owner_id_process_id_pk" PRIMARY KEY("owner_id","process_id"),
	CONSTRAINT "velocity_reservations_amounts" CHECK (least("velocity_reservations"."usdc", "velocity_reservations"."gold") >= 0)
);
--> statement-breakpoint
CREATE TABLE "keeper_reports" (
	"name" text PRIMARY KEY NOT NULL,
	"status" "keeper_status" NOT NULL,
	"value" text,
	"detail" text NOT NULL,
	"checked_at" timestamp (3) with time zone NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "market_overrides" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"market" "market_state" NOT NULL,
	"until" timestamp (3) with time zone,
	"operator_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "market_overrides_only" CHECK ("market_overrides"."only"),
	CONSTRAINT "market_overrides_open_ends" CHECK ("market_overrides"."market" = 'closed' or "market_overrides"."until" is not null)
);
--> statement-breakpoint
CREATE TABLE "price_candles" (
	"interval" "candle_interval" NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"open" numeric(32, 12) NOT NULL,
	"high" numeric(32, 12) NOT NULL,
	"low" numeric(32, 12) NOT NULL,
	"close" numeric(32, 12) NOT NULL,
	"closed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "price_candles_interval_at_pk" PRIMARY KEY("interval","at"),
	CONSTRAINT "price_candles_prices" CHECK (0 < "price_candles"."low" and "price_candles"."low" <= least("price_candles"."open", "price_candles"."close") and greatest("price_candles"."open", "price_candles"."close") <= "price_candles"."high")
);
--> statement-breakpoint
CREATE TABLE "audit_head" (
	"id" smallint PRIMARY KEY DEFAULT 1 NOT NULL,
	"seq" bigint NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_head_single" CHECK ("audit_head"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"person_id" uuid,
	"action" text NOT NULL,
	"object_type" text NOT NULL,
	"object_id" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"reason" text,
	"request_id" text,
	"previous_hash" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	CONSTRAINT "audit_log_action_form" CHECK ("audit_log"."action" ~ '^[a-z_]+\.[a-z_]+$'),
	CONSTRAINT "audit_log_object_type_form" CHECK ("audit_log"."object_type" ~ '^[a-z_]+$'),
	CONSTRAINT "audit_log_hashes" CHECK (octet_length("audit_log"."previous_hash") = 32 and octet_length("audit_log"."hash") = 32),
	CONSTRAINT "audit_log_reason_length" CHECK (char_length("audit_log"."reason") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "operator_streams" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"session_hash" "bytea",
	"token_id" uuid,
	"renewed_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "operator_streams_credential" CHECK (("operator_streams"."session_hash" is null) <> ("operator_streams"."token_id" is null))
);
--> statement-breakpoint
CREATE TABLE "operator_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "operator_tokens_hash" UNIQUE("hash"),
	CONSTRAINT "operator_tokens_hash_length" CHECK (octet_length("operator_tokens"."hash") = 32),
	CONSTRAINT "operator_tokens_lifetime" CHECK ("operator_tokens"."expires_at" > "operator_tokens"."created_at"),
	CONSTRAINT "operator_tokens_name_length" CHECK (char_length("operator_tokens"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "saved_views" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"list" "view_list" NOT NULL,
	"name" text NOT NULL,
	"filter" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "saved_views_name" UNIQUE("operator_id","list","name"),
	CONSTRAINT "saved_views_name_length" CHECK (char_length("saved_views"."name") between 1 and 100),
	CONSTRAINT "saved_views_filter" CHECK (jsonb_typeof("saved_views"."filter") = 'object' and not "saved_views"."filter" ? 'q')
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" "order_kind" NOT NULL,
	"status" "order_status" NOT NULL,
	"partner_id" uuid NOT NULL,
	"key_id" uuid,
	"signer" "bytea" NOT NULL,
	"integrator" "bytea" NOT NULL,
	"destination" "bytea",
	"gold_amount" bigint,
	"usdc_amount" bigint,
	"usdc_limit" numeric(20,0),
	"treasury_limit" numeric(20,0),
	"token" "vault_token",
	"added" text[],
	"removed" text[],
	"quoted_price" numeric(32, 12),
	"max_fee_bps" integer,
	"metadata" jsonb,
	"last_valid_block_height" bigint,
	"expires_at" timestamp (3) with time zone,
	"tx_signature" "bytea",
	"slot" bigint,
	"executed_gold" bigint,
	"executed_usdc" bigint,
	"fee_usdc" bigint,
	"executed_price" numeric(32, 12),
	"event_seq" bigint,
	"failure_reason" text,
	"reason" text,
	"program_error_name" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "orders_partner_event_seq" UNIQUE("partner_id","event_seq"),
	CONSTRAINT "orders_lengths" CHECK (octet_length("orders"."signer") = 32 and octet_length("orders"."integrator") = 32 and octet_length("orders"."destination") = 32 and octet_length("orders"."tx_signature") = 64),
	CONSTRAINT "orders_landed" CHECK (("orders"."status" in ('confirmed', 'failed')) = ("orders"."tx_signature" is not null) and ("orders"."tx_signature" is null) = ("orders"."slot" is null)),
	CONSTRAINT "orders_executed" CHECK (("orders"."status" = 'confirmed') = ("orders"."event_seq" is not null) and (case
        when "orders"."status" <> 'confirmed' or "orders"."kind" = 'executive_update'
          then num_nonnulls("orders"."executed_gold", "orders"."executed_usdc", "orders"."fee_usdc", "orders"."executed_price") = 0
        when "orders"."kind" = 'withdrawal'
          then num_nonnulls("orders"."fee_usdc", "orders"."executed_price") = 0 and num_nonnulls("orders"."executed_gold", "orders"."executed_usdc") = 1
            and case "orders"."token" when 'gold' then "orders"."executed_gold" else "orders"."executed_usdc" end > 0
        else "orders"."executed_gold" > 0 and "orders"."executed_usdc" > 0 and "orders"."fee_usdc" >= 0 and "orders"."executed_price" > 0
        end) is true),
	CONSTRAINT "orders_failure" CHECK (("orders"."status" = 'failed') = ("orders"."failure_reason" is not null) and ("orders"."failure_reason" is null) = ("orders"."reason" is null)),
	CONSTRAINT "orders_shape" CHECK ((case "orders"."kind"
        when 'purchase' then "orders"."gold_amount" > 0 and "orders"."usdc_limit" is not null
        when 'sale' then "orders"."gold_amount" > 0 and "orders"."usdc_limit" is not null
        when 'withdrawal' then "orders"."token" is not null and "orders"."destination" is not null
          and coalesce("orders"."gold_amount", "orders"."usdc_amount") > 0 and ("orders"."gold_amount" is null) = ("orders"."token" = 'usdc')
        else cardinality("orders"."added") + cardinality("orders"."removed") > 0
        end) is true)
);
--> statement-breakpoint
CREATE TABLE "paper_requests" (
	"partner_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"requested_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "paper_requests_partner_id_kind_subject_pk" PRIMARY KEY("partner_id","kind","subject")
);
--> statement-breakpoint
CREATE TABLE "papers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"subject" text NOT NULL,
	"number" integer,
	"corrects" integer,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"body" text NOT NULL,
	"hash" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"signature" "bytea" NOT NULL,
	"seal_signature" "bytea",
	CONSTRAINT "papers_number" UNIQUE("partner_id","number"),
	CONSTRAINT "papers_subject" UNIQUE NULLS NOT DISTINCT("partner_id","kind","subject","corrects"),
	CONSTRAINT "papers_kind" CHECK ("papers"."kind" in ('statement', 'trade', 'redemption')),
	CONSTRAINT "papers_statement" CHECK (("papers"."kind" = 'statement') = ("papers"."number" is not null)),
	CONSTRAINT "papers_sealed" CHECK (("papers"."kind" = 'statement') = ("papers"."seal_signature" is not null)),
	CONSTRAINT "papers_corrects" CHECK ("papers"."corrects" is null or "papers"."corrects" < "papers"."number"),
	CONSTRAINT "papers_hash" CHECK ("papers"."hash" = encode(sha256(convert_to("papers"."body", 'UTF8')), 'hex')),
	CONSTRAINT "papers_key" CHECK (octet_length("papers"."public_key") = 32),
	CONSTRAINT "papers_signature" CHECK (octet_length("papers"."signature") = 64)
);
--> statement-breakpoint
CREATE TABLE "month_ends" (
	"month" text PRIMARY KEY NOT NULL,
	"slot" bigint NOT NULL,
	CONSTRAINT "month_ends_month" CHECK ("month_ends"."month" ~ '^20[0-9]{2}-[0-9]{2}$')
);
--> statement-breakpoint
CREATE TABLE "vault_deposits" (
	"partner_id" uuid NOT NULL,
	"tx_signature" "bytea" NOT NULL,
	"slot" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"gold" bigint NOT NULL,
	"usdc" bigint NOT NULL,
	CONSTRAINT "vault_deposits_partner_id_tx_signature_pk" PRIMARY KEY("partner_id","tx_signature"),
	CONSTRAINT "vault_deposits_signature" CHECK (octet_length("vault_deposits"."tx_signature") = 64),
	CONSTRAINT "vault_deposits_any" CHECK ("vault_deposits"."gold" <> 0 or "vault_deposits"."usdc" <> 0)
);
--> statement-breakpoint
CREATE TABLE "vault_readings" (
	"partner_id" uuid NOT NULL,
	"month" text NOT NULL,
	"slot" bigint NOT NULL,
	"gold" bigint NOT NULL,
	"usdc" bigint NOT NULL,
	CONSTRAINT "vault_readings_partner_id_month_pk" PRIMARY KEY("partner_id","month")
);
--> statement-breakpoint
CREATE TABLE "partner_wallets" (
	"wallet_address" "bytea" PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"status" "wallet_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "partner_wallets_revoked_at" CHECK (("partner_wallets"."status" = 'revoked') = ("partner_wallets"."revoked_at" is not null)),
	CONSTRAINT "partner_wallets_address" CHECK (octet_length("partner_wallets"."wallet_address") = 32)
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" "partner_status" DEFAULT 'active' NOT NULL,
	"fee_percentage" numeric(7, 6) NOT NULL,
	"fee_budget_lamports" bigint DEFAULT 500000000 NOT NULL,
	"min_trade_usdc" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "partners_name_length" CHECK (char_length("partners"."name") between 1 and 255),
	CONSTRAINT "partners_fee_percentage_range" CHECK ("partners"."fee_percentage" between 0 and 0.5),
	CONSTRAINT "partners_terms" CHECK (least("partners"."fee_budget_lamports", "partners"."min_trade_usdc") >= 0)
);
--> statement-breakpoint
CREATE TABLE "factor_challenges" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"person_id" uuid NOT NULL,
	"purpose" "factor_challenge_purpose" NOT NULL,
	"subject" text,
	"challenge" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "factor_challenges_hash_length" CHECK (octet_length("factor_challenges"."hash") = 32),
	CONSTRAINT "factor_challenges_subject" CHECK (("factor_challenges"."purpose" = 'approval') = ("factor_challenges"."subject" is not null))
);
--> statement-breakpoint
CREATE TABLE "invitations" (
	"id" uuid PRIMARY KEY NOT NULL,
	"hash" "bytea" NOT NULL,
	"partner_id" uuid NOT NULL,
	"email" text NOT NULL,
	"role" "person_role" NOT NULL,
	"invited_by" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"withdrawn_at" timestamp (3) with time zone,
	"member_id" uuid,
	CONSTRAINT "invitations_hash" UNIQUE("hash"),
	CONSTRAINT "invitations_member" UNIQUE("member_id"),
	CONSTRAINT "invitations_hash_length" CHECK (octet_length("invitations"."hash") = 32),
	CONSTRAINT "invitations_role" CHECK ("invitations"."role" in ('owner', 'developer', 'finance', 'viewer')),
	CONSTRAINT "invitations_email" CHECK (char_length("invitations"."email") between 3 and 254),
	CONSTRAINT "invitations_lifetime" CHECK ("invitations"."expires_at" > "invitations"."created_at"),
	CONSTRAINT "invitations_end" CHECK ("invitations"."withdrawn_at" is null or "invitations"."member_id" is null)
);
--> statement-breakpoint
CREATE TABLE "known_networks" (
	"person_id" uuid NOT NULL,
	"network" text NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "known_networks_person_id_network_pk" PRIMARY KEY("person_id","network"),
	CONSTRAINT "known_networks_network" CHECK (char_length("known_networks"."network") between 1 and 64)
);
--> statement-breakpoint
CREATE TABLE "passkeys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"person_id" uuid NOT NULL,
	"name" text NOT NULL,
	"credential_id" text NOT NULL,
	"rp_id" text NOT NULL,
	"origin" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text[] NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "passkeys_credential" UNIQUE("credential_id"),
	CONSTRAINT "passkeys_name_length" CHECK (char_length("passkeys"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "people" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid,
	"email" text,
	"wallet_address" "bytea",
	"name" text NOT NULL,
	"role" "person_role" NOT NULL,
	"password_hash" text,
	"issuer" text,
	"subject" text,
	"status" "person_status" DEFAULT 'active' NOT NULL,
	"opened_by" uuid[] DEFAULT '{}' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "people_role" CHECK (case when "people"."partner_id" is null then "people"."role" in ('viewer', 'fulfilment', 'compliance', 'admin') else "people"."role" in ('owner', 'developer', 'finance', 'viewer') end),
	CONSTRAINT "people_sign_in" CHECK (case when "people"."wallet_address" is null then "people"."email" is not null and ("people"."password_hash" is not null or "people"."subject" is not null)
        else "people"."email" is null and "people"."password_hash" is null and "people"."partner_id" is not null and "people"."role" = 'owner' end),
	CONSTRAINT "people_email_form" CHECK ("people"."email" = lower("people"."email") and char_length("people"."email") between 3 and 254),
	CONSTRAINT "people_wallet_length" CHECK (octet_length("people"."wallet_address") = 32),
	CONSTRAINT "people_name_length" CHECK (char_length("people"."name") between 1 and 100),
	CONSTRAINT "people_password_hash" CHECK ("people"."password_hash" like '$argon2id$%'),
	CONSTRAINT "people_identity_form" CHECK (case when "people"."subject" is null then "people"."issuer" is null
        else "people"."issuer" is not null and "people"."partner_id" is null and char_length("people"."subject") between 1 and 255 end),
	CONSTRAINT "people_opened_by" CHECK ("people"."partner_id" is null or cardinality("people"."opened_by") = 0)
);
--> statement-breakpoint
CREATE TABLE "recovery_codes" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"person_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "recovery_codes_hash_length" CHECK (octet_length("recovery_codes"."hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"id" uuid NOT NULL,
	"person_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL,
	"verified_at" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"address" text NOT NULL,
	"user_agent" text,
	"confirmation_hash" "bytea",
	"confirmed_at" timestamp (3) with time zone,
	CONSTRAINT "sessions_id" UNIQUE("id"),
	CONSTRAINT "sessions_hash_length" CHECK (octet_length("sessions"."hash") = 32),
	CONSTRAINT "sessions_lifetime" CHECK ("sessions"."expires_at" > "sessions"."created_at"),
	CONSTRAINT "sessions_confirmed" CHECK (("sessions"."confirmation_hash" is null) = ("sessions"."confirmed_at" is null))
);
--> statement-breakpoint
CREATE TABLE "sign_in_attempts" (
	"counter" "bytea" PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	"free_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "sign_in_attempts_counter_length" CHECK (octet_length("sign_in_attempts"."counter") = 32),
	CONSTRAINT "sign_in_attempts_failures" CHECK ("sign_in_attempts"."failures" >= 0)
);
--> statement-breakpoint
CREATE TABLE "totps" (
	"person_id" uuid PRIMARY KEY NOT NULL,
	"nonce" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"confirmed_at" timestamp (3) with time zone,
	"session_hash" "bytea",
	"last_step" bigint NOT NULL,
	CONSTRAINT "totps_nonce_length" CHECK (octet_length("totps"."nonce") = 16),
	CONSTRAINT "totps_unconfirmed" CHECK (("totps"."confirmed_at" is null) = ("totps"."session_hash" is not null))
);
--> statement-breakpoint
CREATE TABLE "pickup_codes" (
	"redemption_id" uuid PRIMARY KEY NOT NULL,
	"nonce" "bytea" NOT NULL,
	"hash" "bytea" NOT NULL,
	"issued_at" timestamp (3) with time zone NOT NULL,
	"tries" smallint DEFAULT 0 NOT NULL,
	"issues" smallint DEFAULT 1 NOT NULL,
	CONSTRAINT "pickup_codes_lengths" CHECK (octet_length("pickup_codes"."nonce") = 16 and octet_length("pickup_codes"."hash") = 32),
	CONSTRAINT "pickup_codes_tries" CHECK ("pickup_codes"."tries" between 0 and 5)
);
--> statement-breakpoint
CREATE TABLE "redemption_history" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "redemption_history_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"redemption_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"from_status" "redemption_status",
	"to_status" "redemption_status" NOT NULL,
	"actor" text NOT NULL,
	"note" text,
	CONSTRAINT "redemption_history_once" UNIQUE("redemption_id","to_status"),
	CONSTRAINT "redemption_history_start" CHECK (("redemption_history"."from_status" is null) = ("redemption_history"."to_status" = 'quoted')),
	CONSTRAINT "redemption_history_actor" CHECK ("redemption_history"."actor" ~ '^((key|member|operator):.{1,100}|indexer|sweep)$'),
	CONSTRAINT "redemption_history_note_length" CHECK (char_length("redemption_history"."note") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "redemptions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"status" "redemption_status" NOT NULL,
	"denomination_id" text NOT NULL,
	"denomination" text NOT NULL,
	"weight_g" numeric(14, 7) NOT NULL,
	"city" text NOT NULL,
	"city_key" text NOT NULL,
	"spot_price_usd" numeric(32, 12) NOT NULL,
	"gold_value_usd" bigint NOT NULL,
	"fee_usd" bigint NOT NULL,
	"total_usd" bigint NOT NULL,
	"tokens_required" bigint NOT NULL,
	"user_wallet" "bytea" NOT NULL,
	"escrow_account" "bytea" NOT NULL,
	"quote_tx_signature" "bytea" NOT NULL,
	"last_valid_block_height" bigint NOT NULL,
	"tx_signature" "bytea",
	"slot" bigint,
	"reclaimable_at" timestamp (3) with time zone,
	"failure_reason" text,
	"reason" text,
	"program_error_name" text,
	"settled" boolean DEFAULT false NOT NULL,
	"cancellation_reason" text,
	"assignee_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "redemptions_quote_tx_signature" UNIQUE("quote_tx_signature"),
	CONSTRAINT "redemptions_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "redemptions_lengths" CHECK (octet_length("redemptions"."user_wallet") = 32 and octet_length("redemptions"."escrow_account") = 32 and octet_length("redemptions"."quote_tx_signature") = 64 and octet_length("redemptions"."tx_signature") = 64),
	CONSTRAINT "redemptions_weight" CHECK ("redemptions"."weight_g" > 0),
	CONSTRAINT "redemptions_amounts" CHECK ("redemptions"."tokens_required" > 0 and "redemptions"."spot_price_usd" > 0 and "redemptions"."gold_value_usd" >= 0 and "redemptions"."fee_usd" >= 0
        and "redemptions"."total_usd" = "redemptions"."gold_value_usd" + "redemptions"."fee_usd"),
	CONSTRAINT "redemptions_landed" CHECK (("redemptions"."status" in ('quoted', 'lapsed')) = ("redemptions"."tx_signature" is null) and ("redemptions"."tx_signature" is null) = ("redemptions"."slot" is null)),
	CONSTRAINT "redemptions_reclaimable" CHECK (("redemptions"."status" in ('quoted', 'lapsed', 'failed')) = ("redemptions"."reclaimable_at" is null)),
	CONSTRAINT "redemptions_failure" CHECK (("redemptions"."status" = 'failed') = ("redemptions"."failure_reason" is not null) and ("redemptions"."failure_reason" is null) = ("redemptions"."reason" is null)),
	CONSTRAINT "redemptions_cancellation" CHECK ("redemptions"."cancellation_reason" is null or ("redemptions"."status" in ('cancellation_requested', 'cancelled') and char_length("redemptions"."cancellation_reason") <= 1000))
);
--> statement-breakpoint
CREATE TABLE "request_counts" (
	"partner_id" uuid NOT NULL,
	"day" timestamp (3) with time zone NOT NULL,
	"requests" integer NOT NULL,
	"logged" integer NOT NULL,
	CONSTRAINT "request_counts_partner_id_day_pk" PRIMARY KEY("partner_id","day")
);
--> statement-breakpoint
CREATE TABLE "request_log" (
	"id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"partner_id" uuid NOT NULL,
	"key_id" uuid,
	"member_id" uuid,
	"user_id" uuid,
	"usdc_amount" bigint,
	"gold_amount" bigint,
	"duration_ms" integer NOT NULL,
	"status" smallint NOT NULL,
	"method" text NOT NULL,
	"route" text NOT NULL,
	"path" text,
	"request_id" text NOT NULL,
	"object_id" text,
	"error" text,
	"reason" text,
	"request_body" text,
	"response_body" text,
	CONSTRAINT "request_log_id_created_at_pk" PRIMARY KEY("id","created_at")
);
--> statement-breakpoint
CREATE TABLE "reserve_reports" (
	"hash" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"content" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reserve_reports_hash" CHECK ("reserve_reports"."hash" = encode(sha256("reserve_reports"."content"), 'hex')),
	CONSTRAINT "reserve_reports_type" CHECK ("reserve_reports"."type" in ('application/pdf', 'text/plain')),
	CONSTRAINT "reserve_reports_size" CHECK (octet_length("reserve_reports"."content") between 1 and 10485760)
);
--> statement-breakpoint
CREATE TABLE "reserve_statements" (
	"id" uuid PRIMARY KEY NOT NULL,
	"sequence" integer NOT NULL,
	"made_at" timestamp (3) with time zone NOT NULL,
	"body" text NOT NULL,
	"hash" text NOT NULL,
	"public_key" "bytea" NOT NULL,
	"signature" "bytea" NOT NULL,
	"bars" "bytea" NOT NULL,
	"countersignatures" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "reserve_statements_sequence_unique" UNIQUE("sequence"),
	CONSTRAINT "reserve_statements_hash_unique" UNIQUE("hash"),
	CONSTRAINT "reserve_statements_key" CHECK (octet_length("reserve_statements"."public_key") = 32),
	CONSTRAINT "reserve_statements_signature" CHECK (octet_length("reserve_statements"."signature") = 64),
	CONSTRAINT "reserve_statements_hash" CHECK (char_length("reserve_statements"."hash") = 64)
);
--> statement-breakpoint
CREATE TABLE "submissions" (
	"quote_id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"kind" "operation_kind" NOT NULL,
	"status" "submission_status" NOT NULL,
	"user_wallet" "bytea" NOT NULL,
	"tx_signature" "bytea" NOT NULL,
	"last_valid_block_height" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"failure_reason" text,
	"reason" text,
	"program_error_name" text,
	"request_id" text NOT NULL,
	"traceparent" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "submissions_lengths" CHECK (octet_length("submissions"."user_wallet") = 32 and octet_length("submissions"."tx_signature") = 64),
	CONSTRAINT "submissions_traceparent" CHECK ("submissions"."traceparent" ~ '^[0-9a-f-]{55}$'),
	CONSTRAINT "submissions_refusal" CHECK (("submissions"."failure_reason" is null) = ("submissions"."reason" is null))
);
--> statement-breakpoint
CREATE TABLE "trades" (
	"usdc_amount" bigint NOT NULL,
	"gold_amount" bigint NOT NULL,
	"fee_usdc" bigint NOT NULL,
	"slot" bigint NOT NULL,
	"event_seq" bigint,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone,
	"side" "trade_side" NOT NULL,
	"status" "trade_status" NOT NULL,
	"fee_bps" integer NOT NULL,
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"price_per_troy_oz" numeric(32, 12) NOT NULL,
	"tx_signature" "bytea" NOT NULL,
	"failure_reason" text,
	"reason" text,
	"program_error_name" text,
	"made_account" boolean DEFAULT false NOT NULL,
	CONSTRAINT "trades_tx_signature_length" CHECK (octet_length("trades"."tx_signature") = 64),
	CONSTRAINT "trades_fee_bps_range" CHECK ("trades"."fee_bps" between 0 and 10000),
	CONSTRAINT "trades_amounts" CHECK (case "trades"."status"
        when 'confirmed' then "trades"."usdc_amount" > 0 and "trades"."gold_amount" > 0 and "trades"."price_per_troy_oz" > 0 and "trades"."fee_usdc" >= 0
          and "trades"."event_seq" is not null and "trades"."failure_reason" is null and "trades"."reason" is null
        else "trades"."price_per_troy_oz" = 0 and "trades"."fee_usdc" = 0 and "trades"."fee_bps" = 0 and "trades"."event_seq" is null and "trades"."failure_reason" is not null and "trades"."reason" is not null
          and case "trades"."side" when 'buy' then "trades"."usdc_amount" > 0 and "trades"."gold_amount" = 0 else "trades"."gold_amount" > 0 and "trades"."usdc_amount" = 0 end
        end)
);
--> statement-breakpoint
CREATE TABLE "reconciliation_progress" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"compared_slot" bigint NOT NULL,
	"towards_slot" bigint NOT NULL,
	"reviewed_slot" bigint NOT NULL,
	CONSTRAINT "reconciliation_progress_only" CHECK ("reconciliation_progress"."only")
);
--> statement-breakpoint
CREATE TABLE "reconciliations" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"slot" bigint NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"gold_difference" bigint NOT NULL,
	"usdc_difference" bigint NOT NULL,
	"differences" integer NOT NULL,
	CONSTRAINT "reconciliations_only" CHECK ("reconciliations"."only")
);
--> statement-breakpoint
CREATE TABLE "treasury_fundings" (
	"tx_signature" "bytea" NOT NULL,
	"role" "treasury_role" NOT NULL,
	"amount" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "treasury_fundings_tx_signature_role_pk" PRIMARY KEY("tx_signature","role"),
	CONSTRAINT "treasury_fundings_signature_length" CHECK (octet_length("treasury_fundings"."tx_signature") = 64),
	CONSTRAINT "treasury_fundings_amount" CHECK ("treasury_fundings"."amount" <> 0)
);
--> statement-breakpoint
CREATE TABLE "treasury_accounts" (
	"id" smallint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "treasury_accounts_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 32767 START WITH 1 CACHE 1),
	"account" "bytea" NOT NULL,
	"role" "treasury_role" NOT NULL,
	CONSTRAINT "treasury_accounts_account_role" UNIQUE("account","role"),
	CONSTRAINT "treasury_accounts_length" CHECK (octet_length("treasury_accounts"."account") = 32)
);
--> statement-breakpoint
CREATE TABLE "treasury_baselines" (
	"account" "bytea" PRIMARY KEY NOT NULL,
	"role" "treasury_role" NOT NULL,
	"balance" bigint NOT NULL,
	"slot" bigint NOT NULL,
	"summed_slot" bigint NOT NULL,
	"summed" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "user_kyc" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"country" char(2) NOT NULL,
	"kyc_level" text NOT NULL,
	"kyc_verified_at" timestamp (3) with time zone NOT NULL,
	"key_id" integer NOT NULL,
	"identity" "bytea" NOT NULL,
	"search_terms" "bytea"[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"partner_user_id" text NOT NULL,
	"wallet_address" "bytea" NOT NULL,
	"status" "user_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "users_wallet_address" UNIQUE("wallet_address"),
	CONSTRAINT "users_partner_user_id" UNIQUE("partner_id","partner_user_id"),
	CONSTRAINT "users_partner_user_id_length" CHECK (char_length("users"."partner_user_id") between 1 and 255),
	CONSTRAINT "users_wallet_length" CHECK (octet_length("users"."wallet_address") = 32)
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"endpoint_id" uuid NOT NULL,
	"sequence" bigint NOT NULL,
	"event_created_at" timestamp (3) with time zone NOT NULL,
	"type" text NOT NULL,
	"status" "webhook_delivery_status" DEFAULT 'pending' NOT NULL,
	"attempts" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"claimed_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_deliveries_event" UNIQUE("endpoint_id","sequence")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"url" text NOT NULL,
	"types" text[],
	"description" text,
	"status" "webhook_endpoint_status" DEFAULT 'active' NOT NULL,
	"secret" text NOT NULL,
	"previous_secret" text,
	"previous_until" timestamp (3) with time zone,
	"planned_sequence" bigint NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "webhook_endpoints_url_length" CHECK (char_length("webhook_endpoints"."url") between 1 and 2048),
	CONSTRAINT "webhook_endpoints_previous_secret" CHECK (("webhook_endpoints"."previous_secret" is null) = ("webhook_endpoints"."previous_until" is null))
);
--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_requested_by_people_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_decided_by_people_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD CONSTRAINT "operator_transactions_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD CONSTRAINT "operator_transactions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD CONSTRAINT "operator_transactions_operator_id_people_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bars" ADD CONSTRAINT "bars_denomination_id_denominations_id_fk" FOREIGN KEY ("denomination_id") REFERENCES "public"."denominations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "bars" ADD CONSTRAINT "bars_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "id_type_patterns" ADD CONSTRAINT "id_type_patterns_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "denominations" ADD CONSTRAINT "denominations_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_streams" ADD CONSTRAINT "event_streams_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_streams" ADD CONSTRAINT "event_streams_member_id_people_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "event_counters" ADD CONSTRAINT "event_counters_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "challenges" ADD CONSTRAINT "challenges_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fee_spending" ADD CONSTRAINT "fee_spending_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "market_overrides" ADD CONSTRAINT "market_overrides_operator_id_people_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_streams" ADD CONSTRAINT "operator_streams_operator_id_people_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_operator_id_people_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "saved_views" ADD CONSTRAINT "saved_views_operator_id_people_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "paper_requests" ADD CONSTRAINT "paper_requests_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "papers" ADD CONSTRAINT "papers_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_deposits" ADD CONSTRAINT "vault_deposits_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "vault_readings" ADD CONSTRAINT "vault_readings_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_wallets" ADD CONSTRAINT "partner_wallets_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "factor_challenges" ADD CONSTRAINT "factor_challenges_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_invited_by_people_id_fk" FOREIGN KEY ("invited_by") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invitations" ADD CONSTRAINT "invitations_member_id_people_id_fk" FOREIGN KEY ("member_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "known_networks" ADD CONSTRAINT "known_networks_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "passkeys" ADD CONSTRAINT "passkeys_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "people" ADD CONSTRAINT "people_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "recovery_codes" ADD CONSTRAINT "recovery_codes_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "totps" ADD CONSTRAINT "totps_person_id_people_id_fk" FOREIGN KEY ("person_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "pickup_codes" ADD CONSTRAINT "pickup_codes_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemption_history" ADD CONSTRAINT "redemption_history_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_denomination_id_denominations_id_fk" FOREIGN KEY ("denomination_id") REFERENCES "public"."denominations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_assignee_id_people_id_fk" FOREIGN KEY ("assignee_id") REFERENCES "public"."people"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "submissions" ADD CONSTRAINT "submissions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_key_id_kyc_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."kyc_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_endpoint_id_webhook_endpoints_id_fk" FOREIGN KEY ("endpoint_id") REFERENCES "public"."webhook_endpoints"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_endpoints" ADD CONSTRAINT "webhook_endpoints_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_created" ON "approvals" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_one_pending" ON "approvals" USING btree ("action","object_id") WHERE "approvals"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "guarded_transactions_created" ON "guarded_transactions" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_transactions_one_change" ON "operator_transactions" USING btree ("tx_signature") WHERE "operator_transactions"."redemption_id" is null;--> statement-breakpoint
CREATE INDEX "operator_transactions_signature" ON "operator_transactions" USING btree ("tx_signature");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_transactions_one_settlement" ON "operator_transactions" USING btree ("redemption_id") WHERE "operator_transactions"."status" in ('pending', 'confirmed') and ("operator_transactions"."kind" in ('refund', 'burn'));--> statement-breakpoint
CREATE UNIQUE INDEX "operator_transactions_one_announcement" ON "operator_transactions" USING btree ("redemption_id") WHERE "operator_transactions"."status" in ('pending') and not ("operator_transactions"."kind" in ('refund', 'burn'));--> statement-breakpoint
CREATE INDEX "operator_transactions_burn_due" ON "operator_transactions" USING btree ("burn_due_at") WHERE "operator_transactions"."burn_due_at" is not null;--> statement-breakpoint
CREATE INDEX "operator_transactions_pending" ON "operator_transactions" USING btree ("last_valid_block_height") WHERE "operator_transactions"."status" in ('pending');--> statement-breakpoint
CREATE INDEX "operator_transactions_partner" ON "operator_transactions" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "bars_serial_refiner" ON "bars" USING btree (upper("serial"),lower("refiner"));--> statement-breakpoint
CREATE UNIQUE INDEX "bars_one_a_redemption" ON "bars" USING btree ("redemption_id");--> statement-breakpoint
CREATE INDEX "bars_created" ON "bars" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "bars_status_created" ON "bars" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "bars_stock" ON "bars" USING btree ("denomination_id","city_key","status");--> statement-breakpoint
CREATE INDEX "denominations_country_city" ON "denominations" USING btree ("country","city_key");--> statement-breakpoint
CREATE INDEX "event_streams_key" ON "event_streams" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "event_streams_member" ON "event_streams" USING btree ("member_id");--> statement-breakpoint
CREATE INDEX "events_partner_type" ON "events" USING btree (uuid_hash("partner_id"),"type","sequence");--> statement-breakpoint
CREATE INDEX "events_object" ON "events" USING btree ("object_id");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "chain_effects_number" ON "chain_effects" USING btree (uuid_hash_extended("partner_id", 0),"seq");--> statement-breakpoint
CREATE INDEX "chain_effects_slot" ON "chain_effects" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "chain_effects_kind" ON "chain_effects" USING btree ("kind","created_at") WHERE "chain_effects"."kind" in (31, 32);--> statement-breakpoint
CREATE INDEX "chain_effects_service_signers" ON "chain_effects" USING btree ("seq") WHERE "chain_effects"."service_signers" is not null;--> statement-breakpoint
CREATE INDEX "dead_letters_open" ON "dead_letters" USING btree ("created_at","id") WHERE "dead_letters"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "dead_letters_open_reason" ON "dead_letters" USING btree ("reason","created_at","id") WHERE "dead_letters"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "dead_letters_resolved" ON "dead_letters" USING btree ("created_at","id") WHERE "dead_letters"."resolved_at" is not null;--> statement-breakpoint
CREATE INDEX "dead_letters_resolved_reason" ON "dead_letters" USING btree ("reason","created_at","id") WHERE "dead_letters"."resolved_at" is not null;--> statement-breakpoint
CREATE INDEX "dead_letters_created" ON "dead_letters" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "dead_letters_reason" ON "dead_letters" USING btree ("reason","created_at","id");--> statement-breakpoint
CREATE INDEX "dead_letters_retry" ON "dead_letters" USING btree ("retry_requested_at") WHERE "dead_letters"."retry_requested_at" is not null;--> statement-breakpoint
CREATE INDEX "unfinalized_due" ON "unfinalized" USING btree ("check_at","slot");--> statement-breakpoint
CREATE INDEX "api_keys_partner_created" ON "api_keys" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_keys_created" ON "api_keys" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "challenges_expires" ON "challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "budgets_last" ON "budgets" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "velocity_reservations_lapse" ON "velocity_reservations" USING btree ("lapses_at");--> statement-breakpoint
CREATE INDEX "audit_log_object" ON "audit_log" USING btree ("object_type","object_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_object_type" ON "audit_log" USING btree ("object_type","seq");--> statement-breakpoint
CREATE INDEX "audit_log_object_id" ON "audit_log" USING btree ("object_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_person" ON "audit_log" USING btree ("person_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","seq");--> statement-breakpoint
CREATE INDEX "operator_streams_operator" ON "operator_streams" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_tokens_operator" ON "operator_tokens" USING btree ("operator_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_partner_created" ON "orders" USING btree ("partner_id","kind","status","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_created" ON "orders" USING btree ("kind","status","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_tx_signature" ON "orders" USING btree ("tx_signature");--> statement-breakpoint
CREATE INDEX "orders_pending" ON "orders" USING btree ("last_valid_block_height","id") WHERE "orders"."status" in ('pending_signature');--> statement-breakpoint
CREATE INDEX "partner_wallets_partner" ON "partner_wallets" USING btree ("partner_id");--> statement-breakpoint
CREATE UNIQUE INDEX "partners_hash" ON "partners" USING btree (uuid_hash_extended("id", 0));--> statement-breakpoint
CREATE INDEX "factor_challenges_person" ON "factor_challenges" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "factor_challenges_expires" ON "factor_challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "invitations_partner" ON "invitations" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "known_networks_last" ON "known_networks" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "passkeys_person" ON "passkeys" USING btree ("person_id");--> statement-breakpoint
CREATE UNIQUE INDEX "people_operator_email" ON "people" USING btree ("email") WHERE "people"."partner_id" is null;--> statement-breakpoint
CREATE UNIQUE INDEX "people_member_email" ON "people" USING btree ("email") WHERE "people"."partner_id" is not null and "people"."status" = 'active';--> statement-breakpoint
CREATE UNIQUE INDEX "people_wallet" ON "people" USING btree ("wallet_address");--> statement-breakpoint
CREATE UNIQUE INDEX "people_identity" ON "people" USING btree ("issuer","subject");--> statement-breakpoint
CREATE INDEX "people_partner" ON "people" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "recovery_codes_person" ON "recovery_codes" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "sessions_expires" ON "sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sessions_person" ON "sessions" USING btree ("person_id");--> statement-breakpoint
CREATE INDEX "sign_in_attempts_last" ON "sign_in_attempts" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "redemptions_partner_created" ON "redemptions" USING btree ("partner_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_user_created" ON "redemptions" USING btree ("user_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_user_city_created" ON "redemptions" USING btree ("user_id","city_key","status","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_city_created" ON "redemptions" USING btree ("city_key","status","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_partner_city_created" ON "redemptions" USING btree ("partner_id","city_key","status","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_status_created" ON "redemptions" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_waiting" ON "redemptions" USING btree ("denomination_id","city_key") WHERE "redemptions"."status" in ('submitted', 'preparing', 'ready');--> statement-breakpoint
CREATE INDEX "redemptions_quoted" ON "redemptions" USING btree ("last_valid_block_height","id") WHERE "redemptions"."status" = 'quoted';--> statement-breakpoint
CREATE INDEX "redemptions_unsettled" ON "redemptions" USING btree ("status","created_at","id") WHERE "redemptions"."status" in ('cancelled', 'collected') and not "redemptions"."settled";--> statement-breakpoint
CREATE INDEX "redemptions_assigned" ON "redemptions" USING btree ("assignee_id","status","created_at","id") WHERE "redemptions"."assignee_id" is not null;--> statement-breakpoint
CREATE INDEX "redemptions_lapsed" ON "redemptions" USING btree ("updated_at","id") WHERE "redemptions"."status" = 'lapsed';--> statement-breakpoint
CREATE INDEX "request_counts_day" ON "request_counts" USING btree ("day");--> statement-breakpoint
CREATE INDEX "request_log_partner" ON "request_log" USING btree (uuid_hash("partner_id"),"created_at");--> statement-breakpoint
CREATE INDEX "request_log_status" ON "request_log" USING btree (uuid_hash("partner_id"),"status","created_at");--> statement-breakpoint
CREATE INDEX "request_log_method" ON "request_log" USING btree (uuid_hash("partner_id"),hashtext("method"),"created_at");--> statement-breakpoint
CREATE INDEX "request_log_route" ON "request_log" USING btree (uuid_hash("partner_id"),hashtext("route"),"created_at");--> statement-breakpoint
CREATE INDEX "request_log_key" ON "request_log" USING btree (uuid_hash("partner_id"),uuid_hash("key_id"),"created_at");--> statement-breakpoint
CREATE INDEX "request_log_object" ON "request_log" USING btree (uuid_hash("partner_id"),hashtext("object_id"),"created_at");--> statement-breakpoint
CREATE INDEX "request_log_request" ON "request_log" USING btree (uuid_hash("partner_id"),hashtext("request_id"),"created_at");--> statement-breakpoint
CREATE INDEX "submissions_created" ON "submissions" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "submissions_open" ON "submissions" USING btree ("last_valid_block_height","quote_id") WHERE "submissions"."status" in ('submitted') and "submissions"."kind" <> 'redemption';--> statement-breakpoint
CREATE INDEX "trades_made_account" ON "trades" USING btree ("user_id","created_at") WHERE "trades"."made_account";--> statement-breakpoint
CREATE INDEX "trades_created" ON "trades" USING btree ("side","status","created_at");--> statement-breakpoint
CREATE INDEX "trades_partner_created" ON "trades" USING btree ("partner_id","side","status","created_at");--> statement-breakpoint
CREATE INDEX "trades_user_created" ON "trades" USING btree ("user_id","side","status","created_at");--> statement-breakpoint
CREATE INDEX "trades_slot" ON "trades" USING brin ("slot") WITH (pages_per_range=32,autosummarize=true);--> statement-breakpoint
CREATE INDEX "user_kyc_search_terms" ON "user_kyc" USING gin ("search_terms") WITH (fastupdate=false);--> statement-breakpoint
CREATE INDEX "users_partner_created" ON "users" USING btree ("partner_id","status","created_at","id");--> statement-breakpoint
CREATE INDEX "users_created" ON "users" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "users_partner_user_id_begins" ON "users" USING btree ("partner_user_id" text_pattern_ops);--> statement-breakpoint
CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" USING btree ("endpoint_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","next_attempt_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "webhook_endpoints_partner_created" ON "webhook_endpoints" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_created" ON "webhook_endpoints" USING btree ("created_at","id");