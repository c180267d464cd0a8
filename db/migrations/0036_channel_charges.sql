CREATE TABLE "channel_charges" (
	"node_id" uuid NOT NULL,
	"channel_id" integer NOT NULL,
	"quota" bigint NOT NULL,
	CONSTRAINT "channel_charges_node_id_channel_id_pk" PRIMARY KEY("node_id","channel_id")
);
