import { createHash } from "node:crypto";
import { rulesOf } from "@/lib/model-rules/rules-of";
import type { Provider } from "@/lib/model-rules/schema";
import { type Json, readArray, readObject } from "../../wire/canonical/json";
import { FILLER } from "../../wire/dialects/common/plain-content";
import type { Edits } from "../../wire/dialects/dialect";
import { decodeThoughts } from "../../wire/dialects/openai-chat/reasoning-details";
import type { RequestFix } from "../channel-type";
import { forcedCallsAt } from "./forced-calls";
import { thinkingAt } from "./thinking-fix";

/** Several fixes, each of which sees the edits before it. */
export function inTurn(...fixes: readonly RequestFix[]): RequestFix {
  return (json, model, options) => {
    const edits: Edits = {};
    for (const fix of fixes) Object.assign(edits, fix({ ...json, ...edits }, model, options));
    return edits;
  };
}

/** {} = no message changes. `change` returns the same message where it has nothing to change. */
function mapMessages(messages: unknown, change: (message: Json) => Json): Edits {
  let isChanged = false;
  const mapped = readArray(messages).map((given) => {
    const message = readObject(given);
    const changed = change(message);
    if (changed === message) return given;
    isChanged = true;
    return changed;
  });
  return isChanged ? { messages: mapped } : {};
}

const hasCalls = ({ tool_calls: calls }: Json): boolean => readArray(calls).length > 0;
const hasThoughts = ({ reasoning_content: thoughts }: Json): boolean => typeof thoughts === "string" && thoughts !== "";

/** The thoughts of a message as another provider names them. */
function thoughtsOf(message: Json): string {
  const texts = decodeThoughts(message).flatMap((thought) => (thought.type === "thinking" ? [thought.text] : []));
  return texts.join("");
}

/**
 * A conversation's calls may come from another upstream. Models that want the thoughts of calls back refuse calls without
 * any while they think, empty ones too.
 */
function thoughtsAt(provider: Provider): RequestFix {
  return ({ messages, thinking }, model, options) => {
    const { thoughtsBack, thinksUnasked, thinks } = rulesOf(model, provider, options["models.rules"]);
    const { type } = readObject(thinking);
    const isThinking = type === undefined ? thinks === "always" || thinksUnasked === true : type !== "disabled";
    if (thoughtsBack === undefined || !isThinking) return {};
    return mapMessages(messages, (message) => {
      if (message.role !== "assistant" || hasThoughts(message)) return message;
      const thoughts = thoughtsOf(message) || (hasCalls(message) ? " " : "");
      return thoughts === "" ? message : { ...message, reasoning_content: thoughts };
    });
  };
}

export const deepseek = inTurn(thinkingAt("deepseek"), forcedCallsAt("deepseek"), thoughtsAt("deepseek"));

/** From Kimi K2.5 on, sampling cannot be chosen, and other values than the model's own are refused. */
const kimiSampling: RequestFix = (json, model, options) => {
  const { sampling = [] } = rulesOf(model, "moonshot", options["models.rules"]);
  const edits: Edits = {};
  for (const name of sampling) if (json[name] !== undefined) edits[name] = undefined;
  return edits;
};

export const moonshot = inTurn(thinkingAt("moonshot"), forcedCallsAt("moonshot"), thoughtsAt("moonshot"), kimiSampling);

/** OpenAI refuses longer ids of calls; other upstreams write them. */
const CALL_ID_MAX = 40;

function shortId(id: unknown): unknown {
  if (typeof id !== "string" || id.length <= CALL_ID_MAX) return id;
  return `call_${createHash("sha256").update(id).digest("hex").slice(0, 32)}`;
}

/** Ids of calls that OpenAI takes, always the same for the same id. */
export const shortCallIds: RequestFix = ({ messages }) =>
  mapMessages(messages, (message) => {
    const { tool_call_id: callId } = message;
    const given = readArray(message.tool_calls).map(readObject);
    const calls = given.some(({ id }) => shortId(id) !== id)
      ? given.map((call) => ({ ...call, id: shortId(call.id) }))
      : null;
    if (calls) return { ...message, tool_calls: calls };
    return shortId(callId) === callId ? message : { ...message, tool_call_id: shortId(callId) };
  });

/** The fields of a message in Mistral's API; it refuses others, as reasoning_content and names. */
const MISTRAL_MESSAGE = new Set(["role", "content", "tool_calls", "tool_call_id", "prefix"]);
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/;

/** Mistral takes ids of nine letters and digits only. Ids of others become such, always the same. */
function mistralId(id: unknown): unknown {
  if (typeof id !== "string" || MISTRAL_ID.test(id)) return id;
  return createHash("sha256").update(id).digest("hex").slice(0, 9);
}

function mistralMessage(message: Json): Json {
  const { role, tool_calls: calls, tool_call_id: callId } = message;
  const isKnown = Object.keys(message).every((name) => MISTRAL_MESSAGE.has(name));
  if (isKnown && role !== "developer" && calls === undefined && callId === undefined) return message;
  const known: Json = Object.fromEntries(Object.entries(message).filter(([name]) => MISTRAL_MESSAGE.has(name)));
  if (role === "developer") known.role = "system";
  if (callId !== undefined) known.tool_call_id = mistralId(callId);
  if (Array.isArray(calls)) {
    known.tool_calls = calls.map((call) => ({ ...readObject(call), id: mistralId(readObject(call).id) }));
  }
  return known;
}

const knownMessages: RequestFix = ({ messages }) => mapMessages(messages, mistralMessage);

/** Mistral refuses a message of the user right after the result of a tool. */
const answeredResults: RequestFix = ({ messages }) => {
  const given = readArray(messages);
  const isRole = (message: unknown, role: string): boolean => readObject(message).role === role;
  const isBetween = (at: number): boolean => isRole(given[at], "user") && isRole(given[at - 1], "tool");
  if (!given.some((_, at) => isBetween(at))) return {};
  return {
    messages: given.flatMap((message, at) =>
      isBetween(at) ? [{ role: "assistant", content: FILLER }, message] : [message],
    ),
  };
};

export const mistralMessages = inTurn(knownMessages, answeredResults);
