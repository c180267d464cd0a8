-- Makes the monthly partitions (UTC) of usage_logs in [from_seconds, to_seconds]; returns how many were new. Months of
-- which a part is there are left alone. The worker of the version before and the tools call it; the worker of this
-- version makes one at a time (lib/usage-log/partitions.ts).
CREATE OR REPLACE FUNCTION weir_ensure_log_partitions(from_seconds bigint, to_seconds bigint) RETURNS integer
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
  month timestamp := date_trunc('month', to_timestamp(from_seconds) AT TIME ZONE 'UTC');
  first_second bigint;
  end_second bigint;
  table_name text;
  made integer := 0;
BEGIN
  WHILE extract(epoch FROM month) <= to_seconds LOOP
    table_name := 'usage_logs_' || to_char(month, 'YYYY_MM');
    first_second := extract(epoch FROM month)::bigint;
    end_second := extract(epoch FROM month + interval '1 month')::bigint;
    IF to_regclass(table_name) IS NULL AND NOT EXISTS (
      SELECT FROM pg_inherits
      JOIN pg_class child ON child.oid = inhrelid
      CROSS JOIN LATERAL regexp_match(pg_get_expr(child.relpartbound, child.oid), 'FROM \(''?(\d+)''?\) TO \(''?(\d+)''?\)') AS bounds
      WHERE inhparent = 'usage_logs'::regclass AND bounds[1]::bigint < end_second AND bounds[2]::bigint > first_second
    ) THEN
      PERFORM weir_make_log_table(table_name, first_second, end_second);
      PERFORM weir_attach_log_table(table_name, first_second, end_second);
      made := made + 1;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;
