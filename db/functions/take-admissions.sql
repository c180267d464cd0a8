-- Takes admissions of a limit in a time: up to `wanted`, and none where fewer than `needed` are left. Each is counted from its own
-- moment for `seconds`, so that a limit of one in a minute admits one a minute. Moments within a 64th of the time count from the
-- last of them. What is taken in advance, beyond `urgent`, counts from the end of `hold` on, until when it may be used.
-- `spent` is counted whatever the limit is. `moment`: null = now; tests give their own.
CREATE OR REPLACE FUNCTION weir_take_admissions(key_in text, allowed int, seconds int, wanted int, urgent int, needed int,
  spent int, hold float8, moment float8)
RETURNS TABLE (granted int, remaining int, wait float8, reset float8, stamp float8, free_stamp float8) LANGUAGE plpgsql AS $$
DECLARE
  kept_ends float8[];
  kept_amounts int[];
  now_at float8;
  used bigint;
BEGIN
  -- The update locks the row, and gives its present state.
  INSERT INTO rate_counters AS counter (key, count, window_start, ends, amounts)
    VALUES (key_in, 0, 0, '{}', '{}')
    ON CONFLICT (key) DO UPDATE SET count = counter.count
    RETURNING coalesce(counter.ends, '{}'), coalesce(counter.amounts, '{}') INTO kept_ends, kept_amounts;
  now_at := coalesce(moment, extract(epoch FROM clock_timestamp())::float8);
  SELECT coalesce(sum(one.amount), 0) INTO used
    FROM unnest(kept_ends, kept_amounts) AS one (at, amount) WHERE one.at + seconds > now_at;
  granted := CASE WHEN allowed - used >= needed THEN least(wanted, allowed - used) ELSE 0 END;
  stamp := now_at;
  free_stamp := now_at + CASE WHEN granted > urgent THEN hold ELSE 0 END;
  used := used + granted + spent;
  SELECT coalesce(array_agg(kept.at ORDER BY kept.at), '{}'), coalesce(array_agg(kept.amount ORDER BY kept.at), '{}')
    INTO kept_ends, kept_amounts
    FROM (SELECT max(one.at) AS at, sum(one.amount)::int AS amount
      FROM (SELECT * FROM unnest(kept_ends, kept_amounts) UNION ALL
          VALUES (now_at, least(granted, urgent) + spent), (free_stamp, granted - urgent)) AS one (at, amount)
      WHERE one.amount > 0 AND one.at + seconds > now_at GROUP BY floor(one.at * 64 / seconds)) AS kept;
  UPDATE rate_counters AS counter SET ends = kept_ends, amounts = kept_amounts,
    count = least(used, 2000000000), window_start = ceil(free_stamp)::bigint + 2 * seconds WHERE key = key_in;
  remaining := greatest(0, allowed - used);
  -- When as many as are needed next are free again, and when all are.
  SELECT coalesce(min(one.at) FILTER (WHERE one.sum >= used + needed - allowed) + seconds - now_at, 0),
    coalesce(max(one.at) + seconds - now_at, 0) INTO wait, reset
    FROM (SELECT part.at, sum(part.amount) OVER (ORDER BY part.at) AS sum FROM unnest(kept_ends, kept_amounts) AS part (at, amount)) AS one;
  IF remaining >= needed THEN wait := 0; END IF;
  RETURN NEXT;
END $$;
