-- The tables of one-api on SQLite, as far as an import reads or counts them.
CREATE TABLE `users` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `username` varchar(191) UNIQUE,
  `password` text NOT NULL,
  `display_name` text,
  `role` integer DEFAULT 1,
  `status` integer DEFAULT 1,
  `email` text,
  `github_id` text,
  `wechat_id` text,
  `lark_id` text,
  `oidc_id` text,
  `access_token` char(32) UNIQUE,
  `quota` integer DEFAULT 0,
  `used_quota` integer DEFAULT 0,
  `request_count` integer DEFAULT 0,
  `group` varchar(32) DEFAULT 'default',
  `aff_code` varchar(32) UNIQUE,
  `inviter_id` integer
);
CREATE TABLE `tokens` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `key` char(48) UNIQUE,
  `status` integer DEFAULT 1,
  `name` text,
  `created_time` integer,
  `accessed_time` integer,
  `expired_time` integer DEFAULT -1,
  `remain_quota` integer DEFAULT 0,
  `unlimited_quota` numeric,
  `used_quota` integer DEFAULT 0,
  `models` text,
  `subnet` text
);
CREATE TABLE `channels` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `type` integer DEFAULT 0,
  `key` text,
  `status` integer DEFAULT 1,
  `name` text,
  `weight` integer DEFAULT 0,
  `created_time` integer,
  `test_time` integer,
  `response_time` integer,
  `base_url` text,
  `other` text,
  `balance` real,
  `balance_updated_time` integer,
  `models` text,
  `group` varchar(32) DEFAULT 'default',
  `used_quota` integer DEFAULT 0,
  `model_mapping` text,
  `priority` integer DEFAULT 0,
  `config` text,
  `system_prompt` text
);
CREATE TABLE `abilities` (
  `group` varchar(32) NOT NULL,
  `model` varchar(255) NOT NULL,
  `channel_id` integer NOT NULL,
  `enabled` numeric,
  `priority` integer DEFAULT 0
);
CREATE TABLE `options` (
  `key` varchar(191) PRIMARY KEY,
  `value` text
);
CREATE TABLE `redemptions` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `key` char(32) UNIQUE,
  `status` integer DEFAULT 1,
  `name` varchar(255),
  `quota` integer DEFAULT 100,
  `created_time` integer,
  `redeemed_time` integer
);
CREATE TABLE `logs` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `created_at` integer,
  `type` integer,
  `content` text,
  `username` varchar(255),
  `token_name` varchar(255),
  `model_name` varchar(255),
  `quota` integer DEFAULT 0,
  `prompt_tokens` integer DEFAULT 0,
  `completion_tokens` integer DEFAULT 0,
  `channel_id` integer,
  `request_id` varchar(255),
  `elapsed_time` integer DEFAULT 0,
  `is_stream` numeric,
  `system_prompt_reset` numeric
);
