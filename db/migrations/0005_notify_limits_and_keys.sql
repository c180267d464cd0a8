-- A token's own request limit is in force everywhere as soon as it is changed, like everything else of a token.
DROP TRIGGER tokens_notify ON tokens;
--> statement-breakpoint
CREATE TRIGGER tokens_notify AFTER UPDATE ON tokens FOR EACH ROW WHEN (
  (OLD.key_hash, OLD.status, OLD.name, OLD.expired_time, OLD.unlimited_quota, OLD.model_limits_enabled, OLD.model_limits, OLD.allow_ips, OLD.deny_ips, OLD."group", OLD.deleted_at, OLD.user_id, OLD.rate_limit_count, OLD.rate_limit_seconds, OLD.rate_limit_message)
  IS DISTINCT FROM
  (NEW.key_hash, NEW.status, NEW.name, NEW.expired_time, NEW.unlimited_quota, NEW.model_limits_enabled, NEW.model_limits, NEW.allow_ips, NEW.deny_ips, NEW."group", NEW.deleted_at, NEW.user_id, NEW.rate_limit_count, NEW.rate_limit_seconds, NEW.rate_limit_message)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
-- The keys of a channel are part of it.
CREATE FUNCTION weir_notify_channel_keys() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('weir', 'channels:' || coalesce(NEW.channel_id, OLD.channel_id));
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER channel_keys_notify AFTER INSERT OR UPDATE OR DELETE ON channel_keys
  FOR EACH ROW EXECUTE FUNCTION weir_notify_channel_keys();
