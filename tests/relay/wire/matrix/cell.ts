import { EventReader } from "@/lib/relay/answers/server-sent-events";
import type { Frame } from "@/lib/relay/wire/canonical/machine";
import type { ChatResponse } from "@/lib/relay/wire/canonical/response";
import { parseJsonObject } from "@/lib/relay/wire/dialects/common/json-text";
import type { Dialect, UpstreamFormat } from "@/lib/relay/wire/dialects/dialect";
import { type Collected, collectEvents } from "@/lib/testing/collect-events";
import { listDialectFiles, readChunksFixture, readJsonFixture } from "@/lib/testing/dialect-fixtures";
import type { Scenario } from "./scenarios";

export type Reply = { status: number; text: string; isStream: boolean };

/** "yes", or why not: what the caller is told. Throws when the reply is neither. */
export function judge(
  caller: Dialect,
  upstream: UpstreamFormat,
  format: string,
  { answer }: Scenario,
  reply: Reply,
): string {
  if (reply.status === 400 && answer !== "error") return `refused: ${messageOf(reply.text)}`;
  const wanted = collectFrames(upstream, readChunksFixture(format, answer));
  if (answer === "error") return judgeError(caller, [wanted.error?.message ?? "", ...wholeMessages(format)], reply);
  if (answer === "cut") return judgeCut(caller, wanted, reply);
  if (reply.status !== 200) throw new Error(`status ${reply.status}: ${reply.text.slice(0, 300)}`);
  const got = read(caller, reply);
  if (got.error !== null || !got.hasEnded) throw new Error(`not whole: ${JSON.stringify(got.error)}`);
  const [told, said] = [tell(got.response), tell(wanted.response)];
  if (told !== said) throw new Error(`the caller got ${told}, the upstream said ${said}`);
  return "yes";
}

/** The texts of the recorded error of a whole answer. */
function wholeMessages(format: string): string[] {
  if (!listDialectFiles(format, "__fixtures__").includes("error.answer.json")) return [];
  const texts: string[] = [];
  JSON.stringify(readJsonFixture(format, "error.answer"), (_key, value: unknown) => {
    if (typeof value === "string" && value.includes(" ")) texts.push(value);
    return value;
  });
  return texts;
}

/** `messages`: what the upstream may have said; one of them must have reached the caller. */
function judgeError(caller: Dialect, messages: readonly string[], reply: Reply): string {
  const isTold = messages.some((message) => reply.text.includes(JSON.stringify(message).slice(1, -1)));
  if (reply.status >= 400) {
    const json = parseJsonObject(reply.text);
    if (!json || !caller.upstream.wholeBody.hasFailed(json)) throw new Error(`no error of the caller's: ${reply.text}`);
  } else if (read(caller, reply).error === null) throw new Error(`an error was lost: ${reply.text.slice(-300)}`);
  // Of a 429 callers are told the same whatever the upstream said (contract §4.6).
  if (!isTold && reply.status !== 429)
    throw new Error(`"${messages.join(", ")}" is not told: ${reply.text.slice(-300)}`);
  return "yes";
}

function judgeCut(caller: Dialect, wanted: Collected, reply: Reply): string {
  if (!reply.isStream) {
    if (reply.status < 500) throw new Error(`a cut answer got status ${reply.status}`);
    return "yes";
  }
  const got = read(caller, reply);
  if (got.hasEnded || got.error === null) throw new Error(`a cut stream ended whole: ${reply.text.slice(-300)}`);
  const [told, said] = [got, wanted].map(({ response }) => textOf(response));
  if (told !== said) throw new Error(`the caller got "${told}" of "${said}"`);
  return "yes";
}

function read(caller: Dialect, { text, isStream }: Reply): Collected {
  if (isStream) {
    const reader = new EventReader();
    const collected = collectFrames(caller.upstream, [...reader.push(Buffer.from(text)), ...reader.end()]);
    const [, cut] = text.split('\n\n\n{"error"');
    // Google's clients find an error that is no event.
    if (cut === undefined || !caller.client.writeCut) return collected;
    return { ...collected, hasEnded: false, error: { message: cut, type: "", param: null, code: null } };
  }
  const response = caller.upstream.decode(parseJsonObject(text) ?? {});
  if (!response) throw new Error(`no answer: ${text.slice(0, 300)}`);
  return { response, error: null, hasEnded: true };
}

function collectFrames(upstream: UpstreamFormat, frames: readonly Frame[]): Collected {
  const decoder = upstream.streamDecoder();
  return collectEvents([...frames.flatMap((frame) => decoder.step(frame)), ...decoder.end(true)]);
}

const textOf = ({ choices }: ChatResponse): string =>
  (choices[0]?.content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");

/** What every caller must be told of an answer. */
function tell(response: ChatResponse): string {
  const [choice] = response.choices;
  const content = choice?.content ?? [];
  const calls = content.flatMap((part) =>
    part.type === "tool-call" ? [[part.name, JSON.parse(part.arguments || "{}")]] : [],
  );
  const thoughts = content.map((part) => (part.type === "thinking" ? part.text : "")).join("");
  const { promptTokens, completionTokens } = response.usage ?? {};
  const finish = choice?.finishReason.unified;
  return JSON.stringify({ text: textOf(response), calls, thoughts, finish, promptTokens, completionTokens });
}

function messageOf(text: string): string {
  const { error } = (parseJsonObject(text) ?? {}) as { error?: { message?: string } };
  return (error?.message ?? text).replace(/ \(request id: .*\)$/, "");
}
