-- Books a large batch of new settlements in one round trip; lib/billing/settlement-batch.ts calls it and tells what it promises,
-- lib/billing/log-batch.ts has its arguments in the same order: a column of the log is an array, null = the default in each row.
-- Arrays and a plain INSERT cost half of what JSON and ON CONFLICT DO NOTHING do (tools/bench/README.md).
-- SQLSTATE WR002: one of the requests was settled before. Nothing has changed then; weir_book_unsettled takes such batches.
CREATE OR REPLACE FUNCTION weir_book_to_log(node_id_in uuid, user_ids int[], token_ids int[], channel_ids int[],
  items json, extras json, request_ids text[], times bigint[], types int[], users int[], usernames text[], tokens int[],
  token_names text[], channels int[], model_names text[], groups text[], quotas bigint[], costs bigint[],
  unbilled_costs bigint[], unknowns int[], prompts int[], completions int[], use_times int[], first_tokens int[],
  streams boolean[], hiddens boolean[], client_ips text[], contents text[], status_codes int[], error_codes text[],
  error_causes text[], repeat_counts int[], others text)
RETURNS TABLE (inserted int, charged_user int, charged_token int, dropped_quota bigint, left_quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Channels whose rows nobody else locks at the moment.
  free_channels int[];
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
  BEGIN
    INSERT INTO usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name,
      "group", quota, cost, unbilled_cost, unknown_costs, prompt_tokens, completion_tokens, use_time_ms, first_token_ms,
      is_stream, hidden, client_ip, content, status_code, error_code, error_cause, repeats, other)
    SELECT request_id, created_at, coalesce(type, 2), user_id, username, token_id, token_name, channel_id, model_name,
      "group", quota, cost, coalesce(unbilled_cost, 0), coalesce(unknown_costs, 0), prompt_tokens, completion_tokens,
      use_time_ms, first_token_ms, coalesce(is_stream, false), coalesce(hidden, false), client_ip, coalesce(content, ''),
      status_code, coalesce(error_code, ''), coalesce(error_cause, ''), coalesce(repeats, 0), other::jsonb
    FROM unnest(request_ids, times, types, users, usernames, tokens, token_names, channels, model_names, groups, quotas,
      costs, unbilled_costs, unknowns, prompts, completions, use_times, first_tokens, streams, hiddens, client_ips,
      contents, status_codes, error_codes, error_causes, repeat_counts, string_to_array(others, E'\n'))
      AS item(request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
        quota, cost, unbilled_cost, unknown_costs, prompt_tokens, completion_tokens, use_time_ms, first_token_ms,
        is_stream, hidden, client_ip, content, status_code, error_code, error_cause, repeats, other);
  EXCEPTION WHEN unique_violation THEN
    RAISE EXCEPTION 'some of these requests were settled before' USING ERRCODE = 'WR002';
  END;
  -- Few requests make tasks or objects.
  IF extras IS NOT NULL THEN
    PERFORM weir_keep_extras(extras, null);
  END IF;
  RETURN QUERY SELECT * FROM weir_charge_sums(node_id_in, user_ids, token_ids, free_channels, items, null,
    coalesce(cardinality(request_ids), 0));
END $$;
