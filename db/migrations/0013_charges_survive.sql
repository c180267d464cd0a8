CREATE TABLE "refused_settlements" (
	"request_id" text PRIMARY KEY NOT NULL,
	"user_id" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"row" text NOT NULL,
	"code" varchar(5) NOT NULL,
	"message" text NOT NULL,
	"attempts" integer DEFAULT 1 NOT NULL,
	"refused_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	"tried_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "refused_settlements_tried_idx" ON "refused_settlements" USING btree ("tried_at");--> statement-breakpoint
-- NOT VALID: rows of today are not read, so that large tables are not locked for long; every new value is checked.
ALTER TABLE "affiliate_entries" ADD CONSTRAINT "affiliate_entries_amounts_safe" CHECK ("affiliate_entries"."amount" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "leases" ADD CONSTRAINT "leases_amounts_safe" CHECK ("leases"."amount" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "ledger_entries" ADD CONSTRAINT "ledger_entries_amounts_safe" CHECK ("ledger_entries"."amount" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD CONSTRAINT "usage_hourly_amounts_safe" CHECK ("usage_hourly"."count" between -9007199254740991 and 9007199254740991 and "usage_hourly"."quota" between -9007199254740991 and 9007199254740991 and "usage_hourly"."prompt_tokens" between -9007199254740991 and 9007199254740991 and "usage_hourly"."completion_tokens" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "channels" ADD CONSTRAINT "channels_amounts_safe" CHECK ("channels"."used_quota" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "redemptions" ADD CONSTRAINT "redemptions_amounts_safe" CHECK ("redemptions"."quota" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "top_ups" ADD CONSTRAINT "top_ups_amounts_safe" CHECK ("top_ups"."quota" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_amounts_safe" CHECK ("quota" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_amounts_safe" CHECK ("tokens"."remain_quota" between -9007199254740991 and 9007199254740991 and "tokens"."reserved" between -9007199254740991 and 9007199254740991 and "tokens"."used_quota" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_amounts_safe" CHECK ("users"."quota" between -9007199254740991 and 9007199254740991 and "users"."reserved" between -9007199254740991 and 9007199254740991 and "users"."used_quota" between -9007199254740991 and 9007199254740991 and "users"."request_count" between -9007199254740991 and 9007199254740991 and "users"."aff_quota" between -9007199254740991 and 9007199254740991 and "users"."aff_history_quota" between -9007199254740991 and 9007199254740991) NOT VALID;