CREATE TABLE "alert_firings" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_firings_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"rule_id" integer NOT NULL,
	"started_at" bigint NOT NULL,
	"ended_at" bigint,
	"value" bigint NOT NULL,
	"end_value" bigint,
	"notified" boolean NOT NULL,
	CONSTRAINT "alert_firings_amounts_safe" CHECK ("alert_firings"."value" between -9007199254740991 and 9007199254740991 and "alert_firings"."end_value" between -9007199254740991 and 9007199254740991)
);
--> statement-breakpoint
CREATE TABLE "alert_rules" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "alert_rules_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"user_id" integer NOT NULL,
	"scope" varchar(8) NOT NULL,
	"name" varchar(64) NOT NULL,
	"metric" varchar(16) NOT NULL,
	"subject" varchar(16) NOT NULL,
	"subject_id" integer DEFAULT 0 NOT NULL,
	"model_name" text DEFAULT '' NOT NULL,
	"comparison" varchar(8) NOT NULL,
	"threshold" bigint NOT NULL,
	"window_seconds" integer NOT NULL,
	"min_requests" integer DEFAULT 0 NOT NULL,
	"target_ids" integer[] DEFAULT '{}'::integer[] NOT NULL,
	"cool_down_seconds" integer NOT NULL,
	"tells_resolved" boolean DEFAULT true NOT NULL,
	"muted_until" bigint DEFAULT 0 NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	"last_value" bigint,
	"evaluated_at" bigint DEFAULT 0 NOT NULL,
	"notified_at" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "alert_rules_amounts_safe" CHECK ("alert_rules"."threshold" between -9007199254740991 and 9007199254740991 and "alert_rules"."last_value" between -9007199254740991 and 9007199254740991)
);
--> statement-breakpoint
ALTER TABLE "alert_firings" ADD CONSTRAINT "alert_firings_rule_id_alert_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."alert_rules"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "alert_firings_rule_idx" ON "alert_firings" USING btree ("rule_id","id");--> statement-breakpoint
CREATE INDEX "alert_firings_started_idx" ON "alert_firings" USING btree ("started_at");--> statement-breakpoint
CREATE INDEX "alert_rules_user_idx" ON "alert_rules" USING btree ("user_id","id");--> statement-breakpoint
CREATE INDEX "alert_rules_due_idx" ON "alert_rules" USING btree ("evaluated_at") WHERE enabled;--> statement-breakpoint
CREATE INDEX "tokens_expiry_idx" ON "tokens" USING btree ("expired_time") WHERE expired_time > 0;--> statement-breakpoint
-- By hand: who had chosen messages before gets the new kinds too.
UPDATE "notification_targets" SET "events" = "events" || '{alert_fired,alert_resolved,budget_reached,key_expires}'::text[] WHERE "events" <> '{}';
