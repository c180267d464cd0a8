-- What models bring in and cost at channels. The job usage-sums fills it; charges that are booked late move its position back
-- (db/functions: book-settlements.sql, charge-sums.sql).
CREATE TABLE "usage_channel_model_spans" (
	"hours" integer NOT NULL,
	"start" bigint NOT NULL,
	"channel_id" integer NOT NULL,
	"model_name" text NOT NULL,
	"count" bigint NOT NULL,
	"quota" bigint NOT NULL,
	"cost" bigint NOT NULL,
	"unbilled_cost" bigint NOT NULL,
	"unknown_costs" bigint NOT NULL,
	CONSTRAINT "usage_channel_model_spans_hours_start_channel_id_model_name_pk" PRIMARY KEY("hours","start","channel_id","model_name")
);
