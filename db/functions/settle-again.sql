-- Notes the requests as settled of which some may have been before, with or without a log store; returns the positions of
-- those that were, null = none. The caller holds the locks of their users, so that nobody settles the same one meanwhile.
CREATE OR REPLACE FUNCTION weir_settle_again(request_ids text[], request_users int[], request_times bigint[]) RETURNS int[]
LANGUAGE sql AS $$
  WITH given AS MATERIALIZED (
    SELECT request_id, user_id, created_at, place::int - 1 AS place
    FROM unnest(request_ids, request_users, request_times) WITH ORDINALITY AS row(request_id, user_id, created_at, place)),
  unlogged AS MATERIALIZED (
    SELECT DISTINCT ON (request_id, user_id, created_at) request_id, user_id, created_at, place FROM given
    WHERE NOT EXISTS (
      SELECT FROM usage_logs WHERE usage_logs.request_id = given.request_id AND usage_logs.user_id = given.user_id
        AND usage_logs.created_at = given.created_at)
    ORDER BY request_id, user_id, created_at, place),
  fresh AS (
    INSERT INTO settled_requests (request_id, user_id, created_at, slot)
    SELECT request_id, user_id, created_at, (created_at / 86400 % 4)::smallint FROM unlogged ORDER BY request_id, created_at
    ON CONFLICT DO NOTHING RETURNING request_id, user_id, created_at)
  SELECT array_agg(place ORDER BY place) FROM given
  WHERE place NOT IN (SELECT place FROM unlogged JOIN fresh USING (request_id, user_id, created_at))
$$;
