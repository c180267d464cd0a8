ALTER TABLE "redemptions" ADD COLUMN "expired_time" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_logs_account_idx" ON "usage_logs" USING btree ("user_id","created_at","id","type","model_name","group") WHERE not hidden;
--> statement-breakpoint
-- The one above begins with the same columns.
DROP INDEX IF EXISTS "usage_logs_user_idx"; -- safe: the new index serves the same searches
--> statement-breakpoint
DROP INDEX IF EXISTS "usage_logs_username_idx"; -- safe: the version before searches by a name more slowly until it is replaced
