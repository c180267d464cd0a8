CREATE TABLE "ledger_seals" (
	"block" bigint PRIMARY KEY NOT NULL,
	"until_id" bigint NOT NULL,
	"rows" integer NOT NULL,
	"amount" bigint NOT NULL,
	"digest" text NOT NULL,
	"sealed_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "month_statements" (
	"user_id" integer NOT NULL,
	"month" varchar(7) NOT NULL,
	"username" varchar(64) NOT NULL,
	"display_name" varchar(64) NOT NULL,
	"email" text NOT NULL,
	"document" jsonb NOT NULL,
	"days" jsonb NOT NULL,
	"issued_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	CONSTRAINT "month_statements_user_id_month_pk" PRIMARY KEY("user_id","month")
);
--> statement-breakpoint
CREATE TABLE "statement_units" (
	"month" varchar(7) PRIMARY KEY NOT NULL,
	"in_currency" boolean NOT NULL,
	"quota_per_unit" double precision NOT NULL,
	"symbol" text NOT NULL,
	"closed_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_clearings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "log_clearings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"until" bigint NOT NULL,
	"reason" varchar(16) NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD COLUMN "hidden_count" bigint;--> statement-breakpoint
ALTER TABLE "month_statements" ADD CONSTRAINT "month_statements_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
-- By hand from here. Entries of the ledger stay as they are; a mistake is put right by another entry.
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
CREATE TRIGGER ledger_entries_no_truncate BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
CREATE TRIGGER log_clearings_append_only BEFORE UPDATE OR DELETE ON log_clearings FOR EACH ROW EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
-- The names may go, when the account is erased.
CREATE TRIGGER month_statements_append_only BEFORE UPDATE OF user_id, month, document, days, issued_at OR DELETE ON month_statements
  FOR EACH ROW EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
CREATE TRIGGER statement_units_append_only BEFORE UPDATE OR DELETE ON statement_units FOR EACH ROW EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
-- Rows of the log may change or go only once the time was set before which it is cleared, and that is on record. What is in the
-- default partition is moved into one of its own. Nothing is asked of an insert.
CREATE FUNCTION weir_refuse_log_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.created_at < (SELECT position FROM job_positions WHERE job = 'logs-cleared')
    OR (TG_OP = 'DELETE' AND TG_TABLE_NAME = 'usage_logs_default') THEN
    RETURN CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER usage_logs_append_only BEFORE UPDATE OR DELETE ON usage_logs FOR EACH ROW EXECUTE FUNCTION weir_refuse_log_change();
--> statement-breakpoint
CREATE TRIGGER usage_logs_no_truncate BEFORE TRUNCATE ON usage_logs FOR EACH STATEMENT EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
INSERT INTO log_clearings (until, reason) SELECT position, 'upgrade' FROM job_positions WHERE job = 'logs-cleared';
