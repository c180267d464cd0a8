import { env } from "@/lib/env";
import { consoleDatabase } from "@/lib/http/database";
import { loadOptions } from "@/lib/option/queries";

/** Where Telegram's login widget has its frame. */
const TELEGRAM = "https://oauth.telegram.org";

/** Other sites whose frames the pages show at present: the human check and Telegram's widget, each only while it is on. */
export async function framedOrigins(): Promise<string[]> {
  const options = await loadOptions(consoleDatabase().db);
  return [
    ...(options.TurnstileCheckEnabled ? [new URL(env().WEIR_TURNSTILE_SCRIPT_URL).origin] : []),
    ...(options.TelegramOAuthEnabled ? [TELEGRAM] : []),
  ];
}
