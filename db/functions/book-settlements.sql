-- Books a batch of settlements of which some may have been booked before: a small one, one of weir_book_unsettled, and each of
-- the version before. lib/billing/settlement-batch.ts tells what it promises.
-- Locks and charges are separate statements: in READ COMMITTED the later one sees what is true once the locks are held.
-- A new column of the log that must not be null needs a coalesce: processes of the version before do not send it.
CREATE OR REPLACE FUNCTION weir_book_settlements(node_id_in uuid, user_ids int[], token_ids int[], channel_ids int[], items json)
RETURNS TABLE (inserted int, charged_user int, charged_token int, dropped_quota bigint, left_quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Whose charges of channels are put aside; what has no process shares one name.
  book_as uuid := coalesce(node_id_in, '00000000-0000-0000-0000-000000000000');
  -- Channels whose rows nobody else locks at the moment.
  free_channels int[];
  whole text := items::text;
  -- Few requests make tasks, so the others pay for a search in the text only.
  with_tasks json := CASE WHEN strpos(whole, '"task":{') > 0 THEN items ELSE '[]' END;
BEGIN
  -- Locks what the batch touches: nodes, users, tokens, channels, each by ascending id.
  PERFORM 1 FROM nodes WHERE id = node_id_in FOR KEY SHARE;
  -- A node that was swept writes nothing until it has registered again: of a dead process nothing can come late, e.g.
  -- after a sibling has booked what its journal knew of an open stream.
  IF NOT FOUND AND node_id_in IS NOT NULL THEN
    RAISE EXCEPTION 'node % is not registered', node_id_in USING ERRCODE = 'WR001';
  END IF;
  PERFORM 1 FROM users WHERE id = any(user_ids) ORDER BY id FOR NO KEY UPDATE;
  PERFORM 1 FROM tokens WHERE id = any(token_ids) AND user_id = any(user_ids) ORDER BY id FOR NO KEY UPDATE;
  -- A channel that another process charges is not waited for: all callers share it, so all flushes would queue up there.
  free_channels := array(
    SELECT id FROM channels WHERE id = any(channel_ids) ORDER BY id FOR NO KEY UPDATE SKIP LOCKED);
  -- What upstreams keep for users. Few requests make an object, so the others pay for a search in the text only.
  IF strpos(whole, '"upstream_objects":') > 0 THEN
    INSERT INTO upstream_objects AS known
      (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, tokens, token_id)
    SELECT DISTINCT ON (1, 2, 3) (item->>'user_id')::int, object.kind, object.object_id, object.channel_id,
      object.key_hash, (item->>'created_at')::bigint, object.expires_at, object.tokens, (item->>'token_id')::int
    FROM json_array_elements(items) AS item,
      json_populate_recordset(null::upstream_objects, item->'upstream_objects') AS object
    ORDER BY 1, 2, 3, 6 DESC
    -- An upstream that gives an id twice means the later one. Nothing older takes its place, e.g. out of a journal.
    ON CONFLICT (user_id, kind, object_id) DO UPDATE SET channel_id = excluded.channel_id,
      key_hash = excluded.key_hash, created_at = excluded.created_at, expires_at = excluded.expires_at,
      tokens = excluded.tokens, token_id = excluded.token_id
    WHERE known.created_at <= excluded.created_at;
  END IF;
  RETURN QUERY
    with held as materialized (
      select user_id, token_id, amount from leases
      where node_id = node_id_in and user_id = any(user_ids) and token_id = any(0 || token_ids)),
    logged as (
      insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id,
        model_name, "group", quota, cost, unbilled_cost, unknown_costs, prompt_tokens, completion_tokens, use_time_ms,
        first_token_ms, is_stream, hidden, client_ip, content, other, status_code, error_code, error_cause, repeats)
      select request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
        quota, cost, coalesce(unbilled_cost, 0), unknown_costs, prompt_tokens, completion_tokens, use_time_ms,
        first_token_ms, is_stream, hidden, client_ip, content, coalesce(other, '{}'::jsonb), status_code,
        coalesce(error_code, ''), coalesce(error_cause, ''), coalesce(repeats, 0)
      from json_populate_recordset(null::usage_logs, items)
      on conflict (request_id, user_id, created_at) do nothing
      returning request_id, created_at, type, user_id, token_id, channel_id, model_name, "group", quota, cost, unbilled_cost,
        unknown_costs, prompt_tokens, completion_tokens, hidden),
    -- A task comes with its charge, and with nothing else: a request that is booked already makes none.
    made as (
      insert into tasks (created_at, updated_at, task_id, platform, wire, action, user_id, token_id, channel_id, key_hash,
        upstream_id, request_id, model_name, "group", price, meters, quota, code, prompt, prompt_en, description, state,
        status, progress, fail_reason, submit_time, start_time, finish_time, expires_time, results, properties, data)
      select logged.created_at, logged.created_at, task.task_id, task.platform, task.wire, task.action, logged.user_id,
        logged.token_id, logged.channel_id, task.key_hash, task.upstream_id, logged.request_id, logged.model_name,
        logged."group", task.price, task.meters, logged.quota, task.code, task.prompt, task.prompt_en, task.description,
        task.state, task.status, task.progress, task.fail_reason, task.submit_time, task.start_time, task.finish_time,
        task.expires_time, task.results, task.properties, task.data
      from json_array_elements(with_tasks) as item
      cross join lateral json_populate_record(null::tasks, item->'task') as task
      join logged on logged.request_id = item->>'request_id' and logged.user_id = (item->>'user_id')::int
      where item->'task' is not null
      returning id, request_id, user_id, quota, created_at),
    moved as (
      insert into task_movements (reference, task, user_id, amount, created_at)
      select 'charge:' || request_id, id, user_id, quota, created_at from made),
    sums as materialized (
      select user_id, token_id, channel_id, model_name, "group", created_at - created_at % 3600 as hour,
        sum(quota)::bigint as quota, count(*) filter (where type = 2) as count,
        -- Of a row of the version before, no cost is known.
        coalesce(sum(cost), 0)::bigint as cost, sum(unbilled_cost)::bigint as unbilled,
        sum(coalesce(unknown_costs, (type = 2)::int))::bigint as unknown,
        (sum(prompt_tokens) filter (where type = 2))::bigint as prompt,
        (sum(completion_tokens) filter (where type = 2))::bigint as completion, max(created_at) as last,
        count(*) as logs, count(*) filter (where hidden and (type = 2 or quota <> 0)) as hidden
      from logged group by 1, 2, 3, 4, 5, 6),
    balances as materialized (
      select charges.user_id, charges.token_id, charges.quota, charges.count, charges.last,
        greatest(least(charges.quota, coalesce(held.amount, 0)), 0) as dropped
      from (
        select user_id, 0 as token_id, sum(quota)::bigint as quota, sum(count)::bigint as count, max(last) as last
          from sums group by user_id
        union all
        select user_id, token_id, sum(quota)::bigint, sum(count)::bigint, max(last)
          from sums where token_id > 0 group by user_id, token_id) as charges
      left join held using (user_id, token_id)),
    charged_users as (
      update users set quota = users.quota - balances.quota, used_quota = users.used_quota + balances.quota,
        request_count = users.request_count + balances.count, reserved = users.reserved - balances.dropped
      from balances where users.id = balances.user_id and balances.token_id = 0 and (balances.count > 0 or balances.quota <> 0)
      returning users.id, 0 as token_id, balances.dropped, users.quota as left),
    charged_tokens as (
      update tokens set used_quota = tokens.used_quota + balances.quota,
        remain_quota = tokens.remain_quota - case when tokens.unlimited_quota then 0 else balances.quota end,
        reserved = tokens.reserved - balances.dropped, accessed_time = greatest(tokens.accessed_time, balances.last)
      from balances where tokens.id = balances.token_id and tokens.user_id = balances.user_id
      returning tokens.user_id as id, tokens.id as token_id, balances.dropped,
        case when tokens.unlimited_quota then 1 else tokens.remain_quota end as left),
    -- What this process put aside, and what it charges now.
    taken as (
      delete from channel_charges where channel_charges.node_id = book_as and channel_charges.channel_id = any(free_channels)
      returning channel_charges.channel_id, channel_charges.quota),
    charged_channels as (
      update channels set used_quota = channels.used_quota + charges.quota
      from (
        select channel_id, sum(quota)::bigint as quota
        from (select channel_id, quota from sums union all select channel_id, quota from taken) as parts
        where channel_id = any(free_channels) group by channel_id) as charges
      where channels.id = charges.channel_id and charges.quota <> 0),
    put_aside as (
      insert into channel_charges as aside (node_id, channel_id, quota)
      select book_as, sums.channel_id, sum(sums.quota)::bigint from sums join channels on channels.id = sums.channel_id
      where sums.channel_id <> all(free_channels) and sums.quota <> 0 group by sums.channel_id order by sums.channel_id
      on conflict (node_id, channel_id) do update set quota = aside.quota + excluded.quota),
    lowered as (
      update leases set amount = leases.amount - balances.dropped
      from balances where leases.node_id = node_id_in and leases.user_id = balances.user_id
        and leases.token_id = balances.token_id and balances.dropped > 0),
    metered as (
      insert into usage_hourly as total
        (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens, completion_tokens,
          cost, unbilled_cost, unknown_costs, hidden_count)
      select hour, user_id, token_id, channel_id, model_name, "group", count, quota, coalesce(prompt, 0),
        coalesce(completion, 0), cost, unbilled, unknown, hidden
      from sums where count > 0 or quota <> 0 or cost > 0 or unknown > 0 order by hour, user_id, token_id, channel_id, model_name, "group"
      on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update set
        count = total.count + excluded.count, quota = total.quota + excluded.quota,
        prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = total.completion_tokens + excluded.completion_tokens,
        cost = total.cost + excluded.cost, unbilled_cost = total.unbilled_cost + excluded.unbilled_cost,
        unknown_costs = coalesce(total.unknown_costs, total.count) + excluded.unknown_costs,
        hidden_count = total.hidden_count + excluded.hidden_count),
    -- A charge of an hour that may be summed already: the jobs go back to it, and readers take the rows from there on.
    -- The rows are locked even where they stand further back, so that no job can pass it by before this is committed.
    held_back as (
      update job_positions set position = least(position, late.hour)
      from (select min(hour) as hour from sums where count > 0 or quota <> 0 or cost > 0 or unknown > 0) as late
      where job in ('usage-sums', 'usage-user-sums', 'usage-channel-model-sums') and late.hour < floor(extract(epoch from now()))::bigint - 3900)
    select (select coalesce(sum(logs), 0) from sums)::int, charged.id, coalesce(charged.token_id, 0),
      coalesce(charged.dropped, 0)::bigint, coalesce(charged.left, 0)::bigint
    from (select) as one left join (
      select * from charged_users union all select * from charged_tokens) as charged on true;
END $$;
