import type { Cells, Content } from "./source-database";

/** Of the password "moved-password". */
export const BCRYPT = "$2a$04$f4vL2RtOY3mdmJ.SSkNP0ubn/jMAu.uasO/oTVptkhdG0PY12B53y";
export const PASSWORD = "moved-password";
export const keyOf = (number: number): string => `Key${String(number).padStart(45, "0")}`;
/** Some weeks ago, at the start of an hour. */
export const SPRING = Math.floor(Date.now() / 3_600_000) * 3_600 - 40 * 86_400;

const user = (id: number, values: Cells = {}): Cells => ({
  id,
  username: `person${id}`,
  password: BCRYPT,
  aff_code: `c${id}`,
  quota: 1_000_000 * id,
  used_quota: 1_000 * id,
  request_count: id,
  ...values,
});
const token = (id: number, owner: number, values: Cells = {}): Cells => ({
  id,
  user_id: owner,
  key: keyOf(id),
  name: `key ${id}`,
  created_time: SPRING,
  expired_time: -1,
  remain_quota: 500,
  used_quota: 100,
  unlimited_quota: false,
  model_limits_enabled: false,
  ...values,
});
const channel = (id: number, values: Cells = {}): Cells => ({
  id,
  type: 1,
  key: `sk-upstream-${id}`,
  name: `upstream ${id}`,
  models: "gpt-4o-mini,gpt-4o",
  status: 1,
  created_time: SPRING,
  ...values,
});
const log = (id: number, owner: number, values: Cells = {}): Cells => ({
  id,
  user_id: owner,
  created_at: SPRING + id * 60,
  type: 2,
  content: "",
  model_name: "gpt-4o-mini",
  quota: 10,
  prompt_tokens: 5,
  completion_tokens: 7,
  use_time: 2,
  is_stream: true,
  channel_id: 1,
  token_id: 1,
  token_name: "key 1",
  group: "default",
  other: '{"model_ratio":0.075,"frt":321}',
  ...values,
});

const users: Cells[] = [
  user(1, { username: "root", role: 100, email: "root@there.example", quota: 100_000_000 }),
  user(2, {
    email: "Two@There.example",
    github_id: "4242",
    oidc_id: "subject-2",
    linux_do_id: "77",
    telegram_id: "880",
    wechat_id: "wx-2",
    inviter_id: 1,
    aff_quota: 300,
    aff_history: 1_000,
    aff_count: 2,
    access_token: "system-token-of-two-0123456789ab",
    setting: '{"quota_warning_threshold":5000,"accept_unset_model_ratio_model":true,"notify_type":"email"}',
    created_at: SPRING,
  }),
  user(3, { role: 10, status: 2, group: "vip", display_name: "Drei 三 🙂", email: "two@there.example" }),
  user(4, { quota: -500, github_id: "old-login-name", discord_id: "99" }),
  user(5, { deleted_at: "2025-01-02 03:04:05" }),
  user(6, { username: "PERSON2-and-more", quota: 0, used_quota: 0, request_count: 0, password: "" }),
  user(7, { role: 7, status: 9, email: "no address", setting: "{broken", password: "md5:abcdef" }),
  user(8, { quota: "9223372036854775807" }),
  user(9, { aff_quota: -5, aff_history: -1, inviter_id: 999, display_name: null, group: null, email: null }),
];

const tokens: Cells[] = [
  token(1, 2),
  token(2, 2, {
    unlimited_quota: true,
    used_quota: 900,
    group: "vip",
    model_limits_enabled: true,
    model_limits: "gpt-4o, gpt-4o-mini",
  }),
  token(3, 3, { status: 2, allow_ips: "10.0.0.1\n192.168.0.0/16\nnonsense", expired_time: SPRING }),
  token(4, 5),
  token(5, 2, { deleted_at: "2025-01-02 03:04:05" }),
  token(6, 2, { key: "has-a-hyphen" }),
  token(7, 2, { remain_quota: -40, status: 4 }),
  token(8, 2, { allow_ips: "nothing of this is an address" }),
  token(9, 2, { expired_time: 0, name: null, group: "auto", created_time: 0 }),
  token(10, 2, { status: 17, remain_quota: "9223372036854775000" }),
  token(11, 4, { name: "a name of very many characters, far more than thirty" }),
];

const channels: Cells[] = [
  channel(1, {
    priority: 5,
    weight: 3,
    tag: "first",
    model_mapping: '{"gpt-4o":"gpt-4o-2024-11-20"}',
    group: "default,vip",
    used_quota: 77,
  }),
  channel(2, {
    key: "sk-several-a\nsk-several-b\nsk-several-c",
    channel_info:
      '{"is_multi_key":true,"multi_key_size":3,"multi_key_mode":"random","multi_key_status_list":{"1":2,"2":3}}',
    setting: '{"proxy":"http://10.0.0.9:3128","pass_through_body_enabled":true,"unheard_of":1}',
  }),
  channel(3, { status: 3, other_info: '{"status_reason":"quota","status_time":1740000000}' }),
  channel(4, { type: 99 }),
  channel(5, { model_mapping: "{broken", header_override: '{"x":"y"}' }),
  channel(6, { key: "k".repeat(2_048), weight: -4, priority: "99999999999" }),
  channel(7, { models: "" }),
  channel(8, { key: "" }),
  channel(9, { type: 14, key: "sk-ant-9", models: "claude-3-5-haiku", base_url: null, group: null, name: null }),
];

