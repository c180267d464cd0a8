-- The tables of one-api on PostgreSQL, as far as an import reads or counts them.
CREATE TABLE "users" (
  "id" bigserial PRIMARY KEY,
  "username" varchar(191) UNIQUE,
  "password" text NOT NULL,
  "display_name" text,
  "role" integer DEFAULT 1,
  "status" integer DEFAULT 1,
  "email" text,
  "github_id" text,
  "wechat_id" text,
  "lark_id" text,
  "oidc_id" text,
  "access_token" char(32) UNIQUE,
  "quota" bigint DEFAULT 0,
  "used_quota" bigint DEFAULT 0,
  "request_count" integer DEFAULT 0,
  "group" varchar(32) DEFAULT 'default',
  "aff_code" varchar(32) UNIQUE,
  "inviter_id" bigint
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
  "used_quota" bigint DEFAULT 0,
  "models" text,
  "subnet" text
);
CREATE TABLE "channels" (
  "id" bigserial PRIMARY KEY,
  "type" integer DEFAULT 0,
  "key" text,
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
  "group" varchar(32) DEFAULT 'default',
  "used_quota" bigint DEFAULT 0,
  "model_mapping" text,
  "priority" bigint DEFAULT 0,
  "config" text,
  "system_prompt" text
);
CREATE TABLE "abilities" (
  "group" varchar(32) NOT NULL,
  "model" varchar(255) NOT NULL,
  "channel_id" bigint NOT NULL,
  "enabled" boolean,
  "priority" bigint DEFAULT 0
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
  "redeemed_time" bigint
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
  "channel_id" bigint,
  "request_id" varchar(255),
  "elapsed_time" bigint DEFAULT 0,
  "is_stream" boolean,
  "system_prompt_reset" boolean
);
