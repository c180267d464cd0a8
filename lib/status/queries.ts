import { ROLE, requireRole, type ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { loadOptions } from "@/lib/option/queries";
import { publicAddressOf } from "@/lib/request/public-address";
import { stripeAccount } from "@/lib/topup/stripe";
import packageJson from "@/package.json";

const startTime = Math.floor(Date.now() / 1000);

/** Public information about this installation (contract §1.4), in the /api format. */
export async function getStatus(ctx: ServiceContext, headers: Headers) {
  const options = await loadOptions(ctx.db);
  return {
    version: `v${packageJson.version}`,
    start_time: startTime,
    setup: true,
    email_verification: options.EmailVerificationEnabled,
    github_oauth: options.GitHubOAuthEnabled,
    github_client_id: options.GitHubClientId,
    linuxdo_oauth: options.LinuxDOOAuthEnabled,
    linuxdo_client_id: options.LinuxDOClientId,
    telegram_oauth: options.TelegramOAuthEnabled,
    telegram_bot_name: options.TelegramBotName,
    wechat_login: options.WeChatAuthEnabled,
    wechat_qrcode: options.WeChatAccountQRCodeImageURL,
    oidc_enabled: options["oidc.enabled"],
    oidc_client_id: options["oidc.client_id"],
    oidc_authorization_endpoint: options["oidc.authorization_endpoint"],
    turnstile_check: options.TurnstileCheckEnabled,
    turnstile_site_key: options.TurnstileSiteKey,
    system_name: options.SystemName,
    logo: options.Logo,
    footer_html: options.Footer,
    server_address: publicAddressOf(options.ServerAddress, headers),
    price: options.Price,
    min_topup: options.MinTopUp,
    enable_online_topup: options.PayAddress !== "" && options.EpayId !== "" && options.EpayKey !== "",
    enable_stripe_topup: stripeAccount(options) !== null,
    top_up_link: options.TopUpLink,
    docs_link: options["general_setting.docs_link"],
    chat_link: options.ChatLink,
    chat_link2: options.ChatLink2,
    chats: options.Chats,
    quota_per_unit: options.QuotaPerUnit,
    display_in_currency: options.DisplayInCurrencyEnabled,
    enable_batch_update: true,
    enable_drawing: options.DrawingEnabled,
    enable_task: options.TaskEnabled,
    enable_data_export: options.DataExportEnabled,
    data_export_default_time: options.DataExportDefaultTime,
    default_collapse_sidebar: options.DefaultCollapseSidebar,
    mj_notify_enabled: options.MjNotifyEnabled,
    demo_site_enabled: options.DemoSiteEnabled,
    self_use_mode_enabled: options.SelfUseModeEnabled,
  };
}

/** The operator's public text, unchanged (B257); "" when there is none. */
export async function getContent(ctx: ServiceContext, key: "Notice" | "About" | "HomePageContent"): Promise<string> {
  return (await loadOptions(ctx.db))[key];
}

/** Throws unavailable when the database does not respond (administrators). */
export async function pingDatabase(ctx: ServiceContext): Promise<void> {
  requireRole(ctx, ROLE.admin);
  try {
    await ctx.sql`select 1`;
  } catch (error) {
    throw new AppError("unavailable", "databaseAway", {}, error);
  }
}
