CREATE TABLE "price_change_entries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "price_change_entries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"change_id" bigint NOT NULL,
	"key" text NOT NULL,
	"name" text NOT NULL,
	"before" jsonb,
	"after" jsonb
);
--> statement-breakpoint
CREATE TABLE "price_changes" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "price_changes_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"token" uuid NOT NULL,
	"source" varchar(16) NOT NULL,
	"undo_of" bigint,
	"actor_id" integer,
	"client_ip" varchar(64) DEFAULT '' NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "price_change_entries" ADD CONSTRAINT "price_change_entries_change_id_price_changes_id_fk" FOREIGN KEY ("change_id") REFERENCES "public"."price_changes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "price_change_entries_change_idx" ON "price_change_entries" USING btree ("change_id","id");--> statement-breakpoint
CREATE INDEX "price_change_entries_name_idx" ON "price_change_entries" USING btree ("name" text_pattern_ops,"change_id");--> statement-breakpoint
CREATE UNIQUE INDEX "price_changes_token_key" ON "price_changes" USING btree ("token");--> statement-breakpoint
-- Written by hand: what was noted of prices stays as it is.
CREATE FUNCTION weir_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME;
END $$;
--> statement-breakpoint
CREATE TRIGGER price_changes_append_only BEFORE UPDATE OR DELETE ON price_changes FOR EACH ROW EXECUTE FUNCTION weir_refuse_change();
--> statement-breakpoint
CREATE TRIGGER price_change_entries_append_only BEFORE UPDATE OR DELETE ON price_change_entries FOR EACH ROW EXECUTE FUNCTION weir_refuse_change();
