CREATE TABLE "channel_circuits" (
	"channel_id" integer NOT NULL,
	"model" text NOT NULL,
	"cause" varchar(16) NOT NULL,
	"level" integer DEFAULT 1 NOT NULL,
	"opened_at" timestamp with time zone DEFAULT now() NOT NULL,
	"open_until" timestamp with time zone NOT NULL,
	"closed_at" timestamp with time zone,
	"probe_id" uuid,
	"probe_until" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "channel_circuits_channel_id_model_pk" PRIMARY KEY("channel_id","model")
);
--> statement-breakpoint
ALTER TABLE "channel_circuits" ADD CONSTRAINT "channel_circuits_channel_id_channels_id_fk" FOREIGN KEY ("channel_id") REFERENCES "public"."channels"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "channel_circuits_updated_idx" ON "channel_circuits" USING btree ("updated_at");
--> statement-breakpoint
-- Written by hand from here on. A channel that was changed or switched is tried at once.
CREATE FUNCTION weir_close_circuits() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  repaired integer := (to_jsonb(NEW) ->> TG_ARGV[0])::integer;
BEGIN
  UPDATE channel_circuits
  SET closed_at = now(), level = 0, probe_id = NULL, probe_until = NULL, updated_at = now()
  WHERE channel_id = repaired AND closed_at IS NULL;
  IF FOUND THEN PERFORM pg_notify('weir', 'circuits:' || repaired); END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER channels_close_circuits AFTER UPDATE ON channels FOR EACH ROW WHEN (
  (OLD.type, OLD.key_cipher, OLD.openai_organization, OLD.base_url, OLD.other, OLD.status, OLD.setting)
  IS DISTINCT FROM
  (NEW.type, NEW.key_cipher, NEW.openai_organization, NEW.base_url, NEW.other, NEW.status, NEW.setting)
) EXECUTE FUNCTION weir_close_circuits('id');
--> statement-breakpoint
CREATE TRIGGER channel_keys_close_circuits AFTER INSERT OR UPDATE OF status ON channel_keys FOR EACH ROW WHEN (NEW.status = 1)
EXECUTE FUNCTION weir_close_circuits('channel_id');
