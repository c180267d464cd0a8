import type { TurnstileSite } from "@/components/auth/turnstile";
import type { SignInOver } from "@/components/session/sign-in-dialog";
import { consoleDatabase } from "@/lib/console-database";
import { env } from "@/lib/env";
import { loadOptions } from "@/lib/option/queries";

/** What the dialog needs by which a user signs in again over an open page. */
export async function getSignInOver(): Promise<SignInOver> {
  const [options, turnstileSite] = await Promise.all([loadOptions(consoleDatabase().db), getTurnstileSite()]);
  return { turnstileSite, withPassword: options.PasswordLoginEnabled };
}

/** Null while the operator has Turnstile switched off. */
export async function getTurnstileSite(): Promise<TurnstileSite> {
  const options = await loadOptions(consoleDatabase().db);
  if (!options.TurnstileCheckEnabled) return null;
  return { siteKey: options.TurnstileSiteKey, scriptUrl: env().WEIR_TURNSTILE_SCRIPT_URL };
}
