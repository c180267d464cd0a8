-- Makes the monthly partitions (UTC) of usage_logs that cover [from_seconds, to_seconds]. Returns how many were new.
CREATE FUNCTION weir_ensure_log_partitions(from_seconds bigint, to_seconds bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', to_timestamp(from_seconds) AT TIME ZONE 'UTC');
  partition_name text;
  made integer := 0;
BEGIN
  WHILE extract(epoch FROM month) <= to_seconds LOOP
    partition_name := 'usage_logs_' || to_char(month, 'YYYY_MM');
    IF to_regclass(partition_name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF usage_logs FOR VALUES FROM (%s) TO (%s)', partition_name,
        extract(epoch FROM month)::bigint, extract(epoch FROM month + interval '1 month')::bigint);
      made := made + 1;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;
--> statement-breakpoint
SELECT weir_ensure_log_partitions(
  extract(epoch FROM now() - interval '3 months')::bigint, extract(epoch FROM now() + interval '3 months')::bigint);
--> statement-breakpoint
-- A row outside every month still has a home; the worker makes months ahead so that this stays empty.
CREATE TABLE usage_logs_default PARTITION OF usage_logs DEFAULT;
--> statement-breakpoint
CREATE FUNCTION weir_notify() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('weir', TG_TABLE_NAME || ':' || CASE WHEN TG_TABLE_NAME = 'options'
    THEN to_jsonb(COALESCE(NEW, OLD)) ->> 'key' ELSE to_jsonb(COALESCE(NEW, OLD)) ->> 'id' END);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER options_notify AFTER INSERT OR UPDATE OR DELETE ON options FOR EACH ROW EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER users_notify_new AFTER INSERT OR DELETE ON users FOR EACH ROW EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
-- Metering changes balances thousands of times a second; only what decides about access is told to the others.
CREATE TRIGGER users_notify AFTER UPDATE ON users FOR EACH ROW WHEN (
  (OLD.username, OLD.role, OLD.status, OLD."group", OLD.session_version, OLD.concurrency_limit, OLD.deleted_at, OLD.setting::text, OLD.access_token_hash)
  IS DISTINCT FROM
  (NEW.username, NEW.role, NEW.status, NEW."group", NEW.session_version, NEW.concurrency_limit, NEW.deleted_at, NEW.setting::text, NEW.access_token_hash)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER tokens_notify_new AFTER INSERT OR DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER tokens_notify AFTER UPDATE ON tokens FOR EACH ROW WHEN (
  (OLD.key_hash, OLD.status, OLD.name, OLD.expired_time, OLD.unlimited_quota, OLD.model_limits_enabled, OLD.model_limits, OLD.allow_ips, OLD.deny_ips, OLD."group", OLD.deleted_at, OLD.user_id)
  IS DISTINCT FROM
  (NEW.key_hash, NEW.status, NEW.name, NEW.expired_time, NEW.unlimited_quota, NEW.model_limits_enabled, NEW.model_limits, NEW.allow_ips, NEW.deny_ips, NEW."group", NEW.deleted_at, NEW.user_id)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER channels_notify_new AFTER INSERT OR DELETE ON channels FOR EACH ROW EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER channels_notify AFTER UPDATE ON channels FOR EACH ROW WHEN (
  (OLD.type, OLD.key_cipher, OLD.openai_organization, OLD.status, OLD.name, OLD.weight, OLD.priority, OLD.base_url, OLD.other, OLD.models, OLD."group", OLD.model_mapping, OLD.status_code_mapping, OLD.auto_ban, OLD.tag, OLD.setting, OLD.param_override)
  IS DISTINCT FROM
  (NEW.type, NEW.key_cipher, NEW.openai_organization, NEW.status, NEW.name, NEW.weight, NEW.priority, NEW.base_url, NEW.other, NEW.models, NEW."group", NEW.model_mapping, NEW.status_code_mapping, NEW.auto_ban, NEW.tag, NEW.setting, NEW.param_override)
) EXECUTE FUNCTION weir_notify();
