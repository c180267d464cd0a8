-- weir_book_settlements for settlements that a process with a log store may have booked before: where some of the
-- processes have LOG_STORE_URL and others do not, or no longer. Those that are in settled_requests change nothing.
CREATE OR REPLACE FUNCTION weir_book_unsettled(node_id_in uuid, user_ids int[], token_ids int[], channel_ids int[], items json)
RETURNS TABLE (inserted int, charged_user int, charged_token int, dropped_quota bigint, left_quota bigint)
LANGUAGE plpgsql AS $$
BEGIN
  -- In the order of weir_book_settlements. With the locks of the users held, nobody else settles a request of theirs.
  PERFORM 1 FROM nodes WHERE id = node_id_in FOR KEY SHARE;
  PERFORM 1 FROM users WHERE id = any(user_ids) ORDER BY id FOR NO KEY UPDATE;
  items := (
    SELECT coalesce(json_agg(item), '[]') FROM json_array_elements(items) AS item
    WHERE NOT EXISTS (
      SELECT FROM settled_requests
      WHERE request_id = item->>'request_id' AND created_at = (item->>'created_at')::bigint
        AND user_id = (item->>'user_id')::int));
  RETURN QUERY SELECT * FROM weir_book_settlements(node_id_in, user_ids, token_ids, channel_ids, items);
END $$;
