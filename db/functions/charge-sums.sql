-- Adds what was logged to users, tokens, channels, leases and usage_hourly: the last step of weir_book_to_log and
-- weir_book_to_outbox, which hold the locks. `items` are sums, without those whose positions are in `skipped` (null = none).
CREATE OR REPLACE FUNCTION weir_charge_sums(node_id_in uuid, user_ids int[], token_ids int[], free_channels int[], items json,
  skipped int[], new_count int)
RETURNS TABLE (inserted int, charged_user int, charged_token int, dropped_quota bigint, left_quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Whose charges of channels are put aside; what has no process shares one name.
  book_as uuid := coalesce(node_id_in, '00000000-0000-0000-0000-000000000000');
BEGIN
  RETURN QUERY
    with held as materialized (
      select user_id, token_id, amount from leases
      where node_id = node_id_in and user_id = any(user_ids) and token_id = any(0 || token_ids)),
    sums as materialized (
      select hour, user_id, token_id, channel_id, model_name, "group", quota, count, cost, unbilled, unknown, prompt,
        completion, last, hidden
      from json_to_recordset(items) as item(place int, hour bigint, user_id int, token_id int, channel_id int,
        model_name text, "group" varchar(64), quota bigint, count bigint, cost bigint, unbilled bigint, unknown bigint,
        prompt bigint, completion bigint, last bigint, hidden bigint)
      where skipped is null or place <> all(skipped)),
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
      select hour, user_id, token_id, channel_id, model_name, "group", sum(count), sum(quota), sum(prompt), sum(completion),
        sum(cost), sum(unbilled), sum(unknown),
        -- A process of the version before does not say it.
        CASE WHEN count(*) = count(hidden) THEN sum(hidden) END
      from sums group by 1, 2, 3, 4, 5, 6
      having sum(count) > 0 or sum(quota) <> 0 or sum(cost) > 0 or sum(unknown) > 0
      order by hour, user_id, token_id, channel_id, model_name, "group"
      on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update set
        count = total.count + excluded.count, quota = total.quota + excluded.quota,
        prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = total.completion_tokens + excluded.completion_tokens,
        cost = total.cost + excluded.cost, unbilled_cost = total.unbilled_cost + excluded.unbilled_cost,
        unknown_costs = coalesce(total.unknown_costs, total.count) + excluded.unknown_costs,
        hidden_count = total.hidden_count + excluded.hidden_count),
    held_back as (
      update job_positions set position = least(position, late.hour)
      from (select min(hour) as hour from sums where count > 0 or quota <> 0 or cost > 0 or unknown > 0) as late
      where job in ('usage-sums', 'usage-user-sums', 'usage-channel-model-sums') and late.hour < floor(extract(epoch from now()))::bigint - 3900)
    select new_count, charged.id, coalesce(charged.token_id, 0),
      coalesce(charged.dropped, 0)::bigint, coalesce(charged.left, 0)::bigint
    from (select) as one left join (
      select * from charged_users union all select * from charged_tokens) as charged on true;
END $$;
