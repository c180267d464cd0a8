import type { Answer } from "@/lib/relay/answers";
import { PassThroughAnswer, TranslateAnswer } from "@/lib/relay/answers";
import { Secrets } from "@/lib/relay/base";
import { dialects } from "@/lib/relay/wire";
import { CHUNKS, streamOf } from "./formats";

const HEAD = { status: 200, contentType: "text/event-stream", retryAfter: undefined };
/** Streams between two looks at the clock. */
const AT_ONCE = 10;

/** CPU µs that one chunk costs in the gateway's own code, without sockets: from the upstream's bytes to the caller's. */
export function answerAloneUs(callerId: string, upstreamId: string, ms: number): number {
  const parts = streamOf(upstreamId);
  const open = opener(callerId, upstreamId);
  const before = process.cpuUsage();
  const until = performance.now() + ms;
  let chunks = 0;
  while (performance.now() < until) {
    for (let i = 0; i < AT_ONCE; i++) read(open(), parts);
    chunks += AT_ONCE * CHUNKS;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / chunks;
}

function read(answer: Answer, parts: readonly Buffer[]): void {
  answer.start(HEAD);
  for (const part of parts) answer.push(part);
  answer.end();
  answer.ending();
}

function opener(callerId: string, upstreamId: string): () => Answer {
  const clientDialect = dialects.get(callerId)?.client;
  const upstream = dialects.get(upstreamId)?.upstream;
  if (!clientDialect || !upstream) throw new Error(`there is no dialect ${callerId} or ${upstreamId}`);
  const { readUsage } = upstream;
  if (callerId === upstreamId) {
    const secrets = new Secrets("bench-key", [], "");
    const settings = { dialect: upstream, isStream: true, withholdUsage: false, readUsage, reshape: null, secrets };
    return () => new PassThroughAnswer(settings);
  }
  const context = { requestId: "bench", model: "bench-model", wantsUsage: true, createdAt: 1_700_000_000, request: {} };
  return () => new TranslateAnswer({ upstream, clientDialect, context, isStream: true, readUsage });
}
