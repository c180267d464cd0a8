import { describe, expect, test } from "vitest";
import { judgeMigration } from "./migration-rules";

describe("a migration that would stop settlements or the version before is refused", () => {
  test.each([
    ['CREATE INDEX "a" ON "users" USING btree ("id");', "CONCURRENTLY"],
    ['CREATE UNIQUE INDEX "a" ON "users" ("id");', "CONCURRENTLY"],
    ['ALTER TABLE "tasks" ALTER COLUMN "progress" SET DATA TYPE varchar(30);', "rewrites"],
    ['ALTER TABLE "users" ALTER COLUMN "email" SET NOT NULL;', "VALIDATE"],
    ['ALTER TABLE "users" ADD COLUMN "x" integer NOT NULL;', "version before"],
    ['ALTER TABLE "users" ADD COLUMN "x" uuid DEFAULT gen_random_uuid() NOT NULL;', "rewrites"],
    ['ALTER TABLE "users" ADD COLUMN "x" bigint GENERATED ALWAYS AS (quota * 2) STORED;', "rewrites"],
    ['ALTER TABLE "users" ADD CONSTRAINT "c" CHECK ("quota" > 0);', "NOT VALID"],
    ['ALTER TABLE "a" ADD CONSTRAINT "c" FOREIGN KEY ("u") REFERENCES "public"."users"("id");', "NOT VALID"],
    ['ALTER TABLE "users" ADD CONSTRAINT "c" UNIQUE ("email");', "USING INDEX"],
    ['ALTER TABLE "users" DROP COLUMN "email";', "version before"],
    ['ALTER TABLE "users" RENAME COLUMN "a" TO "b";', "version before"],
    ['DROP TABLE "midjourneys" CASCADE;', "version before"],
    ["DROP FUNCTION weir_x();", "version before"],
    ["UPDATE users SET quota = 0;", "repeat"],
    ["WITH x AS (SELECT 1) UPDATE users SET quota = 0;", "repeat"],
    ["CREATE TABLE usage_logs_2031_01 PARTITION OF usage_logs FOR VALUES FROM (1) TO (2);", "ATTACH"],
    ["LOCK TABLE users;", "whole table"],
    ["DO $$ BEGIN PERFORM 1; END $$;", "block"],
    ['DROP INDEX CONCURRENTLY "a";', "IF EXISTS"],
    ["-- safe:\nUPDATE users SET quota = 0;", "repeat"],
  ])("%s", (text, why) => {
    expect(judgeMigration(text)).toEqual([expect.stringContaining(why)]);
  });
});

describe("what takes a moment, or says why it may stay, is accepted", () => {
  test.each([
    'CREATE TABLE "a" ("id" integer NOT NULL);--> statement-breakpoint\nCREATE INDEX "i" ON "a" ("id");--> statement-breakpoint\nALTER TABLE "a" ADD CONSTRAINT "f" FOREIGN KEY ("id") REFERENCES "users"("id");',
    'CREATE INDEX CONCURRENTLY IF NOT EXISTS "i" ON "usage_logs" ("id");',
    'DROP INDEX CONCURRENTLY IF EXISTS "i";',
    'ALTER TABLE "users" ADD COLUMN "x" integer DEFAULT 0 NOT NULL;',
    'ALTER TABLE "users" ADD COLUMN "x" text;',
    'ALTER TABLE "users" ADD CONSTRAINT "c" CHECK ("quota" > 0) NOT VALID;--> statement-breakpoint\nALTER TABLE "users" VALIDATE CONSTRAINT "c";',
    'ALTER TABLE "users" ADD CONSTRAINT "c" UNIQUE USING INDEX "i";',
    "-- repeat\nUPDATE users SET x = 1 WHERE id IN (SELECT id FROM users WHERE x IS NULL LIMIT 1000);",
    "-- safe: the table has one row per option\nUPDATE options SET value = '1' WHERE key = 'x';",
    "CREATE TRIGGER t AFTER UPDATE ON users FOR EACH ROW EXECUTE FUNCTION weir_notify();",
    "CREATE FUNCTION weir_x() RETURNS void LANGUAGE plpgsql AS $$ BEGIN UPDATE users SET quota = 0; END $$;",
  ])("%s", (text) => {
    expect(judgeMigration(text)).toEqual([]);
  });
});
