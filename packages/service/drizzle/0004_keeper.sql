CREATE TYPE "public"."keeper_status" AS ENUM('ok', 'warning', 'critical');--> statement-breakpoint
CREATE TYPE "public"."market_state" AS ENUM('open', 'closed');--> statement-breakpoint
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
ALTER TABLE "market_overrides" ADD CONSTRAINT "market_overrides_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "public"."operators"("id") ON DELETE no action ON UPDATE no action;