ALTER TABLE "dead_letters" ADD COLUMN "retry_requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dead_letters" ADD COLUMN "retried_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "dead_letters_created" ON "dead_letters" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "dead_letters_retry" ON "dead_letters" USING btree ("retry_requested_at") WHERE "dead_letters"."retry_requested_at" is not null;--> statement-breakpoint
CREATE INDEX "redemptions_created" ON "redemptions" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "redemptions_status_created" ON "redemptions" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "trades_created" ON "trades" USING btree ("created_at","id");