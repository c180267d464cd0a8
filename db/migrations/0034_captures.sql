CREATE TABLE "capture_losses" (
	"hour" bigint PRIMARY KEY NOT NULL,
	"count" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "captures" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "captures_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"request_id" varchar(64) NOT NULL,
	"user_id" integer NOT NULL,
	"token_id" integer NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	"path" text NOT NULL,
	"model_name" text NOT NULL,
	"status" integer NOT NULL,
	"request_bytes" bigint NOT NULL,
	"answer_bytes" bigint NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "capture_until" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "captures_request_key" ON "captures" USING btree ("request_id");--> statement-breakpoint
CREATE INDEX "captures_user_idx" ON "captures" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "captures_expires_idx" ON "captures" USING btree ("expires_at");--> statement-breakpoint
-- By hand: capturing begins and ends everywhere as soon as it is switched.
CREATE TRIGGER tokens_notify_capture AFTER UPDATE ON tokens FOR EACH ROW
  WHEN (OLD.capture_until IS DISTINCT FROM NEW.capture_until) EXECUTE FUNCTION weir_notify();
