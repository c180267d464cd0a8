-- What the version before calls: it names a user or a token, and not the token's user. Goes with the next release.
CREATE OR REPLACE FUNCTION weir_take_budget(owner_in text, id_in int, node_id_in uuid, starts bigint[], limits bigint[],
  wanted bigint, needed bigint, least_in bigint, dropped bigint)
RETURNS TABLE (granted bigint, left_day bigint, left_week bigint, left_month bigint) LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  of_token boolean := owner_in = 'token';
  user_id_in int := CASE WHEN of_token THEN (SELECT user_id FROM tokens WHERE id = id_in) ELSE id_in END;
BEGIN
  RETURN QUERY SELECT * FROM weir_take_user_budget(user_id_in, CASE WHEN of_token THEN id_in ELSE 0 END, node_id_in,
    starts, limits, wanted, needed, least_in, dropped);
END $$;
