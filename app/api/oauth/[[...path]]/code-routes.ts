import { z } from "zod";
import { AppError } from "@/lib/errors";
import { localeOf } from "@/lib/http/message";
import { fail, Reply } from "@/lib/http/reply";
import { type Route, route } from "@/lib/http/route";
import {
  BROWSER_COOKIE,
  beginSignIn,
  browserCookieOptions,
  browserSecretOf,
  newBrowserSecret,
} from "@/lib/oauth/begin";
import { completeByCode } from "@/lib/oauth/sign-in";
import { CODE_PROVIDERS, OUTSIDE_PROVIDERS } from "@/lib/oauth/types";
import { isSecureRequest } from "@/lib/request/client-address";
import { toSetCookie } from "@/lib/request/cookie";
import { toReply } from "./completed";

const AFF_LENGTH_MAX = 64;

const beginQuery = z.object({
  // A malformed invite code is ignored, like an unknown one.
  aff: z.string().max(AFF_LENGTH_MAX).optional().catch(undefined),
  provider: z.enum(OUTSIDE_PROVIDERS).optional(),
});
const text = z.string().max(2_048).optional();
const returnQuery = z.object({ code: text, state: text, iss: text });

const begin = route({
  method: "GET",
  path: "/state",
  changes: true,
  access: "optional",
  limit: "critical",
  query: beginQuery,
  handler: async ({ ctx, request, query }) => {
    const browser = browserSecretOf(request) ?? newBrowserSecret();
    const { state, url } = await beginSignIn(ctx, {
      provider: query.provider ?? null,
      aff: query.aff ?? "",
      browser,
      headers: request.headers,
    });
    const cookie = toSetCookie(BROWSER_COOKIE, browser, browserCookieOptions(isSecureRequest(request.headers)));
    return new Reply({ data: state, ...(url === null ? {} : { url }) }, [cookie]);
  },
});

const returns = CODE_PROVIDERS.map((provider) =>
  route({
    method: "GET",
    path: `/${provider}`,
    access: "optional",
    limit: "critical",
    proof: true,
    query: returnQuery,
    handler: async ({ ctx, request, query }) => {
      try {
        const { code = "", state = "", iss } = query;
        const returned = { provider, code, state, iss, browser: browserSecretOf(request), headers: request.headers };
        const { completed, setCookies } = await completeByCode(ctx, returned);
        return toReply(completed, setCookies);
      } catch (error) {
        // The only refusal with its own status (contract §1.1).
        if (!(error instanceof AppError && error.messageKey === "oauthStateMismatch")) throw error;
        return fail(error, localeOf(request), 403);
      }
    },
  }),
);

/** GitHub, LinuxDO and OpenID Connect: create a state, and handle the browser's return. */
export const codeRoutes: readonly Route[] = [begin, ...returns];
