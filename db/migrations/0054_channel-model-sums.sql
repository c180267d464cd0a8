-- What models bring in and cost at channels; functions of this migration move the position of its job back. The job fills the past.
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
