ALTER TABLE "usage_logs" ADD COLUMN "status_code" integer;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "error_code" varchar(64) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "error_cause" varchar(160) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "repeats" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "usage_logs_errors_idx" ON "usage_logs" USING btree ("created_at","id","error_code","status_code","channel_id","model_name","user_id","error_cause","repeats") WHERE status_code is not null and not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_user_errors_idx" ON "usage_logs" USING btree ("user_id","created_at","id","error_code","status_code","model_name","error_cause","repeats") WHERE status_code is not null and not hidden;--> statement-breakpoint
-- By hand: the failed requests of the last days get their status and text, so that they are found and grouped at once.
UPDATE "usage_logs" SET "error_cause" = left("content", 160),
  "status_code" = CASE WHEN "other" ->> 'status_code' ~ '^[1-9][0-9]{2}$' THEN ("other" ->> 'status_code')::integer END
WHERE "type" = 5 AND NOT "hidden" AND "created_at" > extract(epoch from now())::bigint - 604800;