import { z } from "zod";
import { findSessionActor } from "@/lib/auth/actor";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { proveAlong } from "@/lib/auth/step-up-commands";
import type { ServiceContext, UserActor } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { readProof } from "@/lib/http/proof";
import { type Route, route } from "@/lib/http/route";
import { browserSecretOf } from "@/lib/oauth/begin";
import { completeSignIn } from "@/lib/oauth/complete";
import { assertProviderOn } from "@/lib/oauth/flags";
import { bindIdentity } from "@/lib/oauth/identity-commands";
import { stateMismatch } from "@/lib/oauth/refusals";
import { spendState, spendTelegramLogin } from "@/lib/oauth/state-commands";
import { identifyByTelegram, type TelegramLogin, telegramSchema } from "@/lib/oauth/telegram";
import { loadOptions } from "@/lib/option/queries";
import { requireRecentProof } from "@/lib/proof";
import { cookieOf } from "@/lib/request/cookie";
import { signInReply } from "./completed";

const bindQuery = telegramSchema.extend({ state: z.string().max(64, "oauthStateMismatch").optional() });

async function identify(ctx: ServiceContext, login: TelegramLogin) {
  const options = await loadOptions(ctx.db);
  assertProviderOn(options, "telegram");
  const identity = identifyByTelegram(options, login);
  await spendTelegramLogin(ctx.db, login.hash ?? "");
  return identity;
}

type SignedIn = ServiceContext & { actor: UserActor };

/** The session of the browser. Telegram may have redirected it here, so the request can come from Telegram's site. */
async function signedIn(ctx: ServiceContext, request: Request): Promise<SignedIn> {
  const actor = await findSessionActor(ctx.db, cookieOf(request, SESSION_COOKIE));
  if (!actor) throw new AppError("unauthenticated", "notSignedIn");
  const proved = await proveAlong({ ...ctx, actor }, readProof(request, undefined));
  return { ...proved, actor: proved.actor.type === "user" ? proved.actor : actor };
}

/**
 * Binding is a GET link, so a cookie alone is not enough: somebody else's link could bind their Telegram account to this
 * user. Requires either the user header, which only our own scripts and API clients send, or a state that this browser
 * requested.
 */
async function assertIntended(ctx: SignedIn, request: Request, state: string): Promise<void> {
  if (request.headers.get("new-api-user") === String(ctx.actor.id)) return;
  const browser = browserSecretOf(request);
  const spent = await spendState(ctx.db, { state, browser, provider: "telegram", isBound: true });
  if (spent.userId !== ctx.actor.id) throw stateMismatch();
}

/** Redirects a browser that followed a link to an error page; other clients get JSON. */
function refusalPage(request: Request, error: unknown): Response {
  const isNavigation = request.headers.get("sec-fetch-mode") === "navigate";
  if (!isNavigation || !(error instanceof AppError)) throw error;
  return redirect(`/oauth/telegram?refused=${encodeURIComponent(error.messageKey)}`);
}

function redirect(location: string): Response {
  return new Response(null, { status: 302, headers: { location, "cache-control": "no-store" } });
}

export const telegramRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/telegram/login",
    changes: true,
    access: "public",
    limit: "critical",
    query: telegramSchema,
    handler: async ({ ctx, request, query }) => {
      const identity = await identify(ctx, query);
      return signInReply(ctx, request, "telegram", await completeSignIn(ctx, identity, ""));
    },
  }),
  route({
    method: "GET",
    path: "/telegram/bind",
    access: "public",
    limit: "critical",
    proof: true,
    query: bindQuery,
    handler: async ({ ctx: anybody, request, query: { state = "", ...login } }) => {
      try {
        const ctx = await signedIn(anybody, request);
        await assertIntended(ctx, request, state);
        requireRecentProof(ctx);
        await bindIdentity(ctx, await identify(ctx, login));
        return redirect("/setting");
      } catch (error) {
        return refusalPage(request, error);
      }
    },
  }),
];
