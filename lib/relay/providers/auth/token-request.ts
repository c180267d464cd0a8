import { request } from "undici";
import { readBounded } from "@/lib/egress/body";
import { AppError } from "@/lib/errors";
import { causeOf, type FailureCause } from "../../base/failure-cause";
import { readRetryAfter } from "../../base/retry-after";
import { Secrets } from "../../base/secrets";
import { cleanText } from "../../base/upstream-error";
import { openConnections } from "../../net/open-connections";
import type { SignedRequest } from "../channel-type";
import { PrepareFailure } from "../requests/prepare-failure";
import { ChannelSetupError } from "../setup-error";
import type { FetchedToken } from "./token-cache";

/** No token could be had for a key: the token endpoint refused the key, or failed. */
export class TokenFailure extends PrepareFailure {}

/** A call of an OAuth 2.0 token endpoint (RFC 6749). */
export type TokenRequest = {
  url: string;
  form: Readonly<Record<string, string>>;
  /** The channel's key, and whatever else of the form is secret. */
  secrets: readonly string[];
  /** How the channel's requests go out. */
  way: Pick<SignedRequest, "trust" | "proxy">;
  timeoutMs?: number;
};

const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 65_536;
const TOKEN_LENGTH_MAX = 16_384;
const LIFE_SECONDS_MAX = 30 * 86_400;
/** The life of a token whose endpoint does not say it; RFC 6749 leaves it open. */
const LIFE_SECONDS_UNKNOWN = 300;
/** Errors of RFC 6749 with which an endpoint says that the key is of no use. */
const KEY_ERRORS = new Set(["invalid_client", "invalid_grant", "unauthorized_client"]);

type Reply = { status: number; retryAfter: string | undefined; body: Buffer };

/** Asks for a token. Rejects with TokenFailure, or with ChannelSetupError where the address is not allowed. */
export async function requestToken(asked: TokenRequest): Promise<FetchedToken> {
  const host = URL.canParse(asked.url) ? new URL(asked.url).host : "";
  const reply = await ask(asked, host);
  const json = parseObject(reply.body);
  if (reply.status < 200 || reply.status > 299 || typeof json?.error === "string") {
    throw refusal(asked, host, reply, json);
  }
  if (!json) throw badAnswer(host, "did not answer with JSON");
  const { access_token: value, expires_in: life } = json;
  if (typeof value !== "string" || !/^[\x21-\x7e]+$/.test(value) || value.length > TOKEN_LENGTH_MAX) {
    throw badAnswer(host, "sent no access token");
  }
  return { value, lifeMs: readLife(life, host) * 1_000 };
}

/** Some endpoints send the seconds as text. */
function readLife(value: unknown, host: string): number {
  if (value === undefined || value === null) return LIFE_SECONDS_UNKNOWN;
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof seconds !== "number" || !(seconds > 0)) throw badAnswer(host, "sent a token that has no time to live");
  return Math.min(seconds, LIFE_SECONDS_MAX);
}

async function ask({ url, form, way, timeoutMs = TIMEOUT_MS }: TokenRequest, host: string): Promise<Reply> {
  const signal = AbortSignal.timeout(timeoutMs);
  try {
    const connections = openConnections({ origin: new URL(url).origin, ...way });
    try {
      const response = await request(url, {
        dispatcher: connections.take(),
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", accept: "application/json" },
        body: new URLSearchParams(form).toString(),
        signal,
      });
      const retryAfter = response.headers["retry-after"];
      const body = await readBounded(response.body, BODY_BYTES_MAX);
      return { status: response.statusCode, retryAfter: retryAfter === undefined ? undefined : `${retryAfter}`, body };
    } finally {
      connections.destroy().catch(() => {});
    }
  } catch (error) {
    throw unreachable(error, signal, host);
  }
}

function unreachable(error: unknown, { aborted }: AbortSignal, host: string): Error {
  if (aborted) return failed("timeout_first_byte", `the token endpoint ${host} did not answer in time`);
  if (error instanceof AppError && error.code === "invalid") {
    return new ChannelSetupError(`connections to the token endpoint ${host} are not allowed`, "get_channel_failed");
  }
  if (error instanceof AppError) return badAnswer(host, "sent too long an answer");
  const cause = error instanceof Error ? causeOf(error) : "reset";
  return failed(cause, `the token endpoint ${host} could not be reached (${cause})`);
}

/** The endpoint's words may quote what it was sent. */
function refusal({ secrets, way }: TokenRequest, host: string, reply: Reply, json: Json | null): TokenFailure {
  const { status } = reply;
  const named = typeof json?.error === "string" ? json.error : "";
  const described = typeof json?.error_description === "string" ? json.error_description : "";
  const hidden = new Secrets(
    secrets.join(" "),
    secrets.flatMap((secret) => ["", secret]),
    way.proxy,
  );
  const said = cleanText(hidden.redact([named, described].filter((text) => text !== "").join(": ")));
  const tail = said === "" ? ` (status ${status})` : `: ${said}`;
  if (KEY_ERRORS.has(named) || status === 401) {
    const message = `the token endpoint ${host} refused the key${tail}`;
    return refused(401, { message, type: "authentication_error", param: null, code: "invalid_api_key" }, null);
  }
  const message = `the token endpoint ${host} failed${tail}`;
  if (status !== 429 && status < 500) return failed("bad_answer", message);
  const retryAfterMs = readRetryAfter(reply.retryAfter);
  return refused(status, { message, type: "upstream_error", param: null, code: "token_endpoint_failed" }, retryAfterMs);
}

type Json = Record<string, unknown>;
type StatusFailure = Extract<TokenFailure["failure"], { kind: "status" }>;

function refused(status: number, error: StatusFailure["error"], retryAfterMs: number | null): TokenFailure {
  return new TokenFailure({ kind: "status", status, error, retryAfterMs });
}

function badAnswer(host: string, what: string): TokenFailure {
  return failed("bad_answer", `the token endpoint ${host} ${what}`);
}

function failed(cause: FailureCause, message: string): TokenFailure {
  return new TokenFailure({ kind: "network", cause, message });
}

function parseObject(body: Buffer): Json | null {
  try {
    const value: unknown = JSON.parse(body.toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
