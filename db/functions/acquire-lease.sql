-- Moves quota from a balance to `reserved` and to a node's lease, in one round trip; lib/billing/lease-queries.ts calls it.
-- token_id_in 0 = the user's balance, else the limit of that token. Locks are taken in the order nodes, users, tokens,
-- channels. The lock on the user's or token's row also protects its leases, so the lease is read by a later statement.
CREATE OR REPLACE FUNCTION weir_acquire_lease(node_id_in uuid, user_id_in int, token_id_in int,
  needed_in bigint, wanted_in bigint, whole_in bigint, spare_in bigint)
RETURNS TABLE (registered boolean, balance bigint, available bigint, granted bigint, held bigint, elsewhere bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_variable
DECLARE
  reserved_now bigint;
BEGIN
  balance := 0; available := 0; granted := 0; held := 0; elsewhere := 0;
  PERFORM 1 FROM nodes WHERE nodes.id = node_id_in FOR KEY SHARE;
  registered := FOUND;
  IF NOT registered THEN
    RETURN NEXT;
    RETURN;
  END IF;
  IF token_id_in = 0 THEN
    SELECT users.quota, users.reserved INTO balance, reserved_now FROM users
    WHERE users.id = user_id_in FOR NO KEY UPDATE;
  ELSE
    -- 2^50 stands for the limit of a token that has become unlimited meanwhile.
    SELECT CASE WHEN tokens.unlimited_quota THEN 1125899906842624 ELSE tokens.remain_quota END, tokens.reserved
    INTO balance, reserved_now FROM tokens
    WHERE tokens.id = token_id_in AND tokens.user_id = user_id_in FOR NO KEY UPDATE;
  END IF;
  balance := coalesce(balance, 0);
  reserved_now := coalesce(reserved_now, 0);
  SELECT leases.amount INTO held FROM leases
  WHERE leases.node_id = node_id_in AND leases.user_id = user_id_in AND leases.token_id = token_id_in;
  held := coalesce(held, 0);
  available := balance - reserved_now;
  elsewhere := reserved_now - held;
  IF balance > 0 AND available >= needed_in THEN
    -- A slice is at most 1/16 of what is available, unless the waiting requests need more.
    granted := greatest(least(wanted_in, available), least(whole_in, available / 2),
      least(wanted_in + spare_in, available / 16));
  END IF;
  IF granted > 0 THEN
    INSERT INTO leases AS lease (node_id, user_id, token_id, amount)
    VALUES (node_id_in, user_id_in, token_id_in, granted)
    ON CONFLICT (node_id, user_id, token_id) DO UPDATE SET amount = lease.amount + excluded.amount;
    IF token_id_in = 0 THEN
      UPDATE users SET reserved = users.reserved + granted WHERE users.id = user_id_in;
    ELSE
      UPDATE tokens SET reserved = tokens.reserved + granted
      WHERE tokens.id = token_id_in AND tokens.user_id = user_id_in;
    END IF;
  END IF;
  RETURN NEXT;
END $$;
