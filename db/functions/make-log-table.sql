-- Makes an ordinary table that can become the partition [first_second, end_second) of usage_logs. Reads only the
-- definition of usage_logs, so nobody waits. Its constraint spares the attaching a scan.
CREATE OR REPLACE FUNCTION weir_make_log_table(table_name text, first_second bigint, end_second bigint) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
BEGIN
  -- The numbers of the rows come from usage_logs; a partition must not count for itself. Reading an index alone needs pages
  -- that vacuum has marked, so it comes often; LIKE does not copy these settings.
  EXECUTE format('CREATE TABLE %I (LIKE usage_logs INCLUDING ALL EXCLUDING IDENTITY)
    WITH (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000)', table_name);
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT weir_log_range CHECK (created_at >= %s AND created_at < %s)',
    table_name, first_second, end_second);
END $$;
