CREATE TABLE "log_archives" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "log_archives_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"name" varchar(128) NOT NULL,
	"place" text NOT NULL,
	"from_time" bigint NOT NULL,
	"until_time" bigint NOT NULL,
	"rows" bigint NOT NULL,
	"id_sum" text NOT NULL,
	"bytes" bigint NOT NULL,
	"sha256" varchar(64) NOT NULL,
	"created_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	"removed_at" bigint
);
--> statement-breakpoint
CREATE UNIQUE INDEX "log_archives_name_key" ON "log_archives" USING btree ("name");--> statement-breakpoint
CREATE INDEX "log_archives_time_idx" ON "log_archives" USING btree ("from_time","until_time");--> statement-breakpoint
CREATE TABLE "log_restores" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "log_restores_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"from_time" bigint NOT NULL,
	"until_time" bigint NOT NULL,
	"keep_until" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "log_archive_status" (
	"id" integer PRIMARY KEY DEFAULT 1 NOT NULL,
	"place" text NOT NULL,
	"failure" text,
	"failing_since" bigint,
	"checked_at" bigint NOT NULL
);
