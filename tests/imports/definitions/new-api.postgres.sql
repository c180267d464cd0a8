-- The tables of new-api on PostgreSQL, as far as an import reads or counts them.
CREATE TABLE "users" (
  "id" bigserial PRIMARY KEY,
  "username" varchar(191) UNIQUE,
  "password" text NOT NULL,
  "display_name" text,
  "role" integer DEFAULT 1,
  "status" integer DEFAULT 1,
  "email" text,
  "github_id" text,
  "discord_id" text,
  "oidc_id" text,
  "wechat_id" text,
  "telegram_id" text,
  "access_token" char(32) UNIQUE,
  "quota" bigint DEFAULT 0,
  "used_quota" bigint DEFAULT 0,
  "request_count" bigint DEFAULT 0,
  "group" varchar(64) DEFAULT 'default',
  "aff_code" varchar(32) UNIQUE,
  "aff_count" integer DEFAULT 0,
  "aff_quota" bigint DEFAULT 0,
  "aff_history" bigint DEFAULT 0,
  "inviter_id" bigint,
  "deleted_at" timestamptz,
  "linux_do_id" text,
  "setting" text,
  "remark" varchar(255),
  "stripe_customer" varchar(64),
  "created_at" bigint,
  "last_login_at" bigint DEFAULT 0
);
CREATE TABLE "tokens" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "key" char(48) UNIQUE,
  "status" integer DEFAULT 1,
  "name" text,
  "created_time" bigint,
  "accessed_time" bigint,
  "expired_time" bigint DEFAULT -1,
  "remain_quota" bigint DEFAULT 0,
  "unlimited_quota" boolean,
  "model_limits_enabled" boolean,
  "model_limits" text,
  "allow_ips" text,
  "used_quota" bigint DEFAULT 0,
  "group" text,
  "cross_group_retry" boolean,
  "deleted_at" timestamptz
);
CREATE TABLE "channels" (
  "id" bigserial PRIMARY KEY,
  "type" integer DEFAULT 0,
  "key" text NOT NULL,
  "openai_organization" text,
  "test_model" text,
  "status" integer DEFAULT 1,
  "name" text,
  "weight" bigint DEFAULT 0,
  "created_time" bigint,
  "test_time" bigint,
  "response_time" integer,
  "base_url" text,
  "other" text,
  "balance" numeric,
  "balance_updated_time" bigint,
  "models" text,
  "group" varchar(64) DEFAULT 'default',
  "used_quota" bigint DEFAULT 0,
  "model_mapping" text,
  "status_code_mapping" text,
  "priority" bigint DEFAULT 0,
  "auto_ban" integer DEFAULT 1,
  "other_info" text,
  "tag" varchar(255),
  "setting" text,
  "param_override" text,
  "header_override" text,
  "remark" varchar(255),
  "channel_info" json,
  "settings" text
);
CREATE TABLE "abilities" (
  "group" varchar(64) NOT NULL,
  "model" varchar(255) NOT NULL,
  "channel_id" bigint NOT NULL,
  "enabled" boolean,
  "priority" bigint DEFAULT 0,
  "weight" bigint DEFAULT 0,
  "tag" varchar(255)
);
CREATE TABLE "options" (
  "key" varchar(191) PRIMARY KEY,
  "value" text
);
CREATE TABLE "redemptions" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "key" char(32) UNIQUE,
  "status" integer DEFAULT 1,
  "name" varchar(255),
  "quota" bigint DEFAULT 100,
  "created_time" bigint,
  "redeemed_time" bigint,
  "used_user_id" bigint,
  "deleted_at" timestamptz,
  "expired_time" bigint
);
CREATE TABLE "top_ups" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "amount" bigint,
  "money" numeric,
  "trade_no" varchar(255),
  "payment_method" varchar(50),
  "payment_provider" varchar(50),
  "create_time" bigint,
  "complete_time" bigint,
  "status" varchar(255)
);
CREATE TABLE "logs" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "created_at" bigint,
  "type" integer,
  "content" text,
  "username" varchar(255),
  "token_name" varchar(255),
  "model_name" varchar(255),
  "quota" bigint DEFAULT 0,
  "prompt_tokens" integer DEFAULT 0,
  "completion_tokens" integer DEFAULT 0,
  "use_time" integer DEFAULT 0,
  "is_stream" boolean,
  "channel_id" bigint,
  "token_id" bigint DEFAULT 0,
  "group" varchar(255),
  "ip" varchar(255),
  "other" text
);
CREATE TABLE "two_fas" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "secret" varchar(255),
  "is_enabled" boolean,
  "failed_attempts" integer DEFAULT 0,
  "locked_until" timestamptz,
  "last_used_at" timestamptz,
  "created_at" timestamptz,
  "updated_at" timestamptz,
  "deleted_at" timestamptz
);
CREATE TABLE "setups" (
  "id" bigserial PRIMARY KEY,
  "version" varchar(50),
  "initialized_at" bigint
);
CREATE TABLE "quota_data" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "username" varchar(64),
  "model_name" varchar(64),
  "created_at" bigint,
  "token_used" bigint DEFAULT 0,
  "count" bigint DEFAULT 0,
  "quota" bigint DEFAULT 0
);
CREATE TABLE "midjourneys" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "action" varchar(40),
  "mj_id" varchar(255),
  "status" varchar(20)
);
CREATE TABLE "tasks" (
  "id" bigserial PRIMARY KEY,
  "task_id" varchar(50),
  "platform" varchar(30),
  "user_id" bigint,
  "status" varchar(20)
);
CREATE TABLE "user_subscriptions" (
  "id" bigserial PRIMARY KEY,
  "user_id" bigint,
  "plan_id" bigint
);
