-- How far the primary had written when a user last changed something: their pages must not show less.
CREATE TABLE "last_writes" (
	"user_id" integer PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL
);