const redemptions: Cells[] = [
  { id: 1, user_id: 1, key: `${"0".repeat(31)}1`, status: 1, name: "spring", quota: 500, created_time: SPRING },
  {
    id: 2,
    user_id: 1,
    key: `${"0".repeat(31)}2`,
    status: 3,
    name: "used",
    quota: 700,
    created_time: SPRING,
    redeemed_time: SPRING + 9,
    used_user_id: 2,
  },
  { id: 3, user_id: 1, key: `${"0".repeat(31)}3`, status: 3, name: "of somebody gone", quota: 700, used_user_id: 5 },
  { id: 4, user_id: 1, key: "short", status: 2, name: null, quota: 1 },
  { id: 5, user_id: 1, key: `${"0".repeat(31)}5`, status: 1, name: "late", quota: 5, expired_time: 1_000_000 },
  { id: 6, user_id: 1, key: `${"0".repeat(31)}6`, status: 1, name: "minus", quota: -5 },
];

const topUps: Cells[] = [
  {
    id: 1,
    user_id: 2,
    amount: 10,
    money: 73,
    trade_no: "USR2NOabc1",
    payment_method: "alipay",
    create_time: SPRING,
    complete_time: SPRING + 30,
    status: "success",
  },
  {
    id: 2,
    user_id: 2,
    amount: 5,
    money: 4.5,
    trade_no: "USR2NOabc2",
    payment_method: "stripe",
    create_time: SPRING,
    status: "success",
  },
  {
    id: 3,
    user_id: 2,
    amount: 5,
    money: 36.5,
    trade_no: "USR2NOabc3",
    payment_method: "alipay",
    create_time: SPRING,
    status: "pending",
  },
  { id: 4, user_id: 5, amount: 5, money: 36.5, trade_no: "USR5NOabc4", create_time: SPRING, status: "success" },
  {
    id: 5,
    user_id: 2,
    amount: "99999999999",
    money: 1,
    trade_no: "USR2NOabc5",
    create_time: SPRING,
    status: "success",
  },
];

const logs: Cells[] = [
  ...Array.from({ length: 30 }, (_, index) => log(index + 1, 2)),
  log(31, 2, { token_id: 2, token_name: "key 2", channel_id: 2, model_name: "gpt-4o", quota: 300, other: "{broken" }),
  log(32, 5),
  log(33, 2, { created_at: 0 }),
  log(34, 2, { type: 42 }),
  log(35, 2, { type: 1, quota: 0, content: "通过在线充值 10", token_id: 0, channel_id: 0, model_name: "" }),
  log(36, 2, { type: 6, quota: 5 }),
  log(37, 2, { type: 5, quota: 0, content: "status_code=500" }),
  log(38, 3, { token_id: 4_711, channel_id: 4_711 }),
  log(39, 2, { quota: "9223372036854775000" }),
  log(40, 3, { quota: 0 }),
];

/** A database of new-api with what real ones have, and with nonsense. */
export const newApi: Content = {
  users,
  tokens,
  channels,
  redemptions,
  top_ups: topUps,
  logs,
  options: [
    { key: "SystemName", value: "Riverside" },
    { key: "ModelRatio", value: '{"gpt-4o-mini":0.075,"gpt-4o":1.25}' },
    { key: "GroupRatio", value: '{"default":1,"vip":0.5}' },
    { key: "CompletionRatio", value: "{broken" },
    { key: "QuotaForNewUser", value: "2500" },
    { key: "SMTPToken", value: "mail-secret" },
    { key: "oidc.well_known", value: "https://id.there.example/.well-known/openid-configuration" },
    { key: "WeChatServerAddress", value: "https://wechat.there.example" },
    { key: "console_setting.api_info", value: "[]" },
  ],
  two_fas: [
    { id: 1, user_id: 2, secret: "JBSWY3DPEHPK3PXP", is_enabled: true },
    { id: 2, user_id: 3, secret: "JBSWY3DPEHPK3PXP", is_enabled: false },
  ],
  setups: [{ id: 1, version: "v0.9.0", initialized_at: SPRING }],
  midjourneys: [{ id: 1, user_id: 2, action: "IMAGINE", mj_id: "m1", status: "SUCCESS" }],
  user_subscriptions: [{ id: 1, user_id: 2, plan_id: 1 }],
};
