import { z } from "zod";
import { MODALITIES } from "@/lib/billing/modality";
import { OPERATIONS } from "@/lib/operations";
import { LOG_COLUMN_LIST, type LogColumn } from "@/lib/usage-log/columns";

// Fields that many objects in /api responses have.

export const id = z.int();
export const seconds = z.int().meta({ description: "Unix seconds; 0 = not yet" });
export const quota = z.int().meta({ description: "Quota" });
export const jsonText = z.string().meta({ description: "JSON as text" });
export const limit = z.int().min(0).meta({ description: "0 = no limit" });

// The objects in /api responses; channel-rows.ts has those of channels. Tests validate every response against these, field by field.

const deleted = z.null();

const budget = z.int().min(0).meta({ description: "Quota that may be spent in the period; 0 = no limit" });
const budgets = { budget_day: budget, budget_week: budget, budget_month: budget };

export const tokenRow = z
  .strictObject({
    id,
    user_id: id,
    key: z.string(),
    key_hint: z.string(),
    status: z.int().min(1).max(4),
    name: z.string(),
    created_time: seconds,
    accessed_time: seconds,
    expired_time: z.int().meta({ description: "Unix seconds; -1 = never" }),
    remain_quota: quota,
    unlimited_quota: z.boolean(),
    model_limits_enabled: z.boolean(),
    model_limits: z.string(),
    operation_limits: z.string().meta({
      description: `Comma list of what the key may be used for: ${OPERATIONS.join(", ")}; empty = everything`,
    }),
    allow_ips: z.string(),
    deny_ips: z.string(),
    used_quota: quota,
    group: z.string(),
    rate_limit_count: z.int().min(0),
    rate_limit_seconds: z.int().min(1),
    rate_limit_message: z.string(),
    tokens_per_minute: limit,
    concurrency_limit: limit,
    ...budgets,
    DeletedAt: deleted,
  })
  .meta({ id: "Token" });

export const redemptionRow = z
  .strictObject({
    id,
    user_id: id,
    key: z.string(),
    status: z.int().min(1).max(3),
    name: z.string(),
    quota,
    created_time: seconds,
    redeemed_time: seconds,
    expired_time: seconds.meta({ description: "0 = never" }),
    used_user_id: id,
    count: z.literal(0),
    DeletedAt: deleted,
  })
  .meta({ id: "Redemption" });

const logKinds: Record<LogColumn["kind"], z.ZodType> = {
  integer: z.int(),
  type: z.int().min(0).max(9),
  quota,
  moment: seconds,
  milliseconds: z.int().meta({ description: "Whole seconds" }),
  text: z.string(),
  boolean: z.boolean(),
  json: jsonText,
};

function logShape(scope: "all" | "own"): z.ZodRawShape {
  return Object.fromEntries(
    LOG_COLUMN_LIST.flatMap(({ wire, kind, isNullable, isForAdmins }) =>
      wire && !(isForAdmins && scope === "own")
        ? [[wire, isNullable ? logKinds[kind].nullable() : logKinds[kind]]]
        : [],
    ),
  );
}

export const logRow = z.strictObject(logShape("all")).meta({ id: "Log" });
/** As users see their own. */
export const ownLogRow = z.strictObject(logShape("own")).meta({ id: "OwnLog" });

export const drawingRow = z
  .strictObject({
    id,
    code: z.int(),
    user_id: id,
    action: z.string(),
    mj_id: z.string(),
    prompt: z.string(),
    prompt_en: z.string(),
    description: z.string(),
    state: z.string(),
    submit_time: z.int().meta({ description: "Unix milliseconds" }),
    start_time: z.int().meta({ description: "Unix milliseconds" }),
    finish_time: z.int().meta({ description: "Unix milliseconds" }),
    image_url: z.string(),
    status: z.string(),
    progress: z.string(),
    fail_reason: z.string(),
    channel_id: id,
    quota,
  })
  .meta({ id: "Drawing" });

export const taskRow = z
  .strictObject({
    id,
    created_at: seconds,
    updated_at: seconds,
    task_id: z.string(),
    platform: z.string(),
    user_id: id,
    channel_id: id,
    quota,
    action: z.string(),
    status: z.string(),
    fail_reason: z.string(),
    submit_time: seconds,
    start_time: seconds,
    finish_time: seconds,
    progress: z.string(),
    data: z.unknown(),
  })
  .meta({ id: "Task" });

export const usageRow = z
  .strictObject({ model_name: z.string(), created_at: seconds, count: z.int(), quota, token_used: z.int() })
  .meta({ id: "HourlyUsage" });

