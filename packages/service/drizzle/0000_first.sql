CREATE TYPE "public"."api_key_status" AS ENUM('active', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."wallet_status" AS ENUM('active', 'revoked');--> statement-breakpoint
CREATE TYPE "public"."partner_status" AS ENUM('active', 'suspended');--> statement-breakpoint
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
CREATE TABLE "indexer_cursors" (
	"address" text PRIMARY KEY NOT NULL,
	"signature" text NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
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
ALTER TABLE "partner_wallets" ADD CONSTRAINT "partner_wallets_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "trades" ADD CONSTRAINT "trades_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "user_kyc" ADD CONSTRAINT "user_kyc_country_countries_code_fk" FOREIGN KEY ("country") REFERENCES "public"."countries"("code") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "api_keys_partner_created" ON "api_keys" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "auth_attempts_last" ON "auth_attempts" USING btree ("last_at");--> statement-breakpoint
CREATE INDEX "challenges_expires" ON "challenges" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "dead_letters_open" ON "dead_letters" USING btree ("created_at") WHERE "dead_letters"."resolved_at" is null;--> statement-breakpoint
CREATE INDEX "partner_wallets_partner" ON "partner_wallets" USING btree ("partner_id");--> statement-breakpoint
CREATE INDEX "trades_partner_created" ON "trades" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "trades_not_finalized" ON "trades" USING btree ("slot") WHERE not "trades"."finalized";--> statement-breakpoint
CREATE INDEX "users_partner_created" ON "users" USING btree ("partner_id","created_at","id");