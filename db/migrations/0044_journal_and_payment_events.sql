-- By hand: super administrators who had chosen messages before get the new kinds too.
UPDATE "notification_targets" SET "events" = "events" || '{journal_damaged,payment_call_unsigned}'::text[]
WHERE "events" <> '{}' AND "user_id" IN (SELECT "id" FROM "users" WHERE "role" >= 100);
