CREATE TABLE "idempotency_keys" (
	"user_id" integer NOT NULL,
	"token_id" integer NOT NULL,
	"key_hash" varchar(64) NOT NULL,
	"body_hash" varchar(64) NOT NULL,
	"request_id" varchar(64) NOT NULL,
	"node_id" uuid NOT NULL,
	"state" varchar(16) DEFAULT 'running' NOT NULL,
	"content_type" varchar(255) DEFAULT '' NOT NULL,
	"body" "bytea" DEFAULT ''::bytea NOT NULL,
	"bytes" integer DEFAULT 0 NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	CONSTRAINT "idempotency_keys_user_id_token_id_key_hash_pk" PRIMARY KEY("user_id","token_id","key_hash")
);
--> statement-breakpoint
CREATE INDEX "idempotency_keys_created_idx" ON "idempotency_keys" USING btree ("created_at");