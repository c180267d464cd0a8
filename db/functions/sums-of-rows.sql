-- What weir_book_to_outbox sums up, out of whole rows of usage_logs that were read back, e.g. from a journal: one object for
-- each. Refuses what the table would refuse, because nobody looks at the rows again before they are shown.
CREATE OR REPLACE FUNCTION weir_sums_of_rows(rows json) RETURNS json
LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM json_populate_recordset(null::usage_logs, rows)
    WHERE num_nulls(request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
        quota, prompt_tokens, completion_tokens, use_time_ms, is_stream, hidden, client_ip, content) > 0
      OR greatest(abs(quota), abs(cost), abs(unbilled_cost)) > 9007199254740991) THEN
    RAISE EXCEPTION 'a row of the usage log lacks a value, or has one beyond 2^53' USING ERRCODE = 'check_violation';
  END IF;
  RETURN (
    SELECT coalesce(json_agg(json_build_object('place', ordinality - 1, 'hour', created_at - created_at % 3600,
      'user_id', user_id, 'token_id', token_id, 'channel_id', channel_id, 'model_name', model_name, 'group', "group",
      'quota', quota, 'count', (type = 2)::int, 'cost', coalesce(cost, 0), 'unbilled', coalesce(unbilled_cost, 0),
      -- Of a row of the version before, no cost is known.
      'unknown', coalesce(unknown_costs, (type = 2)::int),
      'prompt', CASE WHEN type = 2 THEN prompt_tokens ELSE 0 END,
      'completion', CASE WHEN type = 2 THEN completion_tokens ELSE 0 END, 'last', created_at,
      'hidden', (hidden AND (type = 2 OR quota <> 0))::int)), '[]')
    FROM json_populate_recordset(null::usage_logs, rows) WITH ORDINALITY);
END $$;
