-- Attaches what weir_make_log_table made. Unlike CREATE TABLE … PARTITION OF, this does not lock usage_logs against
-- settlements; only the default partition is locked, and that not longer than the attaching or 100 ms of waiting.
CREATE OR REPLACE FUNCTION weir_attach_log_table(table_name text, first_second bigint, end_second bigint) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
BEGIN
  EXECUTE format('ALTER TABLE usage_logs ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%s)',
    table_name, first_second, end_second);
  EXECUTE format('ALTER TABLE %I DROP CONSTRAINT weir_log_range', table_name);
END $$;