export const userRow = z
  .strictObject({
    id,
    username: z.string(),
    password: z.literal(""),
    display_name: z.string(),
    role: z.int(),
    status: z.int(),
    email: z.string(),
    github_id: z.string(),
    oidc_id: z.string(),
    wechat_id: z.string(),
    telegram_id: z.string(),
    linux_do_id: z.string(),
    group: z.string(),
    quota,
    used_quota: quota,
    request_count: z.int(),
    concurrency_limit: limit,
    requests_per_minute: limit,
    tokens_per_minute: limit,
    ...budgets,
    aff_code: z.string(),
    aff_count: z.int(),
    aff_quota: quota,
    aff_history_quota: quota,
    inviter_id: id,
    setting: jsonText,
    DeletedAt: z.iso.datetime().nullable(),
  })
  .meta({ id: "User" });

export const signedInRow = z
  .strictObject({
    id,
    username: z.string(),
    display_name: z.string(),
    role: z.int(),
    status: z.int(),
    group: z.string(),
  })
  .meta({ id: "SignedInUser" });

export const ticketRow = z
  .strictObject({
    require_2fa: z.literal(true),
    ticket: z.string(),
    expires_in: z.int().meta({ description: "Seconds" }),
    methods: z.array(z.string()),
  })
  .meta({ id: "SecondFactorTicket" });

export const passkeyRow = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    created_at: seconds,
    last_used_at: seconds,
    backed_up: z.boolean(),
  })
  .meta({ id: "Passkey" });

export const factorsRow = z
  .strictObject({
    has_password: z.boolean(),
    totp_enabled: z.boolean(),
    totp_enabled_at: seconds,
    recovery_left: z.int().nullable(),
    passkeys: z.array(passkeyRow),
  })
  .meta({ id: "SecondFactors" });

export const sessionRow = z
  .strictObject({
    id: z.uuid(),
    current: z.boolean(),
    method: z.string(),
    device: z.string(),
    client_ip: z.string(),
    created_at: seconds,
    last_seen_at: seconds,
  })
  .meta({ id: "Session" });

export const orderRow = z
  .strictObject({
    id,
    user_id: id,
    username: z.string(),
    amount: z.int(),
    money: z.number(),
    currency: z.string(),
    quota,
    refunded: z.number(),
    trade_no: z.string(),
    provider: z.string(),
    payment_method: z.string(),
    status: z.string(),
    create_time: seconds,
    complete_time: seconds,
  })
  .meta({ id: "TopUp" });

export const ledgerRow = z
  .strictObject({
    id,
    user_id: id,
    amount: quota,
    kind: z.string(),
    reference: z.string(),
    note: z.string(),
    created_at: seconds,
  })
  .meta({ id: "LedgerEntry" });

export const noticeRow = z
  .strictObject({
    id,
    event: z.string(),
    title: z.string(),
    content: z.string(),
    path: z.string(),
    read: z.boolean(),
    created_at: seconds,
  })
  .meta({ id: "Notice" });

export const modelRow = z
  .strictObject({
    id: z.string(),
    object: z.literal("model"),
    created: seconds,
    owned_by: z.string(),
    permission: z.array(z.unknown()),
    root: z.string(),
    parent: z.null(),
  })
  .meta({ id: "Model" });

const modalities = z.array(z.enum(MODALITIES));

export const priceRow = z
  .strictObject({
    model_name: z.string(),
    quota_type: z.int().min(0).max(1),
    model_ratio: z.number(),
    model_price: z.number(),
    owner_by: z.string(),
    completion_ratio: z.number(),
    cache_ratio: z.number().nullable(),
    enable_groups: z.array(z.string()),
    vendor: z.string().optional(),
    context_window: z.int().min(1).optional(),
    max_output_tokens: z.int().min(1).optional(),
    meter_prices: z.record(z.string(), z.number().min(0)).optional(),
    input_modalities: modalities.optional(),
    output_modalities: modalities.optional(),
  })
  .meta({ id: "Price" });

const flags = z.boolean();
const text = z.string();

export const statusRow = z
  .strictObject({
    version: text,
    start_time: seconds,
    setup: flags,
    email_verification: flags,
    github_oauth: flags,
    github_client_id: text,
    linuxdo_oauth: flags,
    linuxdo_client_id: text,
    telegram_oauth: flags,
    telegram_bot_name: text,
    wechat_login: flags,
    wechat_qrcode: text,
    oidc_enabled: flags,
    oidc_client_id: text,
    oidc_authorization_endpoint: text,
    turnstile_check: flags,
    turnstile_site_key: text,
    system_name: text,
    logo: text,
    footer_html: text,
    server_address: text,
    price: z.number(),
    min_topup: z.number(),
    enable_online_topup: flags,
    enable_stripe_topup: flags,
    top_up_link: text,
    docs_link: text,
    chat_link: text,
    chat_link2: text,
    chats: z.array(z.record(text, text)),
    quota_per_unit: z.number(),
    display_in_currency: flags,
    enable_batch_update: flags,
    enable_drawing: flags,
    enable_task: flags,
    enable_data_export: flags,
    data_export_default_time: text,
    default_collapse_sidebar: flags,
    mj_notify_enabled: flags,
    demo_site_enabled: flags,
    self_use_mode_enabled: flags,
  })
  .meta({ id: "Status" });
