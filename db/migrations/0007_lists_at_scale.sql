CREATE TABLE "usage_model_hours" (
	"hour" bigint NOT NULL,
	"model_name" text NOT NULL,
	"group" varchar(64) NOT NULL,
	"count" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "usage_model_hours_hour_model_name_group_pk" PRIMARY KEY("hour","model_name","group")
);
--> statement-breakpoint
CREATE TABLE "usage_spans" (
	"dimension" varchar(8) NOT NULL,
	"hours" integer NOT NULL,
	"start" bigint NOT NULL,
	"key" integer NOT NULL,
	"count" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "usage_spans_dimension_hours_start_key_pk" PRIMARY KEY("dimension","hours","start","key")
);
--> statement-breakpoint
DROP INDEX "usage_hourly_user_idx";--> statement-breakpoint
DROP INDEX "usage_logs_token_idx";--> statement-breakpoint
DROP INDEX "affiliate_entries_user_idx";--> statement-breakpoint
DROP INDEX "sessions_user_idx";--> statement-breakpoint
DROP INDEX "ledger_entries_user_idx";--> statement-breakpoint
DROP INDEX "channels_priority_idx";--> statement-breakpoint
DROP INDEX "channels_status_idx";--> statement-breakpoint
DROP INDEX "redemptions_name_idx";--> statement-breakpoint
DROP INDEX "top_ups_status_idx";--> statement-breakpoint
DROP INDEX "usage_logs_user_idx";--> statement-breakpoint
DROP INDEX "usage_logs_channel_idx";--> statement-breakpoint
DROP INDEX "usage_logs_model_idx";--> statement-breakpoint
DROP INDEX "usage_logs_username_idx";--> statement-breakpoint
DROP INDEX "usage_logs_type_idx";--> statement-breakpoint
DROP INDEX "midjourneys_user_idx";--> statement-breakpoint
DROP INDEX "tasks_user_idx";--> statement-breakpoint
DROP INDEX "notifications_user_idx";--> statement-breakpoint
DROP INDEX "bulk_changes_actor_idx";--> statement-breakpoint
DROP INDEX "payment_callbacks_outcome_idx";--> statement-breakpoint
DROP INDEX "audit_entries_subject_idx";--> statement-breakpoint
DROP INDEX "audit_entries_actor_idx";--> statement-breakpoint
DROP INDEX "audit_entries_action_idx";--> statement-breakpoint
DROP INDEX "option_versions_key_idx";--> statement-breakpoint
DROP INDEX "tokens_user_idx";--> statement-breakpoint
CREATE INDEX "usage_spans_quota_idx" ON "usage_spans" USING btree ("dimension","hours","start","quota");--> statement-breakpoint
CREATE INDEX "channels_type_idx" ON "channels" USING btree ("type","id");--> statement-breakpoint
CREATE INDEX "channels_name_idx" ON "channels" USING btree ("name","id");--> statement-breakpoint
CREATE INDEX "channels_fingerprint_idx" ON "channels" USING btree ("key_fingerprint");--> statement-breakpoint
CREATE INDEX "redemptions_status_idx" ON "redemptions" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "redemptions_quota_idx" ON "redemptions" USING btree ("quota","id");--> statement-breakpoint
CREATE INDEX "redemptions_created_idx" ON "redemptions" USING btree ("created_time","id");--> statement-breakpoint
CREATE INDEX "redemptions_redeemed_idx" ON "redemptions" USING btree ("redeemed_time","id");--> statement-breakpoint
CREATE INDEX "top_ups_provider_idx" ON "top_ups" USING btree ("provider","id");--> statement-breakpoint
CREATE INDEX "top_ups_created_idx" ON "top_ups" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "usage_logs_group_idx" ON "usage_logs" USING btree ("group","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "midjourneys_status_idx" ON "midjourneys" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "midjourneys_action_idx" ON "midjourneys" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "midjourneys_channel_idx" ON "midjourneys" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "tasks_task_idx" ON "tasks" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "tasks_submit_idx" ON "tasks" USING btree ("submit_time");--> statement-breakpoint
CREATE INDEX "tasks_status_idx" ON "tasks" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "tasks_action_idx" ON "tasks" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "tasks_channel_idx" ON "tasks" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "users_role_idx" ON "users" USING btree ("role","id");--> statement-breakpoint
CREATE INDEX "users_status_idx" ON "users" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "users_deleted_idx" ON "users" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "users_aff_count_idx" ON "users" USING btree ("aff_count","id");--> statement-breakpoint
CREATE INDEX "users_aff_history_idx" ON "users" USING btree ("aff_history_quota","id");--> statement-breakpoint
CREATE INDEX "affiliate_entries_user_idx" ON "affiliate_entries" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "sessions_user_idx" ON "sessions" USING btree ("user_id","last_seen_at");--> statement-breakpoint
CREATE INDEX "ledger_entries_user_idx" ON "ledger_entries" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "channels_priority_idx" ON "channels" USING btree ("priority","id");--> statement-breakpoint
CREATE INDEX "channels_status_idx" ON "channels" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "redemptions_name_idx" ON "redemptions" USING btree ("name","id");--> statement-breakpoint
CREATE INDEX "top_ups_status_idx" ON "top_ups" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "usage_logs_user_idx" ON "usage_logs" USING btree ("user_id","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_channel_idx" ON "usage_logs" USING btree ("channel_id","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_model_idx" ON "usage_logs" USING btree ("model_name","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_username_idx" ON "usage_logs" USING btree ("username","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_type_idx" ON "usage_logs" USING btree ("type","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "midjourneys_user_idx" ON "midjourneys" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "tasks_user_idx" ON "tasks" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "notifications_user_idx" ON "notifications" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "bulk_changes_actor_idx" ON "bulk_changes" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "payment_callbacks_outcome_idx" ON "payment_callbacks" USING btree ("outcome","id");--> statement-breakpoint
CREATE INDEX "audit_entries_subject_idx" ON "audit_entries" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor_idx" ON "audit_entries" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_action_idx" ON "audit_entries" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "option_versions_key_idx" ON "option_versions" USING btree ("key","id");--> statement-breakpoint
CREATE INDEX "tokens_user_idx" ON "tokens" USING btree ("user_id","id");