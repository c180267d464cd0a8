import { consoleDatabase } from "@/lib/console-database";
import { env } from "@/lib/env";
import { loadOptions } from "@/lib/option/queries";
import type { OptionValues } from "@/lib/option/registry";

/** Where Telegram's login widget has its frame. */
const TELEGRAM = "https://oauth.telegram.org";

/** Other sites whose frames the pages show at present: the human check, Telegram's widget, chat clients; pages of the operator; each while it is on. */
export async function framedOrigins(): Promise<string[]> {
  const options = await loadOptions(consoleDatabase().db);
  return [
    ...(options.TurnstileCheckEnabled ? [new URL(env().WEIR_TURNSTILE_SCRIPT_URL).origin] : []),
    ...(options.TelegramOAuthEnabled ? [TELEGRAM] : []),
    ...chatOrigins(options),
    ...contentOrigins(options),
  ];
}

/** The sites of the chat clients; links of installed apps are never framed. */
function chatOrigins({ ChatLink, ChatLink2, Chats }: OptionValues): string[] {
  const templates = [ChatLink, ChatLink2, ...Chats.flatMap((entry) => Object.values(entry))];
  const hosts = templates.filter((template) => /^https?:/i.test(template) && URL.canParse(template));
  return [...new Set(hosts.map((template) => new URL(template).origin))];
}

/** The sites that the operator shows as home page or about. */
function contentOrigins({ HomePageContent, About }: OptionValues): string[] {
  const addresses = [HomePageContent, About].map((text) => text.trim()).filter((text) => /^https:\/\/\S+$/i.test(text));
  return [...new Set(addresses.filter((address) => URL.canParse(address)).map((address) => new URL(address).origin))];
}
