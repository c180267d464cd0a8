CREATE TABLE "unknown_key_hours" (
	"hour" bigint NOT NULL,
	"address" varchar(64) NOT NULL,
	"count" bigint NOT NULL,
	CONSTRAINT "unknown_key_hours_hour_address_pk" PRIMARY KEY("hour","address")
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "capture_by_admin" boolean DEFAULT false NOT NULL;