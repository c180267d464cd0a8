import { signIn, signInByCode, signInByPasskey, startPasskey } from "@/components/auth/sign-in-actions";
import type { SignInOver } from "@/components/session/sign-in-dialog";
import { consoleDatabase } from "@/lib/console-database";
import { loadOptions } from "@/lib/option/queries";
import { getTurnstileSite } from "./turnstile";

/** What the dialog needs by which a user signs in again over an open page. */
export async function getSignInOver(): Promise<SignInOver> {
  const [options, turnstileSite] = await Promise.all([loadOptions(consoleDatabase().db), getTurnstileSite()]);
  const actions = { signIn, signInByCode, startPasskey, signInByPasskey };
  return { actions, turnstileSite, withPassword: options.PasswordLoginEnabled };
}
