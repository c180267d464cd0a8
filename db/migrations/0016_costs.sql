ALTER TABLE "usage_hourly" ADD COLUMN "cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD COLUMN "unbilled_cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_hourly" ADD COLUMN "unknown_costs" bigint;--> statement-breakpoint
ALTER TABLE "usage_model_hours" ADD COLUMN "cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_model_hours" ADD COLUMN "unbilled_cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_model_hours" ADD COLUMN "unknown_costs" bigint;--> statement-breakpoint
ALTER TABLE "usage_spans" ADD COLUMN "cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_spans" ADD COLUMN "unbilled_cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_spans" ADD COLUMN "unknown_costs" bigint;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "cost" bigint;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "unbilled_cost" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD COLUMN "unknown_costs" integer;--> statement-breakpoint
CREATE INDEX "usage_logs_loss_idx" ON "usage_logs" USING btree ("created_at","id") WHERE cost > quota;--> statement-breakpoint
CREATE INDEX "usage_logs_unbilled_idx" ON "usage_logs" USING btree ("created_at","id") WHERE unbilled_cost > 0;--> statement-breakpoint
-- NOT VALID: rows of today have no costs, and are not read, so that large tables are not locked for long.
ALTER TABLE "usage_hourly" ADD CONSTRAINT "usage_hourly_costs_safe" CHECK ("usage_hourly"."cost" between -9007199254740991 and 9007199254740991 and "usage_hourly"."unbilled_cost" between -9007199254740991 and 9007199254740991 and "usage_hourly"."unknown_costs" between -9007199254740991 and 9007199254740991) NOT VALID;--> statement-breakpoint
ALTER TABLE "usage_logs" ADD CONSTRAINT "usage_logs_costs_safe" CHECK ("cost" between -9007199254740991 and 9007199254740991 and "unbilled_cost" between -9007199254740991 and 9007199254740991) NOT VALID;