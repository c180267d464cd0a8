CREATE TABLE "usage_user_hours" (
	"user_id" integer NOT NULL,
	"hour" bigint NOT NULL,
	"model_name" text NOT NULL,
	"group" varchar(64) NOT NULL,
	"count" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "usage_user_hours_user_id_hour_model_name_group_pk" PRIMARY KEY("user_id","hour","model_name","group")
);
--> statement-breakpoint
-- PostgreSQL parses the conditions of a table's triggers and constraints anew in each statement that writes to it. With a list
-- of columns a trigger's condition is not parsed by statements that set none of them, as no charge does.
ALTER TABLE "users" DROP CONSTRAINT "users_amounts_safe",
  DROP CONSTRAINT "users_budgets_safe",
  ADD CONSTRAINT "users_amounts_safe" CHECK (greatest(abs("quota"), abs("reserved"), abs("used_quota"), abs("request_count"), abs("aff_quota"), abs("aff_history_quota")) <= 9007199254740991) NOT VALID,
  ADD CONSTRAINT "users_budgets_safe" CHECK (greatest(abs("budget_day"), abs("budget_week"), abs("budget_month")) <= 9007199254740991) NOT VALID;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER users_notify AFTER UPDATE OF username, role, status, "group", session_version, concurrency_limit, deleted_at, setting, access_token_hash
  ON users FOR EACH ROW WHEN (
  (OLD.username, OLD.role, OLD.status, OLD."group", OLD.session_version, OLD.concurrency_limit, OLD.deleted_at, OLD.setting::text, OLD.access_token_hash) IS DISTINCT FROM
  (NEW.username, NEW.role, NEW.status, NEW."group", NEW.session_version, NEW.concurrency_limit, NEW.deleted_at, NEW.setting::text, NEW.access_token_hash)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER users_notify_limits AFTER UPDATE OF requests_per_minute, tokens_per_minute, budget_day, budget_week, budget_month
  ON users FOR EACH ROW WHEN (
  (OLD.requests_per_minute, OLD.tokens_per_minute, OLD.budget_day, OLD.budget_week, OLD.budget_month) IS DISTINCT FROM
  (NEW.requests_per_minute, NEW.tokens_per_minute, NEW.budget_day, NEW.budget_week, NEW.budget_month)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
ALTER TABLE "tokens" DROP CONSTRAINT "tokens_amounts_safe",
  DROP CONSTRAINT "tokens_budgets_safe",
  ADD CONSTRAINT "tokens_amounts_safe" CHECK (greatest(abs("remain_quota"), abs("reserved"), abs("used_quota")) <= 9007199254740991) NOT VALID,
  ADD CONSTRAINT "tokens_budgets_safe" CHECK (greatest(abs("budget_day"), abs("budget_week"), abs("budget_month")) <= 9007199254740991) NOT VALID;
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tokens_notify AFTER UPDATE OF key_hash, status, name, expired_time, unlimited_quota, model_limits_enabled, model_limits, allow_ips, deny_ips, "group", deleted_at, user_id, rate_limit_count, rate_limit_seconds, rate_limit_message
  ON tokens FOR EACH ROW WHEN (
  (OLD.key_hash, OLD.status, OLD.name, OLD.expired_time, OLD.unlimited_quota, OLD.model_limits_enabled, OLD.model_limits, OLD.allow_ips, OLD.deny_ips, OLD."group", OLD.deleted_at, OLD.user_id, OLD.rate_limit_count, OLD.rate_limit_seconds, OLD.rate_limit_message) IS DISTINCT FROM
  (NEW.key_hash, NEW.status, NEW.name, NEW.expired_time, NEW.unlimited_quota, NEW.model_limits_enabled, NEW.model_limits, NEW.allow_ips, NEW.deny_ips, NEW."group", NEW.deleted_at, NEW.user_id, NEW.rate_limit_count, NEW.rate_limit_seconds, NEW.rate_limit_message)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tokens_notify_limits AFTER UPDATE OF tokens_per_minute, concurrency_limit, budget_day, budget_week, budget_month
  ON tokens FOR EACH ROW WHEN (
  (OLD.tokens_per_minute, OLD.concurrency_limit, OLD.budget_day, OLD.budget_week, OLD.budget_month) IS DISTINCT FROM
  (NEW.tokens_per_minute, NEW.concurrency_limit, NEW.budget_day, NEW.budget_week, NEW.budget_month)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tokens_notify_operations AFTER UPDATE OF operation_limits
  ON tokens FOR EACH ROW WHEN (
  OLD.operation_limits IS DISTINCT FROM NEW.operation_limits
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER tokens_notify_capture AFTER UPDATE OF capture_until
  ON tokens FOR EACH ROW WHEN (
  OLD.capture_until IS DISTINCT FROM NEW.capture_until
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER channels_notify AFTER UPDATE OF type, key_cipher, openai_organization, status, name, weight, priority, base_url, other, models, "group", model_mapping, status_code_mapping, auto_ban, tag, setting, param_override
  ON channels FOR EACH ROW WHEN (
  (OLD.type, OLD.key_cipher, OLD.openai_organization, OLD.status, OLD.name, OLD.weight, OLD.priority, OLD.base_url, OLD.other, OLD.models, OLD."group", OLD.model_mapping, OLD.status_code_mapping, OLD.auto_ban, OLD.tag, OLD.setting, OLD.param_override) IS DISTINCT FROM
  (NEW.type, NEW.key_cipher, NEW.openai_organization, NEW.status, NEW.name, NEW.weight, NEW.priority, NEW.base_url, NEW.other, NEW.models, NEW."group", NEW.model_mapping, NEW.status_code_mapping, NEW.auto_ban, NEW.tag, NEW.setting, NEW.param_override)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER channels_notify_limits AFTER UPDATE OF requests_per_minute, tokens_per_minute, concurrency_limit
  ON channels FOR EACH ROW WHEN (
  (OLD.requests_per_minute, OLD.tokens_per_minute, OLD.concurrency_limit) IS DISTINCT FROM
  (NEW.requests_per_minute, NEW.tokens_per_minute, NEW.concurrency_limit)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE OR REPLACE TRIGGER channels_close_circuits AFTER UPDATE OF type, key_cipher, openai_organization, base_url, other, status, setting
  ON channels FOR EACH ROW WHEN (
  (OLD.type, OLD.key_cipher, OLD.openai_organization, OLD.base_url, OLD.other, OLD.status, OLD.setting) IS DISTINCT FROM
  (NEW.type, NEW.key_cipher, NEW.openai_organization, NEW.base_url, NEW.other, NEW.status, NEW.setting)
) EXECUTE FUNCTION weir_close_circuits('id');
--> statement-breakpoint
ALTER TABLE "users" VALIDATE CONSTRAINT "users_amounts_safe";
--> statement-breakpoint
ALTER TABLE "users" VALIDATE CONSTRAINT "users_budgets_safe";
--> statement-breakpoint
ALTER TABLE "tokens" VALIDATE CONSTRAINT "tokens_amounts_safe";
--> statement-breakpoint
ALTER TABLE "tokens" VALIDATE CONSTRAINT "tokens_budgets_safe";
--> statement-breakpoint
-- The indexes by user and by channel had sums in them, so that each flush wrote all indexes of the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_hourly_user_hour_idx" ON "usage_hourly" USING btree ("user_id","hour");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_hourly_channel_hour_idx" ON "usage_hourly" USING btree ("channel_id","hour");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "usage_hourly_user_idx";
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "usage_hourly_channel_idx";
--> statement-breakpoint
ALTER TABLE "usage_hourly" DROP CONSTRAINT "usage_hourly_amounts_safe",
  DROP CONSTRAINT "usage_hourly_costs_safe",
  ADD CONSTRAINT "usage_hourly_amounts_safe" CHECK (greatest(abs("count"), abs("quota"), abs("prompt_tokens"), abs("completion_tokens")) <= 9007199254740991) NOT VALID,
  ADD CONSTRAINT "usage_hourly_costs_safe" CHECK (greatest(abs("cost"), abs("unbilled_cost"), abs("unknown_costs")) <= 9007199254740991) NOT VALID;
--> statement-breakpoint
ALTER TABLE "usage_hourly" VALIDATE CONSTRAINT "usage_hourly_amounts_safe";
--> statement-breakpoint
ALTER TABLE "usage_hourly" VALIDATE CONSTRAINT "usage_hourly_costs_safe";
