CREATE TABLE "task_movements" (
	"reference" text PRIMARY KEY NOT NULL,
	"task" integer NOT NULL,
	"user_id" integer NOT NULL,
	"amount" bigint NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	CONSTRAINT "task_movements_amounts_safe" CHECK ("task_movements"."amount" between -9007199254740991 and 9007199254740991)
);
--> statement-breakpoint
ALTER TABLE "tasks" ALTER COLUMN "progress" SET DATA TYPE varchar(30);--> statement-breakpoint
ALTER TABLE "tasks" ALTER COLUMN "progress" SET DEFAULT '';--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "wire" varchar(30) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "token_id" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "key_hash" varchar(64) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "upstream_id" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "request_id" text;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "model_name" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "group" varchar(64) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "price" jsonb;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "meters" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "code" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "prompt" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "prompt_en" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "description" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "state" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "expires_time" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "polled_time" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tasks" ADD COLUMN "results" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
CREATE INDEX "task_movements_task_idx" ON "task_movements" USING btree ("task");--> statement-breakpoint
CREATE UNIQUE INDEX "tasks_request_key" ON "tasks" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "tasks_running_idx" ON "tasks" USING btree ("polled_time","id") WHERE status not in ('SUCCESS', 'FAILURE');--> statement-breakpoint
ALTER TABLE "tasks" ADD CONSTRAINT "tasks_amounts_safe" CHECK ("tasks"."quota" between -9007199254740991 and 9007199254740991);--> statement-breakpoint
-- By hand: times of tasks were seconds, and drawings had a table of their own. Rows from before are never charged or refunded.
UPDATE "tasks" SET "submit_time" = "submit_time" * 1000, "start_time" = "start_time" * 1000,
  "finish_time" = "finish_time" * 1000, "upstream_id" = "task_id", "wire" = "platform";
--> statement-breakpoint
INSERT INTO "tasks" ("created_at", "updated_at", "task_id", "platform", "wire", "action", "user_id", "channel_id",
  "upstream_id", "quota", "code", "prompt", "prompt_en", "description", "state", "status", "progress", "fail_reason",
  "submit_time", "start_time", "finish_time", "results", "properties", "data")
SELECT "submit_time" / 1000, greatest("submit_time", "finish_time") / 1000,
  CASE WHEN "mj_id" = '' OR row_number() OVER (PARTITION BY "mj_id" ORDER BY "id" DESC) > 1 THEN 'mj-' || "id" ELSE "mj_id" END,
  'mj', 'mj', "action", "user_id", "channel_id", "mj_id", "quota", "code", "prompt", "prompt_en", "description", "state",
  "status", "progress", "fail_reason", "submit_time", "start_time", "finish_time",
  CASE WHEN "image_url" = '' THEN '[]'::jsonb ELSE jsonb_build_array("image_url") END, "properties",
  jsonb_build_object('buttons', "buttons")
FROM "midjourneys" ORDER BY "id";
