import { env } from "@/lib/env";
import type { OptionValues } from "@/lib/option/registry";
import { epayMerchant } from "@/lib/topup/epay";

/** Other origins that pages post forms to: the payment gateway, while online top-up is configured. */
export function formOrigins(options: OptionValues): string[] {
  const merchant = epayMerchant(options);
  return merchant && URL.canParse(merchant.address) ? [new URL(merchant.address).origin] : [];
}

/** Origin of the frame of Telegram's login widget. */
const TELEGRAM = "https://oauth.telegram.org";

/**
 * Other origins that pages may frame: Turnstile, Telegram's widget, chat clients and the operator's pages. Each only
 * while it is switched on.
 */
export function framedOrigins(options: OptionValues): string[] {
  return [
    ...(options.TurnstileCheckEnabled ? [new URL(env().WEIR_TURNSTILE_SCRIPT_URL).origin] : []),
    ...(options.TelegramOAuthEnabled ? [TELEGRAM] : []),
    ...chatOrigins(options),
    ...contentOrigins(options),
  ];
}

/** Origins of the chat clients. Links that open installed apps are never framed. */
function chatOrigins({ ChatLink, ChatLink2, Chats }: OptionValues): string[] {
  const templates = [ChatLink, ChatLink2, ...Chats.flatMap((entry) => Object.values(entry))];
  const hosts = templates.filter((template) => /^https?:/i.test(template) && URL.canParse(template));
  return [...new Set(hosts.map((template) => new URL(template).origin))];
}

/** Origins of the pages that the operator set as home page or about page. */
function contentOrigins({ HomePageContent, About }: OptionValues): string[] {
  const addresses = [HomePageContent, About].map((text) => text.trim()).filter((text) => /^https:\/\/\S+$/i.test(text));
  return [...new Set(addresses.filter((address) => URL.canParse(address)).map((address) => new URL(address).origin))];
}
