ALTER TABLE "audit_entries" ADD COLUMN "via" varchar(16) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "audit_entries" ADD COLUMN "session_id" uuid;