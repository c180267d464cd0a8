import { request } from "undici";
import type { SnapshotChannel } from "@/lib/channel/snapshot-build";
import { cleanText, readUpstreamError } from "./upstream-error";
import { ChannelSetupError, chatFromJson, prepareRequest } from "./upstreams/prepare-request";

export type ChannelTest = {
  success: boolean;
  message: string;
  timeMs: number;
  firstTokenMs?: number;
  /** HTTP status of the upstream; left out when it was not reached. */
  status?: number;
  /** The answer's text, shortened. */
  body?: string;
};

const testMs = 60_000;
const BODY_SHOWN_MAX = 4_000;

/** Sends "hi" through a channel as a caller's request would go, and tells how it went. Never throws. */
export async function testChannel(channel: SnapshotChannel, model: string): Promise<ChannelTest> {
  const startedAt = performance.now();
  const timeMs = (): number => Math.round(performance.now() - startedAt);
  try {
    const upstream = prepareTest(channel, model);
    const answer = await request(`${upstream.origin}${upstream.path}`, {
      method: "POST",
      headers: upstream.headers,
      body: upstream.body,
      headersTimeout: testMs,
      bodyTimeout: testMs,
    });
    const firstTokenMs = timeMs();
    const body = Buffer.from(await answer.body.arrayBuffer());
    const shown = { timeMs: timeMs(), firstTokenMs, status: answer.statusCode, body: cleanBody(body) };
    if (answer.statusCode !== 200) {
      const { message } = readUpstreamError(answer.statusCode, body);
      return { success: false, message, ...shown };
    }
    const failure = findFailure(body);
    return failure === null ? { success: true, message: "", ...shown } : { success: false, message: failure, ...shown };
  } catch (error) {
    return { success: false, message: explain(error), timeMs: timeMs() };
  }
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
