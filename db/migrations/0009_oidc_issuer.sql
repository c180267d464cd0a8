DROP INDEX "users_oidc_key";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "oidc_issuer" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "users_oidc_key" ON "users" USING btree ("oidc_id","oidc_issuer");