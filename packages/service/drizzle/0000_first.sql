CREATE TYPE "public"."api_key_status" AS ENUM('active', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."wallet_status" AS ENUM('active', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."partner_status" AS ENUM('active', 'suspended');--> statement-breakpoint
CREATE TYPE "public"."redemption_status" AS ENUM('quoted', 'submitted', 'preparing', 'ready', 'collected', 'cancellation_requested', 'cancelled', 'failed', 'lapsed');--> statement-breakpoint
CREATE TYPE "public"."trade_side" AS ENUM('buy', 'sell');--> statement-breakpoint
CREATE TYPE "public"."trade_status" AS ENUM('confirmed', 'failed');--> statement-breakpoint
CREATE TYPE "public"."user_status" AS ENUM('active', 'suspended');--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"wallet_address" text NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"scope" text DEFAULT 'PARTNER' NOT NULL,
	"status" "api_key_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "api_keys_hash" UNIQUE("hash"),
	CONSTRAINT "api_keys_hash_length" CHECK (octet_length("api_keys"."hash") = 32),
	CONSTRAINT "api_keys_name_length" CHECK (char_length("api_keys"."name") between 1 and 100),
	CONSTRAINT "api_keys_revoked_at" CHECK (("api_keys"."status" = 'revoked') = ("api_keys"."revoked_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "auth_attempts" (
	"ip" text PRIMARY KEY NOT NULL,
	"hits" bigint[] NOT NULL,
	"admitted" boolean NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "auth_attempts_ip" CHECK (char_length("auth_attempts"."ip") <= 64)
);
--> statement-breakpoint
CREATE TABLE "challenges" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"wallet_address" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "challenges_id" CHECK ("challenges"."id" like 'ch\_%'),
	CONSTRAINT "challenges_lifetime" CHECK ("challenges"."expires_at" > "challenges"."created_at")
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
	CONSTRAINT "id_type_patterns_country_id_type_pk" PRIMARY KEY("country","id_type")
);
--> statement-breakpoint
CREATE TABLE "dead_letters" (
	"id" uuid PRIMARY KEY NOT NULL,
	"signature" text NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"reason" text NOT NULL,
	"detail" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"resolved_at" timestamp (3) with time zone,
	CONSTRAINT "dead_letters_signature_reason" UNIQUE("signature","reason"),
	CONSTRAINT "dead_letters_reason" CHECK ("dead_letters"."reason" ~ '^[a-z_]+$')
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
CREATE TABLE "guarded_transactions" (
	"quote_id" text PRIMARY KEY NOT NULL,
	"tx_signature" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "guarded_transactions_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "guarded_transactions_quote_id" CHECK ("guarded_transactions"."quote_id" ~ '^(trd|red)_')
);
--> statement-breakpoint
CREATE TABLE "idempotency_keys" (
	"partner_id" uuid NOT NULL,
	"route" text NOT NULL,
	"key" text NOT NULL,
	"claim_id" uuid NOT NULL,
	"request_hash" "bytea" NOT NULL,
	"status" smallint,
	"answer" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "idempotency_keys_partner_id_route_key_pk" PRIMARY KEY("partner_id","route","key"),
	CONSTRAINT "idempotency_keys_key_length" CHECK (char_length("idempotency_keys"."key") between 1 and 255),
	CONSTRAINT "idempotency_keys_request_hash_length" CHECK (octet_length("idempotency_keys"."request_hash") = 32),
	CONSTRAINT "idempotency_keys_answer" CHECK (("idempotency_keys"."status" is null) = ("idempotency_keys"."answer" is null))
);
--> statement-breakpoint
CREATE TABLE "indexer_cursors" (
	"address" text PRIMARY KEY NOT NULL,
	"signature" text NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "indexer_rounds" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "indexer_rounds_only" CHECK ("indexer_rounds"."only")
);
--> statement-breakpoint
CREATE TABLE "key_budgets" (
	"key_id" uuid PRIMARY KEY NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"taken" integer NOT NULL,
	"granted" integer NOT NULL,
	CONSTRAINT "key_budgets_counts" CHECK ("key_budgets"."granted" >= 0 and "key_budgets"."taken" >= "key_budgets"."granted")
);
--> statement-breakpoint
CREATE TABLE "partner_wallets" (
	"wallet_address" text PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"status" "wallet_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "partner_wallets_revoked_at" CHECK (("partner_wallets"."status" = 'revoked') = ("partner_wallets"."revoked_at" is not null)),
	CONSTRAINT "partner_wallets_address" CHECK (char_length("partner_wallets"."wallet_address") between 32 and 44)
);
--> statement-breakpoint
CREATE TABLE "partners" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"status" "partner_status" DEFAULT 'active' NOT NULL,
	"fee_percentage" numeric(7, 6) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "partners_name_length" CHECK (char_length("partners"."name") between 1 and 255),
	CONSTRAINT "partners_fee_percentage_range" CHECK ("partners"."fee_percentage" between 0 and 0.5)
);
--> statement-breakpoint
CREATE TABLE "program_events" (
	"partner_id" uuid NOT NULL,
	"seq" numeric(20,0) NOT NULL,
	"kind" smallint NOT NULL,
	"tx_signature" text NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "program_events_partner_id_seq_pk" PRIMARY KEY("partner_id","seq"),
	CONSTRAINT "program_events_seq" CHECK ("program_events"."seq" > 0),
	CONSTRAINT "program_events_kind" CHECK ("program_events"."kind" between 0 and 255)
);
--> statement-breakpoint
CREATE TABLE "redemption_history" (
	"id" uuid PRIMARY KEY NOT NULL,
	"redemption_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"from_status" "redemption_status",
	"to_status" "redemption_status" NOT NULL,
	"actor" text NOT NULL,
	"note" text,
	CONSTRAINT "redemption_history_once" UNIQUE("redemption_id","to_status"),
	CONSTRAINT "redemption_history_start" CHECK (("redemption_history"."from_status" is null) = ("redemption_history"."to_status" = 'quoted')),
	CONSTRAINT "redemption_history_actor" CHECK ("redemption_history"."actor" ~ '^((key|operator):.{1,100}|indexer|sweep)$'),
	CONSTRAINT "redemption_history_note_length" CHECK (char_length("redemption_history"."note") <= 1000)
);
--> statement-breakpoint
CREATE TABLE "redemptions" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"user_id" text NOT NULL,
	"status" "redemption_status" NOT NULL,
	"denomination_id" text NOT NULL,
	"denomination" text NOT NULL,
	"weight_g" numeric(14, 7) NOT NULL,
	"city" text NOT NULL,
	"city_key" text NOT NULL,
	"spot_price_usd" numeric(32, 12) NOT NULL,
	"gold_value_usd" numeric(20,0) NOT NULL,
	"fee_usd" numeric(20,0) NOT NULL,
	"total_usd" numeric(20,0) NOT NULL,
	"tokens_required" numeric(20,0) NOT NULL,
	"user_wallet" text NOT NULL,
	"escrow_account" text NOT NULL,
	"quote_tx_signature" text NOT NULL,
	"last_valid_block_height" numeric(20,0) NOT NULL,
	"tx_signature" text,
	"slot" numeric(20,0),
	"failure_reason" text,
	"finalized" boolean DEFAULT false NOT NULL,
	"cancellation_reason" text,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "redemptions_quote_tx_signature" UNIQUE("quote_tx_signature"),
	CONSTRAINT "redemptions_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "redemptions_id" CHECK ("redemptions"."id" like 'red\_%'),
	CONSTRAINT "redemptions_weight" CHECK ("redemptions"."weight_g" > 0),
	CONSTRAINT "redemptions_amounts" CHECK ("redemptions"."tokens_required" > 0 and "redemptions"."spot_price_usd" > 0 and "redemptions"."gold_value_usd" >= 0 and "redemptions"."fee_usd" >= 0
        and "redemptions"."total_usd" = "redemptions"."gold_value_usd" + "redemptions"."fee_usd"),
	CONSTRAINT "redemptions_landed" CHECK (("redemptions"."status" in ('quoted', 'lapsed')) = ("redemptions"."tx_signature" is null) and ("redemptions"."tx_signature" is null) = ("redemptions"."slot" is null)),
	CONSTRAINT "redemptions_finalized" CHECK (not "redemptions"."finalized" or "redemptions"."tx_signature" is not null),
	CONSTRAINT "redemptions_failure" CHECK (("redemptions"."status" = 'failed') = ("redemptions"."failure_reason" is not null)),
	CONSTRAINT "redemptions_cancellation" CHECK ("redemptions"."cancellation_reason" is null or ("redemptions"."status" in ('cancellation_requested', 'cancelled') and char_length("redemptions"."cancellation_reason") <= 1000))
);
--> statement-breakpoint
CREATE TABLE "token_account_grants" (
	"user_id" text NOT NULL,
	"mint" text NOT NULL,
	"tx_signature" text NOT NULL,
	"last_valid_block_height" numeric(20,0) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"paid_at" timestamp (3) with time zone,
	CONSTRAINT "token_account_grants_user_id_mint_pk" PRIMARY KEY("user_id","mint"),
	CONSTRAINT "token_account_grants_mint" CHECK (char_length("token_account_grants"."mint") between 32 and 44)
);
--> statement-breakpoint
CREATE TABLE "trades" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"user_id" text NOT NULL,
	"side" "trade_side" NOT NULL,
	"status" "trade_status" NOT NULL,
	"usdc_amount" numeric(20,0) NOT NULL,
	"gold_amount" numeric(20,0) NOT NULL,
	"price_per_troy_oz" numeric(32, 12) NOT NULL,
	"fee_bps" integer NOT NULL,
	"fee_usdc" numeric(20,0) NOT NULL,
	"tx_signature" text NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"event_seq" numeric(20,0),
	"failure_reason" text,
	"finalized" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "trades_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "trades_partner_event_seq" UNIQUE("partner_id","event_seq"),
	CONSTRAINT "trades_id" CHECK ("trades"."id" like 'trd\_%'),
	CONSTRAINT "trades_fee_bps_range" CHECK ("trades"."fee_bps" between 0 and 10000),
	CONSTRAINT "trades_amounts" CHECK (case "trades"."status"
        when 'confirmed' then "trades"."usdc_amount" > 0 and "trades"."gold_amount" > 0 and "trades"."price_per_troy_oz" > 0 and "trades"."fee_usdc" >= 0
          and "trades"."event_seq" is not null and "trades"."failure_reason" is null
        else "trades"."price_per_troy_oz" = 0 and "trades"."fee_usdc" = 0 and "trades"."fee_bps" = 0 and "trades"."event_seq" is null and "trades"."failure_reason" is not null
          and case "trades"."side" when 'buy' then "trades"."usdc_amount" > 0 and "trades"."gold_amount" = 0 else "trades"."gold_amount" > 0 and "trades"."usdc_amount" = 0 end
        end)
);
--> statement-breakpoint
CREATE TABLE "user_kyc" (
	"user_id" text PRIMARY KEY NOT NULL,
	"country" char(2) NOT NULL,
	"full_name" text NOT NULL,
	"kyc_provider" text NOT NULL,
	"kyc_level" text NOT NULL,
	"kyc_verified_at" timestamp (3) with time zone NOT NULL,
	"kyc_data" jsonb,
	CONSTRAINT "user_kyc_full_name_length" CHECK (char_length("user_kyc"."full_name") between 1 and 255)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" uuid NOT NULL,
	"partner_user_id" text NOT NULL,
	"wallet_address" text NOT NULL,
	"status" "user_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "users_wallet_address" UNIQUE("wallet_address"),
	CONSTRAINT "users_partner_user_id" UNIQUE("partner_id","partner_user_id"),
	CONSTRAINT "users_id" CHECK ("users"."id" like 'gu\_%'),
	CONSTRAINT "users_partner_user_id_length" CHECK (char_length("users"."partner_user_id") between 1 and 255),
	CONSTRAINT "users_wallet_length" CHECK (char_length("users"."wallet_address") between 32 and 44)
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_wallet_address_partner_wallets_wallet_address_fk" FOREIGN KEY ("wallet_address") REFERENCES "public"."partner_wallets"("wallet_address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "challenges" ADD CONSTRAINT "challenges_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "challenges" ADD CONSTRAINT "challenges_wallet_address_partner_wallets_wallet_address_fk" FOREIGN KEY ("wallet_address") REFERENCES "public"."partner_wallets"("wallet_address") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "id_type_patterns" ADD CONSTRAINT "id_type_patterns_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "denominations" ADD CONSTRAINT "denominations_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "key_budgets" ADD CONSTRAINT "key_budgets_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "partner_wallets" ADD CONSTRAINT "partner_wallets_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemption_history" ADD CONSTRAINT "redemption_history_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_denomination_id_denominations_id_fk" FOREIGN KEY ("denomination_id") REFERENCES "public"."denominations"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "token_account_grants" ADD CONSTRAINT "token_account_grants_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_partner_created" ON "api_keys" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "auth_attempts_last" ON "auth_attempts" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "challenges_expires" ON "challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "dead_letters_open" ON "dead_letters" USING btree ("created_at") WHERE "dead_letters"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "denominations_country_city" ON "denominations" USING btree ("country","city_key");--> statement-breakpoint
CREATE INDEX "idempotency_keys_created" ON "idempotency_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "partner_wallets_partner" ON "partner_wallets" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "redemptions_partner_created" ON "redemptions" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_user_created" ON "redemptions" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_quoted" ON "redemptions" USING btree ("last_valid_block_height","id") WHERE "redemptions"."status" = 'quoted';--> statement-breakpoint
CREATE INDEX "redemptions_not_finalized" ON "redemptions" USING btree ("slot") WHERE "redemptions"."tx_signature" is not null and not "redemptions"."finalized";--> statement-breakpoint
CREATE INDEX "token_account_grants_signature" ON "token_account_grants" USING btree ("tx_signature");--> statement-breakpoint
CREATE INDEX "token_account_grants_reserved" ON "token_account_grants" USING btree ("last_valid_block_height") WHERE "token_account_grants"."paid_at" is null;--> statement-breakpoint
CREATE INDEX "trades_partner_created" ON "trades" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "trades_user_created" ON "trades" USING btree ("user_id","created_at","id");--> statement-breakpoint
CREATE INDEX "trades_not_finalized" ON "trades" USING btree ("slot") WHERE not "trades"."finalized";--> statement-breakpoint
CREATE INDEX "users_partner_created" ON "users" USING btree ("partner_id","created_at","id");