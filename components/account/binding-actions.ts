"use server";

import { refresh } from "next/cache";
import { cookies, headers } from "next/headers";
import { z } from "zod";
import { ROLE, requireRole } from "@/lib/context";
import { action } from "@/lib/http/action";
import {
  BROWSER_COOKIE,
  beginSignIn,
  browserCookieOptions,
  knownBrowserSecret,
  newBrowserSecret,
} from "@/lib/oauth/begin";
import { unbindProvider } from "@/lib/oauth/identity-commands";
import { OUTSIDE_PROVIDERS } from "@/lib/oauth/types";
import { requireRecentProof } from "@/lib/proof";
import { isSecureRequest } from "@/lib/request/client-address";

const schema = z.object({ provider: z.enum(OUTSIDE_PROVIDERS) });

/** Starts linking an external account: returns a state bound to this browser, and the provider's URL if it has one. */
export const beginBinding = action(
  schema,
  async (ctx, { provider }) => {
    requireRole(ctx, ROLE.user);
    requireRecentProof(ctx);
    const [jar, received] = await Promise.all([cookies(), headers()]);
    const browser = knownBrowserSecret(jar.get(BROWSER_COOKIE)?.value) ?? newBrowserSecret();
    const begun = await beginSignIn(ctx, { provider, aff: "", browser, headers: received });
    const { httpOnly, path, secure, maxAge } = browserCookieOptions(isSecureRequest(received));
    jar.set(BROWSER_COOKIE, browser, { httpOnly, sameSite: "lax", path, secure, maxAge });
    return begun;
  },
  { limit: "critical" },
);

export const unbindAccount = action(schema, async (ctx, input) => {
  await unbindProvider(ctx, input);
  refresh();
});
