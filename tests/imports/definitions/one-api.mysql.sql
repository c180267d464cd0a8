-- The tables of one-api on MySQL and MariaDB, as far as an import reads or counts them.
CREATE TABLE `users` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `username` varchar(191) UNIQUE,
  `password` longtext NOT NULL,
  `display_name` longtext,
  `role` int DEFAULT 1,
  `status` int DEFAULT 1,
  `email` longtext,
  `github_id` longtext,
  `wechat_id` longtext,
  `lark_id` longtext,
  `oidc_id` longtext,
  `access_token` char(32) UNIQUE,
  `quota` bigint DEFAULT 0,
  `used_quota` bigint DEFAULT 0,
  `request_count` int DEFAULT 0,
  `group` varchar(32) DEFAULT 'default',
  `aff_code` varchar(32) UNIQUE,
  `inviter_id` bigint
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
  `used_quota` bigint DEFAULT 0,
  `models` longtext,
  `subnet` longtext
);
CREATE TABLE `channels` (
  `id` bigint NOT NULL AUTO_INCREMENT PRIMARY KEY,
  `type` int DEFAULT 0,
  `key` longtext,
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
  `group` varchar(32) DEFAULT 'default',
  `used_quota` bigint DEFAULT 0,
  `model_mapping` longtext,
  `priority` bigint DEFAULT 0,
  `config` longtext,
  `system_prompt` longtext
);
CREATE TABLE `abilities` (
  `group` varchar(32) NOT NULL,
  `model` varchar(255) NOT NULL,
  `channel_id` bigint NOT NULL,
  `enabled` tinyint(1),
  `priority` bigint DEFAULT 0
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
  `redeemed_time` bigint
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
  `channel_id` bigint,
  `request_id` varchar(255),
  `elapsed_time` bigint DEFAULT 0,
  `is_stream` tinyint(1),
  `system_prompt_reset` tinyint(1)
);
