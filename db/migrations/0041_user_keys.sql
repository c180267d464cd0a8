-- Every unique index of what a charge touches gets the user in it, so that users can be divided among databases (docs/scale.md).
-- Indexes are replaced, none is added to a table that a flush writes. What the version before names in ON CONFLICT stays until
-- the next release: db/README.md, "Due at the next release".
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "usage_logs_user_request_key" ON "usage_logs" USING btree ("request_id","user_id","created_at");
--> statement-breakpoint
CREATE INDEX CONCURRENTLY IF NOT EXISTS "usage_logs_created_idx" ON "usage_logs" USING btree ("created_at","id");
--> statement-breakpoint
-- safe: the function of the version before names the new index from here on; this version's text of it comes after the
-- migrations. The old index goes at the end of this file: a call that has begun still needs it.
DO $$
DECLARE
  booking regprocedure := to_regprocedure('weir_book_settlements(uuid,integer[],integer[],integer[],json)');
BEGIN
  IF booking IS NOT NULL THEN
    EXECUTE replace(pg_get_functiondef(booking), 'on conflict (request_id, created_at)', 'on conflict (request_id, user_id, created_at)');
  END IF;
END $$;
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "tokens_user_pkey" ON "tokens" USING btree ("id","user_id");
--> statement-breakpoint
ALTER TABLE "tokens" DROP CONSTRAINT "tokens_pkey",
  ADD CONSTRAINT "tokens_pkey" PRIMARY KEY USING INDEX "tokens_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "ledger_entries_user_pkey" ON "ledger_entries" USING btree ("id","user_id");
--> statement-breakpoint
ALTER TABLE "ledger_entries" DROP CONSTRAINT "ledger_entries_pkey",
  ADD CONSTRAINT "ledger_entries_pkey" PRIMARY KEY USING INDEX "ledger_entries_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "affiliate_entries_user_pkey" ON "affiliate_entries" USING btree ("id","user_id");
--> statement-breakpoint
ALTER TABLE "affiliate_entries" DROP CONSTRAINT "affiliate_entries_pkey",
  ADD CONSTRAINT "affiliate_entries_pkey" PRIMARY KEY USING INDEX "affiliate_entries_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "top_ups_user_pkey" ON "top_ups" USING btree ("id","user_id");
--> statement-breakpoint
ALTER TABLE "top_ups" DROP CONSTRAINT "top_ups_pkey",
  ADD CONSTRAINT "top_ups_pkey" PRIMARY KEY USING INDEX "top_ups_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "tasks_user_pkey" ON "tasks" USING btree ("id","user_id");
--> statement-breakpoint
ALTER TABLE "tasks" DROP CONSTRAINT "tasks_pkey",
  ADD CONSTRAINT "tasks_pkey" PRIMARY KEY USING INDEX "tasks_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "task_movements_user_pkey" ON "task_movements" USING btree ("reference","user_id");
--> statement-breakpoint
ALTER TABLE "task_movements" DROP CONSTRAINT "task_movements_pkey",
  ADD CONSTRAINT "task_movements_pkey" PRIMARY KEY USING INDEX "task_movements_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "open_charges_user_pkey" ON "open_charges" USING btree ("request_id","user_id");
--> statement-breakpoint
ALTER TABLE "open_charges" DROP CONSTRAINT "open_charges_pkey",
  ADD CONSTRAINT "open_charges_pkey" PRIMARY KEY USING INDEX "open_charges_user_pkey";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "top_ups_user_trade_no_key" ON "top_ups" USING btree ("trade_no","user_id");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "top_ups_trade_no_key";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "tasks_user_task_key" ON "tasks" USING btree ("platform","task_id","user_id");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "tasks_task_key";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "tasks_user_request_key" ON "tasks" USING btree ("request_id","user_id");
--> statement-breakpoint
DROP INDEX CONCURRENTLY IF EXISTS "tasks_request_key";
--> statement-breakpoint
ALTER TABLE "budget_periods" ADD COLUMN "user_id" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "budget_holds" ADD COLUMN "user_id" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
-- repeat
UPDATE "budget_periods" AS part SET "user_id" = found."user_id" FROM (
  SELECT old."owner", old."owner_id", old."period", coalesce(token."user_id", old."owner_id") AS "user_id"
  FROM "budget_periods" AS old LEFT JOIN "tokens" AS token ON old."owner" = 'token' AND token."id" = old."owner_id"
  WHERE old."user_id" = 0 AND (old."owner" = 'user' OR token."id" IS NOT NULL) LIMIT 5000) AS found
WHERE part."owner" = found."owner" AND part."owner_id" = found."owner_id" AND part."period" = found."period";
--> statement-breakpoint
-- repeat
UPDATE "budget_holds" AS part SET "user_id" = found."user_id" FROM (
  SELECT old."owner", old."owner_id", old."node_id", coalesce(token."user_id", old."owner_id") AS "user_id"
  FROM "budget_holds" AS old LEFT JOIN "tokens" AS token ON old."owner" = 'token' AND token."id" = old."owner_id"
  WHERE old."user_id" = 0 AND (old."owner" = 'user' OR token."id" IS NOT NULL) LIMIT 5000) AS found
WHERE part."owner" = found."owner" AND part."owner_id" = found."owner_id" AND part."node_id" = found."node_id";
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "budget_periods_user_key" ON "budget_periods" USING btree ("user_id","owner","owner_id","period");
--> statement-breakpoint
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS "budget_holds_user_key" ON "budget_holds" USING btree ("user_id","owner","owner_id","node_id");
--> statement-breakpoint
DROP INDEX IF EXISTS "usage_logs_request_key";
--> statement-breakpoint
-- Ids come from the sequence; no statement relies on this key, and "usage_logs_created_idx" does what it did for lists.
ALTER TABLE "usage_logs" DROP CONSTRAINT IF EXISTS "usage_logs_created_at_id_pk";
