-- A search by a user's name is one for the account, so that a channel's index has the account in it and not the name.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_logs_channel_user_idx" ON "usage_logs" USING btree ("channel_id","created_at","id","type","user_id") WHERE not hidden;
--> statement-breakpoint
DROP INDEX IF EXISTS "usage_logs_channel_idx"; -- safe: the new index serves the same searches
