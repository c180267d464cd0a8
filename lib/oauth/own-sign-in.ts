import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { logger } from "@/lib/logger";
import { loadOptions } from "@/lib/option/queries";
import { publicAddressOf } from "@/lib/request/public-address";
import { startAttempt } from "./attempt";
import type { OutsideSignIn } from "./next-auth";
import { listAuthProviders } from "./providers";
import { isCodeProvider } from "./types";

type OwnSignIn = {
  outside: OutsideSignIn;
  /** The page that shows why the sign-in was refused; null when it was not. Call it after next-auth has answered. */
  refusedAt: () => string | null;
};

const NOTHING: Omit<OutsideSignIn, "providers"> = { finish: async () => false, claims: () => null };

/**
 * The external accounts for a request to next-auth's own pages: the provider it is about, or the list of all. `path` is
 * the part of the URL below /api/auth.
 */
export async function ownSignIn(ctx: ServiceContext, path: readonly string[], headers: Headers): Promise<OwnSignIn> {
  const [action, provider = ""] = path;
  const isAbout = (action === "signin" || action === "callback") && isCodeProvider(provider);
  if (!isAbout && action !== "providers") return { outside: { providers: [], ...NOTHING }, refusedAt: () => null };
  const options = await loadOptions(ctx.db);
  if (!isAbout) return { outside: { providers: listAuthProviders(options), ...NOTHING }, refusedAt: () => null };
  const address = (error: unknown) => `/oauth/${provider}?refused=${reasonOf(error, provider)}`;
  try {
    const publicAddress = publicAddressOf(options.ServerAddress, headers);
    const attempt = await startAttempt(ctx, { provider, options, publicAddress, headers, aff: "" });
    const refusedAt = () => {
      try {
        if (action === "callback") attempt.result();
        return null;
      } catch (error) {
        return address(error);
      }
    };
    return { outside: attempt, refusedAt };
  } catch (error) {
    return { outside: { providers: [], ...NOTHING }, refusedAt: () => address(error) };
  }
}

function reasonOf(error: unknown, provider: string): string {
  if (error instanceof AppError) return error.messageKey;
  logger.error({ err: error, provider }, "a sign-in by next-auth failed");
  return "internal";
}
