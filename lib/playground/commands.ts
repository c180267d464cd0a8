import { Readable } from "node:stream";
import type { Dispatcher } from "undici";
import type { ServiceContext } from "@/lib/context";
import { AppError } from "@/lib/errors";
import { usableGroups } from "@/lib/group/queries";
import type { Locale } from "@/lib/i18n/locale";
import { loadOptions } from "@/lib/option/queries";
import { readCallingUser, requireSession } from "./calling-user-queries";
import { PLAYGROUND_CALLS, type PlaygroundCall } from "./types";

/**
 * Sends a chat through the relay on behalf of a signed-in user, in one of the groups the user may use ("" = the user's
 * own), and returns the relay's response as a stream. `locale`: of what it is refused for. Charged and logged like any request. A system access token is not
 * accepted (console §2.23): the playground is for people. Throws forbidden, invalid.
 */
export async function askPlayground(
  ctx: ServiceContext,
  input: { body: Record<string, unknown>; locale: Locale; signal: AbortSignal },
): Promise<Dispatcher.ResponseData> {
  const { group, ...chat } = input.body;
  const { pool, headers } = await admit(ctx, { group: typeof group === "string" ? group : "", locale: input.locale });
  return pool.request({
    ...UNLIMITED,
    method: "POST",
    path: "/v1/chat/completions",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(withoutEmptyLimit(chat)),
    signal: input.signal,
  });
}

type Call = { operation: PlaygroundCall; request: Request; locale: Locale; group?: string | undefined };

/**
 * The same for the other operations: the request's body goes on while it arrives and is never held whole, so that a file
 * costs no memory. Throws forbidden, and invalid for a body that is too large.
 */
export async function callPlayground(
  ctx: ServiceContext,
  { operation, request, locale, group = "" }: Call,
): Promise<Dispatcher.ResponseData> {
  const { path, bytesMax } = PLAYGROUND_CALLS[operation];
  if (Number(request.headers.get("content-length")) > bytesMax) throw new AppError("invalid", "bodyTooLarge");
  const { pool, headers } = await admit(ctx, { group, locale });
  return pool.request({
    ...UNLIMITED,
    method: "POST",
    path: `/v1${path}`,
    headers: { ...bodyHeaders(request), ...headers },
    body: Readable.from(bounded(request.body, bytesMax), { objectMode: false }),
    signal: request.signal,
  });
}

/** The relay has its own time limits. */
const UNLIMITED = { headersTimeout: 0, bodyTimeout: 0 };

/** The pool of the relay, and what makes the next request run as this user in this group, in this language. */
async function admit(ctx: ServiceContext, { group: asked, locale }: { group: string; locale: Locale }) {
  const actor = requireSession(ctx);
  const group = asked === "" ? actor.group : asked;
  const usable = usableGroups(await loadOptions(ctx.db), actor.group);
  if (group !== actor.group && !usable.some(({ name }) => name === group))
    throw new AppError("forbidden", "groupUnknown", { group });
  const { relayHost } = await import("./relay-host");
  const host = await relayHost();
  const user = await readCallingUser(ctx, actor.id);
  return { pool: host.pool, headers: { ...host.admit(user, group, ctx.clientIp), "accept-language": locale } };
}

function bodyHeaders({ headers }: Request): Record<string, string> {
  const length = headers.get("content-length");
  return {
    "content-type": headers.get("content-type") ?? "application/json",
    ...(length === null ? {} : { "content-length": length }),
  };
}

async function* bounded(body: Request["body"], bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > bytesMax) throw new AppError("invalid", "bodyTooLarge");
    yield part;
  }
}

/** Older clients send max_tokens 0 for "no limit", which upstreams refuse. */
function withoutEmptyLimit(chat: Record<string, unknown>): Record<string, unknown> {
  const { max_tokens: limit, ...rest } = chat;
  return limit === undefined || limit === 0 ? rest : chat;
}
