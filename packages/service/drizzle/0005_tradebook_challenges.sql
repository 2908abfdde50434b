CREATE TABLE "tradebook_challenges" (
	"id" text PRIMARY KEY NOT NULL,
	"partner_id" uuid,
	"wallet_address" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"used_at" timestamp (3) with time zone,
	CONSTRAINT "tradebook_challenges_id" CHECK ("tradebook_challenges"."id" like 'ch\_%'),
	CONSTRAINT "tradebook_challenges_address" CHECK (char_length("tradebook_challenges"."wallet_address") between 32 and 44),
	CONSTRAINT "tradebook_challenges_lifetime" CHECK ("tradebook_challenges"."expires_at" > "tradebook_challenges"."created_at")
);
--> statement-breakpoint
ALTER TABLE "tradebook_challenges" ADD CONSTRAINT "tradebook_challenges_partner_id_partners_id_fk" FOREIGN KEY ("partner_id") REFERENCES "public"."partners"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "tradebook_challenges_expires" ON "tradebook_challenges" USING btree ("expires_at");