CREATE TABLE "model_hourly" (
	"hour" bigint NOT NULL,
	"model_name" text NOT NULL,
	"succeeded" bigint NOT NULL,
	"failed" bigint NOT NULL,
	"latency_buckets" bigint[] NOT NULL,
	"first_token_buckets" bigint[] NOT NULL,
	CONSTRAINT "model_hourly_model_name_hour_pk" PRIMARY KEY("model_name","hour")
);
--> statement-breakpoint
CREATE INDEX "model_hourly_hour_idx" ON "model_hourly" USING btree ("hour");