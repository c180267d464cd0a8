CREATE TABLE "upstream_objects" (
	"user_id" integer NOT NULL,
	"kind" varchar(16) NOT NULL,
	"object_id" text NOT NULL,
	"channel_id" integer NOT NULL,
	"key_hash" varchar(64) NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "upstream_objects_user_id_kind_object_id_pk" PRIMARY KEY("user_id","kind","object_id")
);
--> statement-breakpoint
CREATE INDEX "upstream_objects_expires_idx" ON "upstream_objects" USING btree ("expires_at");