-- What comes with charges in weir_book_to_log and weir_book_to_outbox: the objects that upstreams keep for users, and tasks.
-- `extras` has the rows with such, each with its position in the batch; as in weir_book_settlements, a repeated charge makes
-- no task.
CREATE OR REPLACE FUNCTION weir_keep_extras(extras json, skipped int[]) RETURNS void
LANGUAGE sql AS $$
  INSERT INTO upstream_objects AS known
    (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, tokens, token_id)
  SELECT DISTINCT ON (1, 2, 3) (item->'row'->>'user_id')::int, object.kind, object.object_id, object.channel_id,
    object.key_hash, (item->'row'->>'created_at')::bigint, object.expires_at, object.tokens,
    (item->'row'->>'token_id')::int
  FROM json_array_elements(extras) AS item,
    json_populate_recordset(null::upstream_objects, item->'row'->'upstream_objects') AS object
  WHERE item->'row'->'upstream_objects' IS NOT NULL
  ORDER BY 1, 2, 3, 6 DESC
  ON CONFLICT (user_id, kind, object_id) DO UPDATE SET channel_id = excluded.channel_id,
    key_hash = excluded.key_hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
    tokens = excluded.tokens, token_id = excluded.token_id
  WHERE known.created_at <= excluded.created_at;

  WITH charged AS (
    SELECT item->'row'->'task' AS task, logged.* FROM json_array_elements(extras) AS item
    CROSS JOIN LATERAL json_populate_record(null::usage_logs, item->'row') AS logged
    WHERE item->'row'->'task' IS NOT NULL AND (skipped IS NULL OR (item->>'place')::int <> all(skipped))),
  made AS (
    INSERT INTO tasks (created_at, updated_at, task_id, platform, wire, action, user_id, token_id, channel_id, key_hash,
      upstream_id, request_id, model_name, "group", price, meters, quota, code, prompt, prompt_en, description, state,
      status, progress, fail_reason, submit_time, start_time, finish_time, expires_time, results, properties, data)
    SELECT charged.created_at, charged.created_at, task.task_id, task.platform, task.wire, task.action, charged.user_id,
      charged.token_id, charged.channel_id, task.key_hash, task.upstream_id, charged.request_id, charged.model_name,
      charged."group", task.price, task.meters, charged.quota, task.code, task.prompt, task.prompt_en, task.description,
      task.state, task.status, task.progress, task.fail_reason, task.submit_time, task.start_time, task.finish_time,
      task.expires_time, task.results, task.properties, task.data
    FROM charged CROSS JOIN LATERAL json_populate_record(null::tasks, charged.task) AS task
    RETURNING id, request_id, user_id, quota, created_at)
  INSERT INTO task_movements (reference, task, user_id, amount, created_at)
  SELECT 'charge:' || request_id, id, user_id, quota, created_at FROM made;
$$;
