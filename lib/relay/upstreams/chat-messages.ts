import type { SnapshotChannel } from "@/lib/snapshot/store";
import { type Json, readArray, readObject, readText } from "../canonical/json";
import type { Edits } from "../dialects/dialect";
import { isBlank } from "../dialects/plain-content";
import { type CallReader, resultsBehindCalls } from "../dialects/results-behind-calls";
import type { UpstreamRow } from "./channel-type";
import { CHANNEL_TYPE } from "./rows/channel-type-ids";

/** Who takes the role developer in chat completions: a channel type wherever it is, or an address. */
type TakesDeveloper = { type?: number; address?: RegExp; source: string; read: string };

/** All others get `system` instead, because most servers of this format refuse `developer`. */
const TAKES_DEVELOPER: readonly TakesDeveloper[] = [
  {
    address: /^https:\/\/(?:[a-z0-9-]+\.)*api\.openai\.com(?:[:/]|$)/i,
    source: "https://platform.openai.com/docs/api-reference/chat/create",
    read: "2026-11-28",
  },
  {
    type: CHANNEL_TYPE.azure,
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning",
    read: "2026-11-28",
  },
  {
    address: /^https:\/\/[a-z0-9-]+\.(?:openai|cognitiveservices|services\.ai)\.azure\.com(?:[:/]|$)/i,
    source: "https://learn.microsoft.com/azure/ai-foundry/openai/how-to/reasoning",
    read: "2026-11-28",
  },
  {
    address: /^https:\/\/openrouter\.ai(?:[:/]|$)/i,
    source: "https://openrouter.ai/docs/api-reference/chat-completion",
    read: "2026-11-28",
  },
];

function takesDeveloper({ type, baseUrl }: SnapshotChannel, row: UpstreamRow): boolean {
  const url = baseUrl || row.baseUrl;
  return TAKES_DEVELOPER.some((one) => one.type === type || one.address?.test(url) === true);
}

const NONE: readonly string[] = [];

const CALLS: CallReader<unknown> = {
  calls: (message) => {
    const calls = readArray(readObject(message).tool_calls);
    return calls.length === 0 ? NONE : calls.map((call) => readText(readObject(call).id));
  },
  result: (message) => {
    const { role, tool_call_id: id } = readObject(message);
    return role === "tool" ? readText(id) : null;
  },
};

const isDeveloper = (message: unknown): boolean => readObject(message).role === "developer";

/** OpenAI takes a call without arguments; servers that parse them refuse the empty text. */
const isEmptyCall = (call: unknown): boolean => {
  const { arguments: values } = readObject(readObject(call).function);
  return typeof values === "string" && isBlank(values);
};

const hasEmptyCall = (message: unknown): boolean => readArray(readObject(message).tool_calls).some(isEmptyCall);

function withArguments(message: unknown): Json {
  const { tool_calls: calls, ...rest } = readObject(message);
  const filled = readArray(calls).map((call) => {
    const given = readObject(call);
    return isEmptyCall(call) ? { ...given, function: { ...readObject(given.function), arguments: "{}" } } : given;
  });
  return { ...rest, tool_calls: filled };
}

/** Changes to messages in OpenAI's format for this upstream, whether a client wrote them or a translation. {} = none. */
export function chatMessageEdits(given: unknown, channel: SnapshotChannel, row: UpstreamRow): Edits {
  if (!Array.isArray(given)) return {};
  let messages: readonly unknown[] = resultsBehindCalls<unknown>(given, CALLS);
  if (messages.some(hasEmptyCall)) {
    messages = messages.map((message) => (hasEmptyCall(message) ? withArguments(message) : message));
  }
  if (messages.some(isDeveloper) && !takesDeveloper(channel, row)) {
    messages = messages.map((message) => (isDeveloper(message) ? { ...readObject(message), role: "system" } : message));
  }
  return messages === given ? {} : { messages };
}
