ALTER TABLE "rate_counters" ADD COLUMN "ends" double precision[];--> statement-breakpoint
ALTER TABLE "rate_counters" ADD COLUMN "amounts" integer[];