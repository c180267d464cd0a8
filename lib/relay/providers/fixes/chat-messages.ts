import type { Rules } from "@/lib/model-rules/schema";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { type Json, readArray, readObject, readText } from "../../wire/canonical/json";
import { type CallReader, resultsBehindCalls } from "../../wire/dialects/common/calls/results-behind-calls";
import { isBlank } from "../../wire/dialects/common/plain-content";
import type { Edits } from "../../wire/dialects/dialect";
import type { UpstreamRow } from "../channel-type";

/** Addresses whose servers take the role developer, whatever the type of the channel is. */
const OWN_ADDRESSES: readonly RegExp[] = [
  /^https:\/\/(?:[a-z0-9-]+\.)*api\.openai\.com(?:[:/]|$)/i,
  /^https:\/\/[a-z0-9-]+\.(?:openai|cognitiveservices|services\.ai)\.azure\.com(?:[:/]|$)/i,
  /^https:\/\/openrouter\.ai(?:[:/]|$)/i,
];

/** Everybody else gets it as "system", which OpenAI means by it; most servers of this format refuse it. */
function takesDeveloper({ developer }: Rules, { baseUrl }: SnapshotChannel, row: UpstreamRow): boolean {
  if (developer !== "by address") return developer === "developer";
  return OWN_ADDRESSES.some((address) => address.test(baseUrl || row.baseUrl));
}

/** OpenAI alone knows a choice among some of the tools: others get only those, and the mode of the choice. */
export function allowedToolsEdits(
  { tools, tool_choice: choice }: Readonly<Json>,
  { channel, row, rules }: { channel: SnapshotChannel; row: UpstreamRow; rules: Rules },
): Edits {
  const { type, allowed_tools: given } = readObject(choice);
  if (type !== "allowed_tools" || takesDeveloper(rules, channel, row)) return {};
  const { mode, tools: listed } = readObject(given);
  const nameOf = (tool: unknown): string => readText(readObject(readObject(tool).function).name);
  const names = new Set(readArray(listed).map(nameOf));
  return { tools: readArray(tools).filter((tool) => names.has(nameOf(tool))), tool_choice: mode ?? "auto" };
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
export function chatMessageEdits(
  given: unknown,
  { channel, row, rules }: { channel: SnapshotChannel; row: UpstreamRow; rules: Rules },
): Edits {
  if (!Array.isArray(given)) return {};
  let messages: readonly unknown[] = resultsBehindCalls<unknown>(given, CALLS);
  if (messages.some(hasEmptyCall)) {
    messages = messages.map((message) => (hasEmptyCall(message) ? withArguments(message) : message));
  }
  if (messages.some(isDeveloper) && !takesDeveloper(rules, channel, row)) {
    messages = messages.map((message) => (isDeveloper(message) ? { ...readObject(message), role: "system" } : message));
  }
  return messages === given ? {} : { messages };
}
