CREATE TYPE "public"."api_surface" AS ENUM('partner', 'tradebook');--> statement-breakpoint
CREATE TYPE "public"."approval_status" AS ENUM('pending', 'approved', 'rejected', 'expired');--> statement-breakpoint
CREATE TYPE "public"."operator_transaction_kind" AS ENUM('refund', 'burn', 'create_integrator', 'update_integrator', 'update_executives', 'set_status');--> statement-breakpoint
CREATE TYPE "public"."operator_transaction_status" AS ENUM('pending', 'confirmed', 'failed', 'expired');--> statement-breakpoint
CREATE TYPE "public"."operator_role" AS ENUM('viewer', 'fulfilment', 'compliance', 'admin');--> statement-breakpoint
CREATE TYPE "public"."operator_status" AS ENUM('active', 'disabled');--> statement-breakpoint
CREATE TYPE "public"."order_kind" AS ENUM('purchase', 'sale', 'withdrawal', 'executive_update');--> statement-breakpoint
CREATE TYPE "public"."order_status" AS ENUM('pending_signature', 'confirmed', 'failed', 'expired');--> statement-breakpoint
CREATE TYPE "public"."vault_token" AS ENUM('gold', 'usdc');--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"action" text NOT NULL,
	"object_type" text NOT NULL,
	"object_id" text NOT NULL,
	"request" jsonb NOT NULL,
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
	"operator_id" uuid,
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
CREATE TABLE "operator_sessions" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"ended_at" timestamp (3) with time zone,
	CONSTRAINT "operator_sessions_hash_length" CHECK (octet_length("operator_sessions"."hash") = 32),
	CONSTRAINT "operator_sessions_lifetime" CHECK ("operator_sessions"."expires_at" > "operator_sessions"."created_at")
);
--> statement-breakpoint
CREATE TABLE "operator_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"operator_id" uuid NOT NULL,
	"name" text NOT NULL,
	"hash" "bytea" NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "operator_tokens_hash" UNIQUE("hash"),
	CONSTRAINT "operator_tokens_hash_length" CHECK (octet_length("operator_tokens"."hash") = 32),
	CONSTRAINT "operator_tokens_name_length" CHECK (char_length("operator_tokens"."name") between 1 and 100)
);
--> statement-breakpoint
CREATE TABLE "operator_transactions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" "operator_transaction_kind" NOT NULL,
	"status" "operator_transaction_status" DEFAULT 'pending' NOT NULL,
	"redemption_id" text,
	"partner_id" uuid,
	"amount" numeric(20,0),
	"tx_signature" text,
	"last_valid_block_height" numeric(20,0) NOT NULL,
	"slot" numeric(20,0),
	"failure_reason" text,
	"operator_id" uuid,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operator_transactions_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "operator_transactions_settlement" CHECK (("operator_transactions"."kind" in ('refund', 'burn')) = ("operator_transactions"."redemption_id" is not null) and ("operator_transactions"."redemption_id" is null) = ("operator_transactions"."amount" is null)),
	CONSTRAINT "operator_transactions_failure" CHECK (("operator_transactions"."status" = 'failed') = ("operator_transactions"."failure_reason" is not null))
);
--> statement-breakpoint
CREATE TABLE "operators" (
	"id" uuid PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text NOT NULL,
	"role" "operator_role" NOT NULL,
	"password_hash" text NOT NULL,
	"status" "operator_status" DEFAULT 'active' NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "operators_email" UNIQUE("email"),
	CONSTRAINT "operators_email_form" CHECK ("operators"."email" = lower("operators"."email") and char_length("operators"."email") between 3 and 254),
	CONSTRAINT "operators_name_length" CHECK (char_length("operators"."name") between 1 and 100),
	CONSTRAINT "operators_password_hash" CHECK ("operators"."password_hash" like '$argon2id$%')
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" "order_kind" NOT NULL,
	"status" "order_status" NOT NULL,
	"partner_id" uuid NOT NULL,
	"key_id" uuid,
	"signer" text NOT NULL,
	"integrator" text NOT NULL,
	"destination" text,
	"gold_amount" numeric(20,0),
	"usdc_amount" numeric(20,0),
	"usdc_limit" numeric(20,0),
	"token" "vault_token",
	"added" text[],
	"removed" text[],
	"quoted_price" numeric(32, 12),
	"max_fee_bps" integer,
	"metadata" jsonb,
	"last_valid_block_height" numeric(20,0),
	"expires_at" timestamp (3) with time zone,
	"tx_signature" text,
	"slot" numeric(20,0),
	"executed_gold" numeric(20,0),
	"executed_usdc" numeric(20,0),
	"fee_usdc" numeric(20,0),
	"executed_price" numeric(32, 12),
	"event_seq" numeric(20,0),
	"failure_reason" text,
	"finalized" boolean DEFAULT false NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "orders_tx_signature" UNIQUE("tx_signature"),
	CONSTRAINT "orders_partner_event_seq" UNIQUE("partner_id","event_seq"),
	CONSTRAINT "orders_landed" CHECK (("orders"."status" in ('confirmed', 'failed')) = ("orders"."tx_signature" is not null) and ("orders"."tx_signature" is null) = ("orders"."slot" is null)),
	CONSTRAINT "orders_executed" CHECK (("orders"."status" = 'confirmed') = ("orders"."event_seq" is not null)),
	CONSTRAINT "orders_failure" CHECK (("orders"."status" = 'failed') = ("orders"."failure_reason" is not null)),
	CONSTRAINT "orders_finalized" CHECK (not "orders"."finalized" or "orders"."tx_signature" is not null),
	CONSTRAINT "orders_shape" CHECK (case "orders"."kind"
        when 'purchase' then "orders"."gold_amount" > 0 and "orders"."usdc_limit" is not null
        when 'sale' then "orders"."gold_amount" > 0 and "orders"."usdc_limit" is not null
        when 'withdrawal' then "orders"."token" is not null and "orders"."destination" is not null
          and coalesce("orders"."gold_amount", "orders"."usdc_amount") > 0 and ("orders"."gold_amount" is null) = ("orders"."token" = 'usdc')
        else cardinality("orders"."added") + cardinality("orders"."removed") > 0
        end)
);
--> statement-breakpoint
ALTER TABLE "idempotency_keys" RENAME COLUMN "partner_id" TO "owner_id";--> statement-breakpoint
ALTER TABLE "api_keys" DROP CONSTRAINT "api_keys_wallet_address_partner_wallets_wallet_address_fk";
--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_partner_id_partners_id_fk";
--> statement-breakpoint
ALTER TABLE "idempotency_keys" DROP CONSTRAINT "idempotency_keys_partner_id_route_key_pk";--> statement-breakpoint
ALTER TABLE "api_keys" ALTER COLUMN "partner_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "idempotency_keys" ADD CONSTRAINT "idempotency_keys_owner_id_route_key_pk" PRIMARY KEY("owner_id","route","key");--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "surface" "api_surface" DEFAULT 'partner' NOT NULL;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_requested_by_operators_id_fk" FOREIGN KEY ("requested_by") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_decided_by_operators_id_fk" FOREIGN KEY ("decided_by") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "audit_log" ADD CONSTRAINT "audit_log_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_sessions" ADD CONSTRAINT "operator_sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_tokens" ADD CONSTRAINT "operator_tokens_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD CONSTRAINT "operator_transactions_redemption_id_redemptions_id_fk" FOREIGN KEY ("redemption_id") REFERENCES "public"."redemptions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD CONSTRAINT "operator_transactions_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD CONSTRAINT "operator_transactions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_key_id_api_keys_id_fk" FOREIGN KEY ("key_id") REFERENCES "public"."api_keys"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "approvals_created" ON "approvals" USING btree ("created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "approvals_one_pending" ON "approvals" USING btree ("action","object_id") WHERE "approvals"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "audit_log_object" ON "audit_log" USING btree ("object_type","object_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_operator" ON "audit_log" USING btree ("operator_id","seq");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("action","seq");--> statement-breakpoint
CREATE INDEX "operator_sessions_expires" ON "operator_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "operator_sessions_operator" ON "operator_sessions" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_tokens_operator" ON "operator_tokens" USING btree ("operator_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "operator_transactions_one_settlement" ON "operator_transactions" USING btree ("redemption_id") WHERE "operator_transactions"."status" in ('pending', 'confirmed');--> statement-breakpoint
CREATE INDEX "operator_transactions_pending" ON "operator_transactions" USING btree ("last_valid_block_height") WHERE "operator_transactions"."status" = 'pending';--> statement-breakpoint
CREATE INDEX "operator_transactions_partner" ON "operator_transactions" USING btree ("partner_id","created_at");--> statement-breakpoint
CREATE INDEX "orders_partner_created" ON "orders" USING btree ("partner_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_created" ON "orders" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "orders_pending" ON "orders" USING btree ("last_valid_block_height","id") WHERE "orders"."status" = 'pending_signature';--> statement-breakpoint
CREATE INDEX "orders_not_finalized" ON "orders" USING btree ("slot") WHERE "orders"."tx_signature" is not null and not "orders"."finalized";--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_surface" CHECK (case "api_keys"."surface" when 'partner' then "api_keys"."scope" = 'PARTNER' and "api_keys"."partner_id" is not null and "api_keys"."expires_at" is null
        else "api_keys"."scope" <> 'PARTNER' and ("api_keys"."partner_id" is not null or "api_keys"."scope" = 'ADMIN') end);