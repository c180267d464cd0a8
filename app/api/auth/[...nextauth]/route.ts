import { findSessionActor } from "@/lib/auth/actor";
import { SESSION_COOKIE } from "@/lib/auth/session-token";
import { consoleDatabase, isDatabaseAway } from "@/lib/console-database";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { readJsonBody, readText } from "@/lib/http/body";
import { localeOf } from "@/lib/http/message";
import { limited } from "@/lib/http/rate-limit";
import { fail, refuseMethod } from "@/lib/http/reply";
import { logger } from "@/lib/logger";
import { callNextAuth } from "@/lib/oauth/call-next-auth";
import { authOptions } from "@/lib/oauth/next-auth";
import { ownSignIn } from "@/lib/oauth/own-sign-in";
import { clientIpOf } from "@/lib/request/client-address";
import { cookieOf, cookiesOf } from "@/lib/request/cookie";

type Context = { params: Promise<{ nextauth: string[] }> };

async function contextOf(request: Request): Promise<ServiceContext> {
  const { db, sql } = consoleDatabase();
  const actor = (await findSessionActor(db, cookieOf(request, SESSION_COOKIE))) ?? ({ type: "anonymous" } as const);
  return { db, sql, actor, clientIp: clientIpOf(request.headers) };
}

/** Limit of the request body. A form of next-auth has a few short fields. */
const BODY_BYTES_MAX = 64 * 1_024;

/** next-auth's own client sends a form; JSON is accepted too. */
async function formOf(request: Request): Promise<Record<string, unknown>> {
  const isJson = (request.headers.get("content-type") ?? "").includes("application/json");
  if (isJson) return readJsonBody(request, BODY_BYTES_MAX);
  return Object.fromEntries(new URLSearchParams(await readText(request, BODY_BYTES_MAX)));
}

/** The methods of next-auth's calls; it answers others with a fault or with words of its own. */
const METHODS: Readonly<Record<string, readonly string[]>> = {
  providers: ["GET"],
  csrf: ["GET"],
  error: ["GET"],
  "verify-request": ["GET"],
  "callback/credentials": ["POST"],
  _log: ["POST"],
};
const BOTH = ["GET", "POST"];

/** Beginning a sign-in and coming back from one invite guessing, as the calls of /api/oauth do. */
const limitOf = ({ url }: Request) =>
  /\/auth\/(signin|callback)\//.test(new URL(url).pathname) ? "critical" : "global";

const handler = limited(limitOf, "api", async (request, context: Context) => {
  const { nextauth: path } = await context.params;
  const methods = METHODS[path.join("/")] ?? BOTH;
  if (!methods.includes(request.method === "HEAD" ? "GET" : request.method))
    return refuseMethod(request, localeOf(request), methods);
  try {
    return await answer(request, path);
  } catch (error) {
    if (error instanceof AppError) {
      return fail(error, localeOf(request), error.messageKey === "bodyTooLarge" ? 413 : 400);
    }
    // `limited` answers for a database that is away.
    if (isDatabaseAway(error)) throw error;
    logger.error({ err: error }, "next-auth failed");
    return fail(error, localeOf(request));
  }
});

/** Builds the options for each request: the site's URL and the providers may change while the process runs. */
async function answer(request: Request, path: readonly string[]): Promise<Response> {
  const { outside, refusedAt } = await ownSignIn(await contextOf(request), path, request.headers);
  const form = await formOf(request);
  const { status, headers, body } = await callNextAuth(authOptions(request.headers, outside), {
    path,
    method: request.method,
    query: Object.fromEntries(new URL(request.url).searchParams),
    form,
    cookies: cookiesOf(request),
    headers: Object.fromEntries(request.headers),
  });
  headers.set("cache-control", "no-store");
  const refused = refusedAt();
  if (refused === null) return new Response(body, { status, headers });
  headers.delete("content-type");
  // The next-auth client expects the URL as JSON instead of a redirect.
  if (form.json === "true") return Response.json({ url: refused }, { headers });
  headers.set("location", refused);
  return new Response(null, { status: 302, headers });
}

export { handler as DELETE, handler as GET, handler as OPTIONS, handler as PATCH, handler as POST, handler as PUT };
