-- Failures of a type or a group are counted, drawn and grouped from the index alone; they read all failed rows before.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_logs_failures_idx" ON "usage_logs" USING btree ("created_at","id","error_code","status_code","channel_id","model_name","user_id","error_cause","repeats","type","group") WHERE status_code is not null and not hidden;
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_logs_user_failures_idx" ON "usage_logs" USING btree ("user_id","created_at","id","error_code","status_code","model_name","error_cause","repeats","type","group") WHERE status_code is not null and not hidden;
--> statement-breakpoint
DROP INDEX IF EXISTS "usage_logs_errors_idx"; -- safe: the new index serves the same searches
--> statement-breakpoint
DROP INDEX IF EXISTS "usage_logs_user_errors_idx"; -- safe: the new index serves the same searches
