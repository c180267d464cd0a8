-- The tables of new-api on SQLite, as far as an import reads or counts them.
CREATE TABLE `users` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `username` varchar(191) UNIQUE,
  `password` text NOT NULL,
  `display_name` text,
  `role` integer DEFAULT 1,
  `status` integer DEFAULT 1,
  `email` text,
  `github_id` text,
  `discord_id` text,
  `oidc_id` text,
  `wechat_id` text,
  `telegram_id` text,
  `access_token` char(32) UNIQUE,
  `quota` integer DEFAULT 0,
  `used_quota` integer DEFAULT 0,
  `request_count` integer DEFAULT 0,
  `group` varchar(64) DEFAULT 'default',
  `aff_code` varchar(32) UNIQUE,
  `aff_count` integer DEFAULT 0,
  `aff_quota` integer DEFAULT 0,
  `aff_history` integer DEFAULT 0,
  `inviter_id` integer,
  `deleted_at` datetime,
  `linux_do_id` text,
  `setting` text,
  `remark` varchar(255),
  `stripe_customer` varchar(64),
  `created_at` integer,
  `last_login_at` integer DEFAULT 0
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
  `model_limits_enabled` numeric,
  `model_limits` text,
  `allow_ips` text,
  `used_quota` integer DEFAULT 0,
  `group` text,
  `cross_group_retry` numeric,
  `deleted_at` datetime
);
CREATE TABLE `channels` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `type` integer DEFAULT 0,
  `key` text NOT NULL,
  `openai_organization` text,
  `test_model` text,
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
  `group` varchar(64) DEFAULT 'default',
  `used_quota` integer DEFAULT 0,
  `model_mapping` text,
  `status_code_mapping` text,
  `priority` integer DEFAULT 0,
  `auto_ban` integer DEFAULT 1,
  `other_info` text,
  `tag` varchar(255),
  `setting` text,
  `param_override` text,
  `header_override` text,
  `remark` varchar(255),
  `channel_info` json,
  `settings` text
);
CREATE TABLE `abilities` (
  `group` varchar(64) NOT NULL,
  `model` varchar(255) NOT NULL,
  `channel_id` integer NOT NULL,
  `enabled` numeric,
  `priority` integer DEFAULT 0,
  `weight` integer DEFAULT 0,
  `tag` varchar(255)
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
  `redeemed_time` integer,
  `used_user_id` integer,
  `deleted_at` datetime,
  `expired_time` integer
);
CREATE TABLE `top_ups` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `amount` integer,
  `money` real,
  `trade_no` varchar(255),
  `payment_method` varchar(50),
  `payment_provider` varchar(50),
  `create_time` integer,
  `complete_time` integer,
  `status` varchar(255)
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
  `use_time` integer DEFAULT 0,
  `is_stream` numeric,
  `channel_id` integer,
  `token_id` integer DEFAULT 0,
  `group` varchar(255),
  `ip` varchar(255),
  `other` text
);
CREATE TABLE `two_fas` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `secret` varchar(255),
  `is_enabled` numeric,
  `failed_attempts` integer DEFAULT 0,
  `locked_until` datetime,
  `last_used_at` datetime,
  `created_at` datetime,
  `updated_at` datetime,
  `deleted_at` datetime
);
CREATE TABLE `setups` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `version` varchar(50),
  `initialized_at` integer
);
CREATE TABLE `quota_data` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `username` varchar(64),
  `model_name` varchar(64),
  `created_at` integer,
  `token_used` integer DEFAULT 0,
  `count` integer DEFAULT 0,
  `quota` integer DEFAULT 0
);
CREATE TABLE `midjourneys` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `action` varchar(40),
  `mj_id` varchar(255),
  `status` varchar(20)
);
CREATE TABLE `tasks` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `task_id` varchar(50),
  `platform` varchar(30),
  `user_id` integer,
  `status` varchar(20)
);
CREATE TABLE `user_subscriptions` (
  `id` integer PRIMARY KEY AUTOINCREMENT,
  `user_id` integer,
  `plan_id` integer
);
