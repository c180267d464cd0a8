-- Books a batch of settlements while a log store is in use (LOG_STORE_URL): as weir_book_settlements, but the rows of the
-- log go to log_outbox as they are, and settled_requests is what makes a repeated settlement change nothing.
-- lib/billing/settlement-batch.ts calls it; lib/billing/outbox-batch.ts tells what its arguments are.
-- SQLSTATE WR002: `is_repeat` is false and one of the requests was settled before. Nothing has changed then.
CREATE OR REPLACE FUNCTION weir_book_to_outbox(node_id_in uuid, user_ids int[], token_ids int[], channel_ids int[],
  request_ids text[], request_users int[], request_times bigint[], items json, extras json, lines text, is_repeat boolean)
RETURNS TABLE (inserted int, charged_user int, charged_token int, dropped_quota bigint, left_quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  free_channels int[];
  row_count int := coalesce(cardinality(request_ids), 0);
  new_count int;
  -- Positions of rows that were settled before; null = none.
  skipped int[];
BEGIN
  -- Locks, in the order of weir_book_settlements.
  PERFORM 1 FROM nodes WHERE id = node_id_in FOR KEY SHARE;
  IF NOT FOUND AND node_id_in IS NOT NULL THEN
    RAISE EXCEPTION 'node % is not registered', node_id_in USING ERRCODE = 'WR001';
  END IF;
  PERFORM 1 FROM users WHERE id = any(user_ids) ORDER BY id FOR NO KEY UPDATE;
  PERFORM 1 FROM tokens WHERE id = any(token_ids) AND user_id = any(user_ids) ORDER BY id FOR NO KEY UPDATE;
  free_channels := array(
    SELECT id FROM channels WHERE id = any(channel_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED);
  IF is_repeat THEN
    items := weir_sums_of_rows(items);
    skipped := weir_settle_again(request_ids, request_users, request_times);
    new_count := row_count - coalesce(cardinality(skipped), 0);
  ELSE
    -- Not ON CONFLICT DO NOTHING, which looks each row up before it writes it: a third of what a row costs here.
    BEGIN
      INSERT INTO settled_requests (request_id, user_id, created_at, slot)
      SELECT request_id, user_id, created_at, (created_at / 86400 % 4)::smallint
      FROM unnest(request_ids, request_users, request_times) AS given(request_id, user_id, created_at);
    EXCEPTION WHEN unique_violation THEN
      RAISE EXCEPTION 'some of these requests were settled before' USING ERRCODE = 'WR002';
    END;
    new_count := row_count;
  END IF;
  -- Few requests make tasks or objects.
  IF extras IS NOT NULL THEN
    PERFORM weir_keep_extras(extras, skipped);
  END IF;
  IF new_count > 0 THEN
    INSERT INTO log_outbox (row_count, skipped, body) VALUES (row_count, skipped, lines);
  END IF;
  RETURN QUERY SELECT * FROM weir_charge_sums(node_id_in, user_ids, token_ids, free_channels, items, skipped, new_count);
END $$;
