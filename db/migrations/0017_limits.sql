CREATE TABLE "budget_holds" (
	"owner" varchar(8) NOT NULL,
	"owner_id" integer NOT NULL,
	"node_id" uuid NOT NULL,
	"amount" bigint NOT NULL,
	CONSTRAINT "budget_holds_owner_owner_id_node_id_pk" PRIMARY KEY("owner","owner_id","node_id"),
	CONSTRAINT "budget_holds_amounts_safe" CHECK ("budget_holds"."amount" between -9007199254740991 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "budget_periods" (
	"owner" varchar(8) NOT NULL,
	"owner_id" integer NOT NULL,
	"period" varchar(8) NOT NULL,
	"start" bigint NOT NULL,
	"baseline" bigint NOT NULL,
	CONSTRAINT "budget_periods_owner_owner_id_period_pk" PRIMARY KEY("owner","owner_id","period"),
	CONSTRAINT "budget_periods_amounts_safe" CHECK ("budget_periods"."baseline" between -9007199254740991 and 9007199254740991)
);
--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "requests_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "tokens_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "channels" ADD COLUMN "concurrency_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "tokens_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "concurrency_limit" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "budget_day" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "budget_week" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "budget_month" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "requests_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "tokens_per_minute" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "budget_day" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "budget_week" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "budget_month" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "budget_holds" ADD CONSTRAINT "budget_holds_node_id_nodes_id_fk" FOREIGN KEY ("node_id") REFERENCES "public"."nodes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "budget_holds_node_idx" ON "budget_holds" USING btree ("node_id");--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_budgets_safe" CHECK ("tokens"."budget_day" between -9007199254740991 and 9007199254740991 and "tokens"."budget_week" between -9007199254740991 and 9007199254740991 and "tokens"."budget_month" between -9007199254740991 and 9007199254740991);--> statement-breakpoint
ALTER TABLE "users" ADD CONSTRAINT "users_budgets_safe" CHECK ("users"."budget_day" between -9007199254740991 and 9007199254740991 and "users"."budget_week" between -9007199254740991 and 9007199254740991 and "users"."budget_month" between -9007199254740991 and 9007199254740991);--> statement-breakpoint
-- By hand from here: a limit is in force everywhere as soon as it is changed.
CREATE TRIGGER tokens_notify_limits AFTER UPDATE ON tokens FOR EACH ROW WHEN (
  (OLD.tokens_per_minute, OLD.concurrency_limit, OLD.budget_day, OLD.budget_week, OLD.budget_month) IS DISTINCT FROM
  (NEW.tokens_per_minute, NEW.concurrency_limit, NEW.budget_day, NEW.budget_week, NEW.budget_month)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER users_notify_limits AFTER UPDATE ON users FOR EACH ROW WHEN (
  (OLD.requests_per_minute, OLD.tokens_per_minute, OLD.budget_day, OLD.budget_week, OLD.budget_month) IS DISTINCT FROM
  (NEW.requests_per_minute, NEW.tokens_per_minute, NEW.budget_day, NEW.budget_week, NEW.budget_month)
) EXECUTE FUNCTION weir_notify();
--> statement-breakpoint
CREATE TRIGGER channels_notify_limits AFTER UPDATE ON channels FOR EACH ROW WHEN (
  (OLD.requests_per_minute, OLD.tokens_per_minute, OLD.concurrency_limit) IS DISTINCT FROM
  (NEW.requests_per_minute, NEW.tokens_per_minute, NEW.concurrency_limit)
) EXECUTE FUNCTION weir_notify();
