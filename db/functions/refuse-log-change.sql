-- Rows of the log may change or go only once the time was set before which it is cleared, and that is on record. What is in the
-- default partition is moved into one of its own. When an account is erased, its name may be replaced, and nothing else.
CREATE OR REPLACE FUNCTION weir_refuse_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.created_at < (SELECT position FROM job_positions WHERE job = 'logs-cleared')
    OR (TG_OP = 'DELETE' AND TG_TABLE_NAME = 'usage_logs_default') THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  IF TG_OP = 'UPDATE' AND NEW.username = 'deleted@' || OLD.user_id
    AND to_jsonb(NEW) - 'username' = to_jsonb(OLD) - 'username'
    AND EXISTS (SELECT FROM users WHERE id = OLD.user_id AND username = NEW.username) THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
