-- Takes a part of what a user or token may still spend in its day, week and month, for one process. token_id_in 0 = the
-- user's budget. What was spent in a period is used_quota less what it was when the period began; parts that processes hold
-- are in budget_holds. The owner's row is locked, so that no charge comes between. lib/relay/limits/budget-commands.ts calls it.
CREATE OR REPLACE FUNCTION weir_take_user_budget(user_id_in int, token_id_in int, node_id_in uuid, starts bigint[],
  limits bigint[], wanted bigint, needed bigint, least_in bigint, dropped bigint)
RETURNS TABLE (granted bigint, left_day bigint, left_week bigint, left_month bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  periods text[] := array['day', 'week', 'month'];
  owner_in text := CASE WHEN token_id_in = 0 THEN 'user' ELSE 'token' END;
  id_in int := CASE WHEN token_id_in = 0 THEN user_id_in ELSE token_id_in END;
  used bigint;
  base bigint;
  held bigint;
  given bigint := 0;
  remains bigint[] := array[null, null, null]::bigint[];
  room bigint;
BEGIN
  -- Before the owner, as whoever removes a node does.
  PERFORM 1 FROM nodes WHERE id = node_id_in FOR KEY SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'node % is not registered', node_id_in USING ERRCODE = 'WR001';
  END IF;
  IF token_id_in = 0 THEN
    SELECT used_quota INTO used FROM users WHERE id = user_id_in FOR NO KEY UPDATE;
  ELSE
    SELECT used_quota INTO used FROM tokens WHERE id = token_id_in AND user_id = user_id_in FOR NO KEY UPDATE;
  END IF;
  FOR i IN 1..3 LOOP
    CONTINUE WHEN limits[i] <= 0;
    SELECT baseline INTO base FROM budget_periods
      WHERE user_id = user_id_in AND owner = owner_in AND owner_id = id_in AND period = periods[i] AND start >= starts[i];
    IF NOT FOUND THEN
      SELECT used - coalesce(sum(quota), 0) INTO base FROM usage_hourly
        WHERE user_id = user_id_in AND hour >= starts[i] - starts[i] % 3600 AND (token_id_in = 0 OR token_id = token_id_in);
      -- A period that begins within an hour, as days do in some time zones, has not what the hour's rows before it cost. Rows in a
      -- log store are not here: the caller has then written the baseline.
      IF starts[i] % 3600 <> 0 THEN
        SELECT base + coalesce(sum(quota), 0) INTO base FROM usage_logs
          WHERE created_at >= starts[i] - starts[i] % 3600 AND created_at < starts[i]
            AND user_id = user_id_in AND (token_id_in = 0 OR token_id = token_id_in)
            AND (type = 2 OR type = 4 AND starts_with(request_id, 'end:'));
      END IF;
      -- The key without the user is that of the version before. It may have left a row without one.
      INSERT INTO budget_periods (user_id, owner, owner_id, period, start, baseline)
        VALUES (user_id_in, owner_in, id_in, periods[i], starts[i], base)
        ON CONFLICT (owner, owner_id, period)
          DO UPDATE SET user_id = excluded.user_id, start = excluded.start, baseline = excluded.baseline;
    END IF;
    remains[i] := limits[i] - (used - base);
    room := least(room, remains[i]);
  END LOOP;
  UPDATE budget_holds SET amount = greatest(0, amount - dropped)
    WHERE user_id = user_id_in AND owner = owner_in AND owner_id = id_in AND node_id = node_id_in AND dropped > 0;
  SELECT coalesce(sum(amount), 0) INTO held FROM budget_holds
    WHERE user_id = user_id_in AND owner = owner_in AND owner_id = id_in;
  room := room - held;
  given := CASE WHEN room >= wanted THEN wanted WHEN room >= needed THEN needed WHEN room >= least_in THEN room ELSE 0 END;
  IF given > 0 THEN
    INSERT INTO budget_holds AS mine (user_id, owner, owner_id, node_id, amount)
      VALUES (user_id_in, owner_in, id_in, node_id_in, given)
      ON CONFLICT (owner, owner_id, node_id)
        DO UPDATE SET user_id = excluded.user_id, amount = mine.amount + excluded.amount;
  END IF;
  RETURN QUERY SELECT given, remains[1], remains[2], remains[3];
END $$;
