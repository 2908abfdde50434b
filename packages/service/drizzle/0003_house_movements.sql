CREATE TYPE "public"."house_role" AS ENUM('treasury_usdc', 'treasury_gold', 'fee_usdc', 'escrow_gold');--> statement-breakpoint
CREATE TABLE "house_baselines" (
	"account" text PRIMARY KEY NOT NULL,
	"role" "house_role" NOT NULL,
	"balance" numeric(20,0) NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "house_movements" (
	"tx_signature" text NOT NULL,
	"account" text NOT NULL,
	"role" "house_role" NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"change" numeric(20,0) NOT NULL,
	"due" numeric(20,0) NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "house_movements_tx_signature_account_pk" PRIMARY KEY("tx_signature","account")
);
--> statement-breakpoint
ALTER TABLE "orders" DROP CONSTRAINT "orders_tx_signature";--> statement-breakpoint
ALTER TABLE "operator_transactions" ADD COLUMN "finalized" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "house_movements_account" ON "house_movements" USING btree ("account","slot");--> statement-breakpoint
CREATE INDEX "operator_transactions_not_finalized" ON "operator_transactions" USING btree ("slot") WHERE "operator_transactions"."slot" is not null and not "operator_transactions"."finalized";--> statement-breakpoint
CREATE INDEX "orders_tx_signature" ON "orders" USING btree ("tx_signature");