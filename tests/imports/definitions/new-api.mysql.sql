-- The tables of new-api on MySQL and MariaDB, as far as an import reads or counts them.
CREATE TABLE `users` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `username` varchar(191) UNIQUE,
  `password` longtext NOT NULL,
  `display_name` longtext,
  `role` int DEFAULT 1,
  `status` int DEFAULT 1,
  `email` longtext,
  `github_id` longtext,
  `discord_id` longtext,
  `oidc_id` longtext,
  `wechat_id` longtext,
  `telegram_id` longtext,
  `access_token` char(32) UNIQUE,
  `quota` bigint DEFAULT 0,
  `used_quota` bigint DEFAULT 0,
  `request_count` bigint DEFAULT 0,
  `group` varchar(64) DEFAULT 'default',
  `aff_code` varchar(32) UNIQUE,
  `aff_count` int DEFAULT 0,
  `aff_quota` bigint DEFAULT 0,
  `aff_history` bigint DEFAULT 0,
  `inviter_id` bigint,
  `deleted_at` datetime(3),
  `linux_do_id` longtext,
  `setting` longtext,
  `remark` varchar(255),
  `stripe_customer` varchar(64),
  `created_at` bigint,
  `last_login_at` bigint DEFAULT 0
);
CREATE TABLE `tokens` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `key` char(48) UNIQUE,
  `status` int DEFAULT 1,
  `name` longtext,
  `created_time` bigint,
  `accessed_time` bigint,
  `expired_time` bigint DEFAULT -1,
  `remain_quota` bigint DEFAULT 0,
  `unlimited_quota` tinyint(1),
  `model_limits_enabled` tinyint(1),
  `model_limits` longtext,
  `allow_ips` longtext,
  `used_quota` bigint DEFAULT 0,
  `group` longtext,
  `cross_group_retry` tinyint(1),
  `deleted_at` datetime(3)
);
CREATE TABLE `channels` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `type` int DEFAULT 0,
  `key` longtext NOT NULL,
  `openai_organization` longtext,
  `test_model` longtext,
  `status` int DEFAULT 1,
  `name` longtext,
  `weight` bigint DEFAULT 0,
  `created_time` bigint,
  `test_time` bigint,
  `response_time` int,
  `base_url` longtext,
  `other` longtext,
  `balance` double,
  `balance_updated_time` bigint,
  `models` longtext,
  `group` varchar(64) DEFAULT 'default',
  `used_quota` bigint DEFAULT 0,
  `model_mapping` longtext,
  `status_code_mapping` longtext,
  `priority` bigint DEFAULT 0,
  `auto_ban` int DEFAULT 1,
  `other_info` longtext,
  `tag` varchar(255),
  `setting` longtext,
  `param_override` longtext,
  `header_override` longtext,
  `remark` varchar(255),
  `channel_info` json,
  `settings` longtext
);
CREATE TABLE `abilities` (
  `group` varchar(64) NOT NULL,
  `model` varchar(255) NOT NULL,
  `channel_id` bigint NOT NULL,
  `enabled` tinyint(1),
  `priority` bigint DEFAULT 0,
  `weight` bigint DEFAULT 0,
  `tag` varchar(255)
);
CREATE TABLE `options` (
  `key` varchar(191) PRIMARY KEY,
  `value` longtext
);
CREATE TABLE `redemptions` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `key` char(32) UNIQUE,
  `status` int DEFAULT 1,
  `name` varchar(255),
  `quota` bigint DEFAULT 100,
  `created_time` bigint,
  `redeemed_time` bigint,
  `used_user_id` bigint,
  `deleted_at` datetime(3),
  `expired_time` bigint
);
CREATE TABLE `top_ups` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `amount` bigint,
  `money` double,
  `trade_no` varchar(255),
  `payment_method` varchar(50),
  `payment_provider` varchar(50),
  `create_time` bigint,
  `complete_time` bigint,
  `status` varchar(255)
);
CREATE TABLE `logs` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `created_at` bigint,
  `type` int,
  `content` longtext,
  `username` varchar(255),
  `token_name` varchar(255),
  `model_name` varchar(255),
  `quota` bigint DEFAULT 0,
  `prompt_tokens` int DEFAULT 0,
  `completion_tokens` int DEFAULT 0,
  `use_time` int DEFAULT 0,
  `is_stream` tinyint(1),
  `channel_id` bigint,
  `token_id` bigint DEFAULT 0,
  `group` varchar(255),
  `ip` varchar(255),
  `other` longtext
);
CREATE TABLE `two_fas` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `secret` varchar(255),
  `is_enabled` tinyint(1),
  `failed_attempts` int DEFAULT 0,
  `locked_until` datetime(3),
  `last_used_at` datetime(3),
  `created_at` datetime(3),
  `updated_at` datetime(3),
  `deleted_at` datetime(3)
);
CREATE TABLE `setups` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `version` varchar(50),
  `initialized_at` bigint
);
CREATE TABLE `quota_data` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `username` varchar(64),
  `model_name` varchar(64),
  `created_at` bigint,
  `token_used` bigint DEFAULT 0,
  `count` bigint DEFAULT 0,
  `quota` bigint DEFAULT 0
);
CREATE TABLE `midjourneys` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `action` varchar(40),
  `mj_id` varchar(255),
  `status` varchar(20)
);
CREATE TABLE `tasks` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `task_id` varchar(50),
  `platform` varchar(30),
  `user_id` bigint,
  `status` varchar(20)
);
CREATE TABLE `user_subscriptions` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `user_id` bigint,
  `plan_id` bigint
);
