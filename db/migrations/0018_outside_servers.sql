DROP INDEX "users_github_key";--> statement-breakpoint
DROP INDEX "users_wechat_key";--> statement-breakpoint
DROP INDEX "users_linux_do_key";--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "github_server" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "wechat_server" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "linux_do_server" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE UNIQUE INDEX "users_github_key" ON "users" USING btree ("github_id","github_server");--> statement-breakpoint
CREATE UNIQUE INDEX "users_wechat_key" ON "users" USING btree ("wechat_id","wechat_server");--> statement-breakpoint
CREATE UNIQUE INDEX "users_linux_do_key" ON "users" USING btree ("linux_do_id","linux_do_server");--> statement-breakpoint
-- By hand: a binding of before belongs to the server that is configured now; none that is configured later may take it over.
WITH configured AS (
  SELECT key, lower(regexp_replace(substring(value from '^https?://([^/?#]+)'), ':(80|443)$', '')) AS host FROM options
  WHERE key IN ('GitHubApiAddress', 'LinuxDOServerAddress', 'WeChatServerAddress'))
UPDATE users SET
  github_server = CASE WHEN github_id IS NULL THEN '' ELSE
    coalesce((SELECT host FROM configured WHERE key = 'GitHubApiAddress'), 'api.github.com') END,
  linux_do_server = CASE WHEN linux_do_id IS NULL THEN '' ELSE
    coalesce((SELECT host FROM configured WHERE key = 'LinuxDOServerAddress'), 'connect.linux.do') END,
  wechat_server = CASE WHEN wechat_id IS NULL THEN '' ELSE
    coalesce((SELECT host FROM configured WHERE key = 'WeChatServerAddress'), '') END
WHERE github_id IS NOT NULL OR linux_do_id IS NOT NULL OR wechat_id IS NOT NULL;
