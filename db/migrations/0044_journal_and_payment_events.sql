-- By hand: super administrators who had chosen messages before get the new kinds too.
-- safe: only the targets of super administrators, a few rows
UPDATE "notification_targets" SET "events" = "events" || '{journal_damaged,payment_call_unsigned,usage_bounded}'::text[]
WHERE "events" <> '{}' AND "user_id" IN (SELECT "id" FROM "users" WHERE "role" >= 100);
