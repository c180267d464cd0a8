CREATE TABLE "reconcile_runs" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "reconcile_runs_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"started_at" bigint NOT NULL,
	"finished_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	"checked" jsonb NOT NULL,
	"differences" jsonb NOT NULL,
	"difference_count" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "payment_reversals" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "payment_reversals_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"provider" varchar(16) NOT NULL,
	"reversal_id" text NOT NULL,
	"kind" varchar(16) NOT NULL,
	"trade_no" varchar(64) NOT NULL,
	"cents" bigint NOT NULL,
	"state" varchar(8) NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	"updated_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "top_ups" ADD COLUMN "payment_reference" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "top_ups" ADD COLUMN "checked_time" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "top_ups" ADD COLUMN "reversed_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "top_ups" ADD COLUMN "reversed_quota" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "granted_quota" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "payment_reversals_id_key" ON "payment_reversals" USING btree ("provider","reversal_id");--> statement-breakpoint
CREATE INDEX "payment_reversals_trade_idx" ON "payment_reversals" USING btree ("trade_no");--> statement-breakpoint
CREATE INDEX "top_ups_payment_idx" ON "top_ups" USING btree ("payment_reference") WHERE payment_reference <> '';--> statement-breakpoint
UPDATE "tokens" SET "granted_quota" = "remain_quota" + "used_quota";--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_remain_is_granted_less_used" CHECK ("tokens"."unlimited_quota" or "tokens"."remain_quota" = "tokens"."granted_quota" - "tokens"."used_quota");--> statement-breakpoint
-- What a new row has is what was granted: nobody who creates a token needs to say it twice.
CREATE FUNCTION weir_token_granted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.granted_quota := NEW.remain_quota + NEW.used_quota;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER tokens_granted BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION weir_token_granted();
--> statement-breakpoint
-- The log before this moment was cleared, so it cannot be compared with the hourly sums.
INSERT INTO job_positions (job, position)
SELECT 'logs-cleared', max((after->>'until')::numeric::bigint) FROM audit_entries
WHERE action = 'log.delete' AND after->>'until' ~ '^[0-9]+$' HAVING count(*) > 0
ON CONFLICT DO NOTHING;
