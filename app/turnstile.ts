import type { TurnstileSite } from "@/components/auth/turnstile";
import { consoleDatabase } from "@/lib/console-database";
import { env } from "@/lib/env";
import { loadOptions } from "@/lib/option/queries";

/** Null while the operator has Turnstile switched off. */
export async function getTurnstileSite(): Promise<TurnstileSite> {
  const options = await loadOptions(consoleDatabase().db);
  if (!options.TurnstileCheckEnabled) return null;
  return { siteKey: options.TurnstileSiteKey, scriptUrl: env().WEIR_TURNSTILE_SCRIPT_URL };
}
