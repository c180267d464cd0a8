import { Client, type Dispatcher, ProxyAgent, request } from "undici";
import type { BilledUsage } from "@/lib/billing/types";
import { readBounded } from "@/lib/egress/body";
import type { SnapshotChannel } from "@/lib/snapshot/build";
import { findLastObject } from "./json-splice";
import type { WireError } from "./relay-error";
import { isSocks, socksConnector } from "./transport/socks-connector";
import { cleanText, readUpstreamError } from "./upstream-error";
import { ChannelSetupError, chatFromJson, prepareRequest } from "./upstreams/prepare-request";
import { readUsage } from "./usage";

export type ChannelTest = {
  success: boolean;
  message: string;
  timeMs: number;
  firstTokenMs?: number;
  /** HTTP status of the upstream; left out when it was not reached. */
  status?: number;
  /** The answer's text, shortened. */
  body?: string;
  /** What the upstream said went wrong. */
  error?: WireError;
  /** Null or left out = the upstream reported none. */
  usage?: BilledUsage | null;
};

const testMs = 60_000;
const connectMs = 10_000;
const BODY_SHOWN_MAX = 4_000;
const BODY_BYTES_MAX = 4 * 1_048_576;
const USAGE_KEY = Buffer.from('"usage"');

/** Sends "hi" through a channel as a caller's request would go, and tells how it went. Never throws. */
export async function testChannel(channel: SnapshotChannel, model: string): Promise<ChannelTest> {
  const startedAt = performance.now();
  const timeMs = (): number => Math.round(performance.now() - startedAt);
  let connection: Dispatcher | null = null;
  try {
    const upstream = prepareTest(channel, model);
    connection = connectTo(upstream.origin, channel.setting.proxy);
    const answer = await request(`${upstream.origin}${upstream.path}`, {
      dispatcher: connection,
      method: "POST",
      headers: upstream.headers,
      body: upstream.body,
      headersTimeout: testMs,
      bodyTimeout: testMs,
    });
    const firstTokenMs = timeMs();
    const body = await readBounded(answer.body, BODY_BYTES_MAX);
    const shown = { timeMs: timeMs(), firstTokenMs, status: answer.statusCode, body: cleanBody(body) };
    if (answer.statusCode !== 200) {
      const error = readUpstreamError(answer.statusCode, body);
      return { success: false, message: error.message, error, ...shown };
    }
    const failure = findFailure(body);
    if (failure !== null) return { success: false, message: failure, ...shown };
    return { success: true, message: "", usage: readUsage(findLastObject(body, USAGE_KEY)), ...shown };
  } catch (error) {
    return { success: false, message: explain(error), timeMs: timeMs() };
  } finally {
    await connection?.destroy();
  }
}

/** A connection of the test's own, by the way that the channel's requests take. */
function connectTo(origin: string, proxy: string): Dispatcher {
  if (isSocks(proxy)) return new Client(origin, { connect: socksConnector(proxy, connectMs) });
  if (proxy !== "") return new ProxyAgent({ uri: proxy, connectTimeout: connectMs });
  return new Client(origin, { connect: { timeout: connectMs } });
}

function isEmbedding(model: string, type: number): boolean {
  return type === 44 || /embed|^m3e|bge-/.test(model);
}

function prepareTest(channel: SnapshotChannel, model: string) {
  if (isEmbedding(model, channel.type)) {
    return prepareRequest(chatFromJson({ model, input: ["hello world"] }), channel, "/v1/embeddings", "");
  }
  const isReasoning = /^(o\d|gpt-5)/.test(model);
  const isThinking = model.includes("thinking") && !model.includes("claude");
  const limit = isThinking ? 50 : model.includes("gemini") ? 300 : 10;
  const json = {
    model,
    messages: [{ role: "user", content: "hi" }],
    ...(isReasoning ? { max_completion_tokens: limit } : { max_tokens: limit }),
  };
  return prepareRequest(chatFromJson(json), channel, "/v1/chat/completions", "");
}

/** Why an answer with status 200 is none; null = it is one. */
function findFailure(body: Buffer): string | null {
  try {
    const json = JSON.parse(body.toString("utf8")) as { error?: unknown; choices?: unknown; data?: unknown } | null;
    if (json?.error) return readUpstreamError(200, body).message;
    return Array.isArray(json?.choices) || Array.isArray(json?.data) ? null : "the answer has no choices";
  } catch {
    return "the answer is not JSON";
  }
}

function explain(error: unknown): string {
  if (error instanceof ChannelSetupError) return error.message;
  const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
  return `the upstream could not be reached${code}`;
}

function cleanBody(body: Buffer): string {
  return cleanText(body.toString("utf8", 0, BODY_SHOWN_MAX));
}
