CREATE TABLE "reconciliations" (
	"only" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"slot" numeric(20,0) NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"gold_difference" numeric(20,0) NOT NULL,
	"usdc_difference" numeric(20,0) NOT NULL,
	"differences" integer NOT NULL,
	"reviewed_slot" numeric(20,0) NOT NULL,
	CONSTRAINT "reconciliations_only" CHECK ("reconciliations"."only")
);
--> statement-breakpoint
ALTER TABLE "dead_letters" ADD COLUMN "resolution" text;--> statement-breakpoint
ALTER TABLE "house_baselines" ADD COLUMN "summed_slot" numeric(20,0) NOT NULL;--> statement-breakpoint
ALTER TABLE "house_baselines" ADD COLUMN "summed" numeric(20,0) NOT NULL;--> statement-breakpoint
ALTER TABLE "indexer_rounds" ADD COLUMN "seen_slot" numeric(20,0);--> statement-breakpoint
ALTER TABLE "indexer_rounds" ADD COLUMN "seen_accounts" text[];--> statement-breakpoint
CREATE INDEX "house_movements_slot" ON "house_movements" USING btree ("slot");--> statement-breakpoint
CREATE INDEX "trades_slot" ON "trades" USING btree ("slot");--> statement-breakpoint
ALTER TABLE "dead_letters" ADD CONSTRAINT "dead_letters_resolution" CHECK ("dead_letters"."resolution" is null or "dead_letters"."resolved_at" is not null);--> statement-breakpoint
ALTER TABLE "indexer_rounds" ADD CONSTRAINT "indexer_rounds_seen" CHECK (("indexer_rounds"."seen_slot" is null) = ("indexer_rounds"."seen_accounts" is null));