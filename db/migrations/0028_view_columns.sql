ALTER TABLE "saved_views" ADD COLUMN "columns" jsonb;--> statement-breakpoint
ALTER TABLE "saved_views" ADD COLUMN "is_default" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "saved_views_default_key" ON "saved_views" USING btree ("user_id","page") WHERE "saved_views"."is_default";--> statement-breakpoint
-- Written by hand: the suggestions for filters search names of API keys by a part of them.
DO $$
BEGIN
  CREATE INDEX tokens_name_search_idx ON tokens USING gin ((lower(name)) gin_trgm_ops);
EXCEPTION
  WHEN undefined_object THEN
    RAISE NOTICE 'pg_trgm is not available: searches by name of API keys will scan';
END $$;
