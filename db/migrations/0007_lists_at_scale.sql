CREATE TABLE "usage_model_hours" (
	"hour" bigint NOT NULL,
	"model_name" text NOT NULL,
	"group" varchar(64) NOT NULL,
	"count" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "usage_model_hours_hour_model_name_group_pk" PRIMARY KEY("hour","model_name","group")
);
--> statement-breakpoint
CREATE TABLE "usage_spans" (
	"dimension" varchar(8) NOT NULL,
	"hours" integer NOT NULL,
	"start" bigint NOT NULL,
	"key" integer NOT NULL,
	"count" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	CONSTRAINT "usage_spans_dimension_hours_start_key_pk" PRIMARY KEY("dimension","hours","start","key")
);
--> statement-breakpoint
DROP INDEX "usage_hourly_user_idx";--> statement-breakpoint
DROP INDEX "usage_logs_token_idx";--> statement-breakpoint
DROP INDEX "affiliate_entries_user_idx";--> statement-breakpoint
DROP INDEX "sessions_user_idx";--> statement-breakpoint
DROP INDEX "ledger_entries_user_idx";--> statement-breakpoint
DROP INDEX "channels_priority_idx";--> statement-breakpoint
DROP INDEX "channels_status_idx";--> statement-breakpoint
DROP INDEX "redemptions_name_idx";--> statement-breakpoint
DROP INDEX "top_ups_status_idx";--> statement-breakpoint
DROP INDEX "usage_logs_user_idx";--> statement-breakpoint
DROP INDEX "usage_logs_channel_idx";--> statement-breakpoint
DROP INDEX "usage_logs_model_idx";--> statement-breakpoint
DROP INDEX "usage_logs_username_idx";--> statement-breakpoint
DROP INDEX "usage_logs_type_idx";--> statement-breakpoint
DROP INDEX "midjourneys_user_idx";--> statement-breakpoint
DROP INDEX "tasks_user_idx";--> statement-breakpoint
DROP INDEX "notifications_user_idx";--> statement-breakpoint
DROP INDEX "bulk_changes_actor_idx";--> statement-breakpoint
DROP INDEX "payment_callbacks_outcome_idx";--> statement-breakpoint
DROP INDEX "audit_entries_subject_idx";--> statement-breakpoint
DROP INDEX "audit_entries_actor_idx";--> statement-breakpoint
DROP INDEX "audit_entries_action_idx";--> statement-breakpoint
DROP INDEX "option_versions_key_idx";--> statement-breakpoint
DROP INDEX "tokens_user_idx";--> statement-breakpoint
CREATE INDEX "usage_spans_quota_idx" ON "usage_spans" USING btree ("dimension","hours","start","quota");--> statement-breakpoint
CREATE INDEX "channels_type_idx" ON "channels" USING btree ("type","id");--> statement-breakpoint
CREATE INDEX "channels_name_idx" ON "channels" USING btree ("name","id");--> statement-breakpoint
CREATE INDEX "channels_created_idx" ON "channels" USING btree ("created_time","id");--> statement-breakpoint
CREATE INDEX "channels_weight_idx" ON "channels" USING btree ("weight","id");--> statement-breakpoint
CREATE INDEX "channels_balance_idx" ON "channels" USING btree ("balance","id");--> statement-breakpoint
CREATE INDEX "channels_response_idx" ON "channels" USING btree ("response_time_ms","id");--> statement-breakpoint
CREATE INDEX "channels_tested_idx" ON "channels" USING btree ("test_time","id");--> statement-breakpoint
CREATE INDEX "channels_fingerprint_idx" ON "channels" USING btree ("key_fingerprint");--> statement-breakpoint
CREATE INDEX "redemptions_live_idx" ON "redemptions" USING btree ("id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "redemptions_status_idx" ON "redemptions" USING btree ("status","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "redemptions_quota_idx" ON "redemptions" USING btree ("quota","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "redemptions_created_idx" ON "redemptions" USING btree ("created_time","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "redemptions_redeemed_idx" ON "redemptions" USING btree ("redeemed_time","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "top_ups_provider_idx" ON "top_ups" USING btree ("provider","id");--> statement-breakpoint
CREATE INDEX "top_ups_created_idx" ON "top_ups" USING btree ("create_time","id");--> statement-breakpoint
CREATE INDEX "usage_logs_group_idx" ON "usage_logs" USING btree ("group","created_at","id","type") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "midjourneys_status_idx" ON "midjourneys" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "midjourneys_action_idx" ON "midjourneys" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "midjourneys_channel_idx" ON "midjourneys" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "tasks_task_idx" ON "tasks" USING btree ("task_id");--> statement-breakpoint
CREATE INDEX "tasks_submit_idx" ON "tasks" USING btree ("submit_time");--> statement-breakpoint
CREATE INDEX "tasks_status_idx" ON "tasks" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "tasks_action_idx" ON "tasks" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "tasks_channel_idx" ON "tasks" USING btree ("channel_id","id");--> statement-breakpoint
CREATE INDEX "users_role_idx" ON "users" USING btree ("role","id");--> statement-breakpoint
CREATE INDEX "users_status_idx" ON "users" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "users_deleted_idx" ON "users" USING btree ("deleted_at") WHERE deleted_at is not null;--> statement-breakpoint
CREATE INDEX "users_aff_count_idx" ON "users" USING btree ("aff_count","id");--> statement-breakpoint
CREATE INDEX "users_aff_history_idx" ON "users" USING btree ("aff_history_quota","id");--> statement-breakpoint
CREATE INDEX "affiliate_entries_user_idx" ON "affiliate_entries" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "sessions_user_idx" ON "sessions" USING btree ("user_id","last_seen_at");--> statement-breakpoint
CREATE INDEX "ledger_entries_user_idx" ON "ledger_entries" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "channels_priority_idx" ON "channels" USING btree ("priority","id");--> statement-breakpoint
CREATE INDEX "channels_status_idx" ON "channels" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "redemptions_name_idx" ON "redemptions" USING btree ("name","id") WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "top_ups_status_idx" ON "top_ups" USING btree ("status","id");--> statement-breakpoint
CREATE INDEX "usage_logs_user_idx" ON "usage_logs" USING btree ("user_id","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_channel_idx" ON "usage_logs" USING btree ("channel_id","created_at","id","type") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_model_idx" ON "usage_logs" USING btree ("model_name","created_at","id","type","group") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_username_idx" ON "usage_logs" USING btree ("username","created_at","id","type","channel_id","model_name","group") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "usage_logs_type_idx" ON "usage_logs" USING btree ("type","created_at","id") WHERE not hidden;--> statement-breakpoint
CREATE INDEX "midjourneys_user_idx" ON "midjourneys" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "tasks_user_idx" ON "tasks" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "notifications_user_idx" ON "notifications" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "bulk_changes_actor_idx" ON "bulk_changes" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "payment_callbacks_outcome_idx" ON "payment_callbacks" USING btree ("outcome","id");--> statement-breakpoint
CREATE INDEX "audit_entries_subject_idx" ON "audit_entries" USING btree ("subject","id");--> statement-breakpoint
CREATE INDEX "audit_entries_actor_idx" ON "audit_entries" USING btree ("actor_id","id");--> statement-breakpoint
CREATE INDEX "audit_entries_action_idx" ON "audit_entries" USING btree ("action","id");--> statement-breakpoint
CREATE INDEX "option_versions_key_idx" ON "option_versions" USING btree ("key","id");--> statement-breakpoint
CREATE INDEX "tokens_user_idx" ON "tokens" USING btree ("user_id","id");--> statement-breakpoint
-- Sums by user or by channel are read from these alone, however the rows are spread over the table.
CREATE INDEX "usage_hourly_user_idx" ON "usage_hourly" USING btree ("user_id","hour")
  INCLUDE ("token_id","channel_id","model_name","group","count","quota","prompt_tokens","completion_tokens");
--> statement-breakpoint
CREATE INDEX "usage_hourly_channel_idx" ON "usage_hourly" USING btree ("channel_id","hour")
  INCLUDE ("user_id","model_name","group","quota");
--> statement-breakpoint
-- The sums have no column for a token's name: a sum by name is taken from here. Hidden rows count in it, so none is left out.
CREATE INDEX "usage_logs_token_idx" ON "usage_logs" USING btree ("token_name","created_at","id") INCLUDE ("type","quota","hidden");
--> statement-breakpoint
-- Reading an index alone needs pages that vacuum has marked: often enough, also where rows are only ever added.
ALTER TABLE "usage_hourly" SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000);
--> statement-breakpoint
CREATE OR REPLACE FUNCTION weir_ensure_log_partitions(from_seconds bigint, to_seconds bigint) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  month timestamp := date_trunc('month', to_timestamp(from_seconds) AT TIME ZONE 'UTC');
  partition_name text;
  made integer := 0;
BEGIN
  WHILE extract(epoch FROM month) <= to_seconds LOOP
    partition_name := 'usage_logs_' || to_char(month, 'YYYY_MM');
    IF to_regclass(partition_name) IS NULL THEN
      EXECUTE format('CREATE TABLE %I PARTITION OF usage_logs FOR VALUES FROM (%s) TO (%s)
        WITH (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000)', partition_name,
        extract(epoch FROM month)::bigint, extract(epoch FROM month + interval '1 month')::bigint);
      made := made + 1;
    END IF;
    month := month + interval '1 month';
  END LOOP;
  RETURN made;
END $$;
--> statement-breakpoint
DO $$
DECLARE
  partition_name regclass;
BEGIN
  FOR partition_name IN SELECT inhrelid::regclass FROM pg_inherits WHERE inhparent = 'usage_logs'::regclass LOOP
    EXECUTE format('ALTER TABLE %s SET (autovacuum_vacuum_insert_scale_factor = 0, autovacuum_vacuum_insert_threshold = 20000)',
      partition_name);
  END LOOP;
END $$;
--> statement-breakpoint
-- Health of all channels together stands under the id 0, so that a chart of it does not add up all channels.
DO $$
DECLARE
  sums text := 'array[' || (SELECT string_agg(format('coalesce(sum(%%1$I[%s]), 0)::bigint', place), ', ' ORDER BY place)
    FROM generate_series(1, 17) place) || ']';
BEGIN
  EXECUTE 'INSERT INTO channel_hourly (hour, channel_id, model_name, outcome, count, quota, use_time_ms, latency_buckets,
      first_token_buckets)
    SELECT hour, 0, '''', outcome, sum(count), sum(quota), sum(use_time_ms), ' || format(sums, 'latency_buckets') || ', ' ||
      format(sums, 'first_token_buckets') || ' FROM channel_hourly GROUP BY hour, outcome';
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION weir_book_settlements(node_id_in uuid, user_ids int[], token_ids int[], channel_ids int[], items json)
RETURNS TABLE (inserted int, charged_user int, charged_token int, dropped_quota bigint, left_quota bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  -- Locks what the batch touches: nodes, users, tokens, channels, each by ascending id; a count waits for its table.
  PERFORM count(*) FROM (
    with node as materialized (select 1 from nodes where id = node_id_in for key share),
    locked_users as materialized (
      select id from users where id = any(user_ids) and (select count(*) from node) >= 0
      order by id for no key update),
    locked_tokens as materialized (
      select id from tokens where id = any(token_ids) and (select count(*) from locked_users) >= 0
      order by id for no key update),
    locked_channels as materialized (
      select id from channels where id = any(channel_ids) and (select count(*) from locked_tokens) >= 0
      order by id for no key update)
    select id from locked_channels) as locked;
  RETURN QUERY
    with batch as materialized (
      select * from json_to_recordset(items) as item(
        request_id text, created_at bigint, type int, user_id int, username text, token_id int, token_name text,
        channel_id int, model_name text, "group" text, quota bigint, prompt_tokens int, completion_tokens int,
        use_time_ms int, first_token_ms int, is_stream boolean, hidden boolean, client_ip text, content text,
        other jsonb)),
    held as materialized (
      select user_id, token_id, amount from leases
      where node_id = node_id_in and user_id = any(user_ids) and token_id = any(0 || token_ids)),
    logged as (
      insert into usage_logs (request_id, created_at, type, user_id, username, token_id, token_name, channel_id,
        model_name, "group", quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, hidden,
        client_ip, content, other)
      select request_id, created_at, type, user_id, username, token_id, token_name, channel_id, model_name, "group",
        quota, prompt_tokens, completion_tokens, use_time_ms, first_token_ms, is_stream, hidden, client_ip, content,
        coalesce(other, '{}'::jsonb)
      from batch
      on conflict (request_id, created_at) do nothing
      returning created_at, type, user_id, token_id, channel_id, model_name, "group", quota, prompt_tokens,
        completion_tokens),
    costs as materialized (
      select user_id, token_id, channel_id, model_name, "group", created_at - created_at % 3600 as hour,
        sum(quota)::bigint as cost, count(*) filter (where type = 2) as count,
        (sum(prompt_tokens) filter (where type = 2))::bigint as prompt,
        (sum(completion_tokens) filter (where type = 2))::bigint as completion, max(created_at) as last,
        count(*) as logs
      from logged group by 1, 2, 3, 4, 5, 6),
    wallets as materialized (
      select sums.user_id, sums.token_id, sums.cost, sums.count, sums.last,
        least(sums.cost, coalesce(held.amount, 0)) as dropped
      from (
        select user_id, 0 as token_id, sum(cost)::bigint as cost, sum(count)::bigint as count, max(last) as last
          from costs group by user_id
        union all
        select min(user_id), token_id, sum(cost)::bigint, sum(count)::bigint, max(last)
          from costs where token_id > 0 group by token_id) as sums
      left join held using (user_id, token_id)),
    charged_users as (
      update users set quota = users.quota - wallets.cost, used_quota = users.used_quota + wallets.cost,
        request_count = users.request_count + wallets.count, reserved = users.reserved - wallets.dropped
      from wallets where users.id = wallets.user_id and wallets.token_id = 0 and (wallets.count > 0 or wallets.cost > 0)
      returning users.id, 0 as token_id, wallets.dropped, users.quota as left),
    charged_tokens as (
      update tokens set used_quota = tokens.used_quota + wallets.cost,
        remain_quota = tokens.remain_quota - case when tokens.unlimited_quota then 0 else wallets.cost end,
        reserved = tokens.reserved - wallets.dropped, accessed_time = greatest(tokens.accessed_time, wallets.last)
      from wallets where tokens.id = wallets.token_id
      returning tokens.user_id as id, tokens.id as token_id, wallets.dropped,
        case when tokens.unlimited_quota then 1 else tokens.remain_quota end as left),
    charged_channels as (
      update channels set used_quota = channels.used_quota + sums.cost
      from (select channel_id, sum(cost)::bigint as cost from costs group by channel_id) as sums
      where channels.id = sums.channel_id and sums.cost > 0),
    lowered as (
      update leases set amount = leases.amount - wallets.dropped
      from wallets where leases.node_id = node_id_in and leases.user_id = wallets.user_id
        and leases.token_id = wallets.token_id and wallets.dropped > 0),
    metered as (
      insert into usage_hourly as total
        (hour, user_id, token_id, channel_id, model_name, "group", count, quota, prompt_tokens, completion_tokens)
      select hour, user_id, token_id, channel_id, model_name, "group", count, cost, prompt, completion
      from costs where count > 0 order by hour, user_id, token_id, channel_id, model_name, "group"
      on conflict (hour, user_id, token_id, channel_id, model_name, "group") do update set
        count = total.count + excluded.count, quota = total.quota + excluded.quota,
        prompt_tokens = total.prompt_tokens + excluded.prompt_tokens,
        completion_tokens = total.completion_tokens + excluded.completion_tokens),
    -- A charge of an hour that may be summed already: the job goes back to it, and readers take the rows from there on.
    -- The row is locked even where it stands further back, so that the job cannot pass it by before this is committed.
    held_back as (
      update job_positions set position = least(position, late.hour)
      from (select min(hour) as hour from costs where count > 0) as late
      where job = 'usage-sums' and late.hour < floor(extract(epoch from now()))::bigint - 3900)
    select (select coalesce(sum(logs), 0) from costs)::int, charged.id, coalesce(charged.token_id, 0),
      coalesce(charged.dropped, 0)::bigint, coalesce(charged.left, 0)::bigint
    from (select) as one left join (
      select * from charged_users union all select * from charged_tokens) as charged on true;
END $$;
--> statement-breakpoint
-- Conditions on channels as the list states them, so that each has an index.
CREATE INDEX "channels_groups_idx" ON "channels" USING gin (string_to_array("group", ','));
--> statement-breakpoint
CREATE INDEX "channel_keys_of_fingerprint_idx" ON "channel_keys" USING btree ("fingerprint");
--> statement-breakpoint
DO $$
BEGIN
  CREATE INDEX channels_address_search_idx ON channels USING gin ((lower(base_url)) gin_trgm_ops);
  CREATE INDEX channels_models_search_idx ON channels USING gin ((lower(models)) gin_trgm_ops);
EXCEPTION
  WHEN undefined_object THEN
    RAISE NOTICE 'pg_trgm is not available: searches by address and model will scan';
END $$;
