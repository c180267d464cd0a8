-- Moves rows that were on their way to a log store into usage_logs: the store is not used any more. Those of a batch that is
-- being sent stay, because the store may have them. `flushes` rows of log_outbox at most; returns how many rows of the log.
CREATE OR REPLACE FUNCTION weir_move_outbox(flushes int) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  moved int;
BEGIN
  WITH taken AS (
    DELETE FROM log_outbox WHERE id IN (
      SELECT id FROM log_outbox
      WHERE NOT EXISTS (SELECT FROM log_batches WHERE log_outbox.id = any(outbox_ids)) ORDER BY id LIMIT flushes
      FOR UPDATE SKIP LOCKED)
    RETURNING id, skipped, body),
  lines AS (
    SELECT taken.id * 4096 + place - 1 AS log_id, json_populate_record(null::usage_logs, line::json) AS row
    FROM taken, string_to_table(body, E'\n') WITH ORDINALITY AS line(line, place)
    WHERE skipped IS NULL OR place - 1 <> all(skipped))
  INSERT INTO usage_logs (id, request_id, created_at, type, user_id, username, token_id, token_name, channel_id,
    model_name, "group", quota, cost, unbilled_cost, unknown_costs, prompt_tokens, completion_tokens, use_time_ms,
    first_token_ms, is_stream, hidden, client_ip, content, other, status_code, error_code, error_cause, repeats)
  SELECT log_id, (row).request_id, (row).created_at, (row).type, (row).user_id, (row).username, (row).token_id,
    (row).token_name, (row).channel_id, (row).model_name, (row)."group", (row).quota, (row).cost,
    coalesce((row).unbilled_cost, 0), (row).unknown_costs, (row).prompt_tokens, (row).completion_tokens,
    (row).use_time_ms, (row).first_token_ms, (row).is_stream, (row).hidden, (row).client_ip, (row).content,
    coalesce((row).other, '{}'::jsonb), (row).status_code, coalesce((row).error_code, ''),
    coalesce((row).error_cause, ''), coalesce((row).repeats, 0)
  FROM (SELECT log_id, row FROM lines ORDER BY log_id) AS ordered
  ON CONFLICT DO NOTHING;
  GET DIAGNOSTICS moved = ROW_COUNT;
  RETURN moved;
END $$;
