DROP INDEX "usage_logs_user_idx";--> statement-breakpoint
DROP INDEX "usage_logs_channel_idx";--> statement-breakpoint
DROP INDEX "usage_logs_username_idx";--> statement-breakpoint
DROP INDEX "audit_entries_subject_idx";--> statement-breakpoint
CREATE INDEX "usage_logs_user_idx" ON "usage_logs" USING btree ("user_id","created_at","id","type") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_channel_idx" ON "usage_logs" USING btree ("channel_id","created_at","id","type","username") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_username_idx" ON "usage_logs" USING btree ("username","created_at","id","type","model_name","group") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "audit_entries_subject_idx" ON "audit_entries" USING btree ("subject" text_pattern_ops,"id");