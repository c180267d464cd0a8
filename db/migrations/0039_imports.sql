CREATE TABLE "import_sources" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "import_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"system" varchar(16) NOT NULL,
	"fingerprint" varchar(64) NOT NULL,
	"into_fresh" boolean NOT NULL,
	"started_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "import_positions" (
	"source_id" integer NOT NULL,
	"kind" varchar(16) NOT NULL,
	"last_id" bigint NOT NULL,
	"findings" jsonb NOT NULL,
	"updated_at" bigint DEFAULT floor(extract(epoch from now()))::bigint NOT NULL,
	CONSTRAINT "import_positions_source_id_kind_pk" PRIMARY KEY("source_id","kind")
);
--> statement-breakpoint
CREATE TABLE "import_ids" (
	"source_id" integer NOT NULL,
	"kind" varchar(16) NOT NULL,
	"old_id" bigint NOT NULL,
	"new_id" integer NOT NULL,
	CONSTRAINT "import_ids_source_id_kind_old_id_pk" PRIMARY KEY("source_id","kind","old_id")
);
--> statement-breakpoint
ALTER TABLE "import_positions" ADD CONSTRAINT "import_positions_source_id_import_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."import_sources"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "import_ids" ADD CONSTRAINT "import_ids_source_id_import_sources_id_fk" FOREIGN KEY ("source_id") REFERENCES "public"."import_sources"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "import_sources_key" ON "import_sources" USING btree ("system","fingerprint");
