CREATE TABLE "open_charges" (
	"request_id" varchar(64) PRIMARY KEY NOT NULL,
	"user_id" integer NOT NULL,
	"token_id" integer NOT NULL,
	"limited_token_id" integer NOT NULL,
	"reserved" bigint NOT NULL,
	"kind" varchar(16) NOT NULL,
	"object_id" text NOT NULL,
	"channel_id" integer NOT NULL,
	"key_hash" varchar(64) NOT NULL,
	"settlement" jsonb NOT NULL,
	"terms" jsonb NOT NULL,
	"created_at" bigint NOT NULL,
	"next_poll_at" bigint NOT NULL,
	"ends_before" bigint NOT NULL,
	CONSTRAINT "open_charges_amounts_safe" CHECK ("open_charges"."reserved" between -9007199254740991 and 9007199254740991),
	CONSTRAINT "open_charges_reserved_not_negative" CHECK ("open_charges"."reserved" >= 0)
);
--> statement-breakpoint
ALTER TABLE "upstream_objects" ADD COLUMN "details" jsonb;--> statement-breakpoint
CREATE INDEX "open_charges_object_idx" ON "open_charges" USING btree ("user_id","kind","object_id");--> statement-breakpoint
CREATE INDEX "open_charges_poll_idx" ON "open_charges" USING btree ("next_poll_at");