import type { ChatEvent } from "../relay/canonical/event";
import type { AssistantPart } from "../relay/canonical/request";
import type { ChatResponse, Choice } from "../relay/canonical/response";
import type { WireError } from "../relay/canonical/wire-error";

export type Collected = { response: ChatResponse; error: WireError | null; hasEnded: boolean };

/** Assembles the whole response from the events of a stream. */
export function collectEvents(events: readonly ChatEvent[]): Collected {
  const choices = new Map<number, Choice & { content: AssistantPart[] }>();
  const collected: Collected = {
    response: { id: "", model: "", choices: [], usage: null },
    error: null,
    hasEnded: false,
  };
  const choiceOf = (index: number) => {
    const choice = choices.get(index) ?? { index, content: [], finishReason: { unified: "other", raw: "" } };
    choices.set(index, choice);
    return choice;
  };
  for (const event of events) {
    if (event.type === "start") Object.assign(collected.response, { id: event.id, model: event.model });
    else if (event.type === "usage") collected.response.usage = event.usage;
    else if (event.type === "error") collected.error = event.error;
    else if (event.type === "end") collected.hasEnded = true;
    else if (event.type === "finish") choiceOf(event.choice).finishReason = event.reason;
    else addPart(choiceOf(event.choice).content, event);
  }
  return { ...collected, response: { ...collected.response, choices: [...choices.values()] } };
}

type PartEvent = Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" | "finish" }>;

function addPart(content: AssistantPart[], event: PartEvent): void {
  const last = content.at(-1);
  switch (event.type) {
    case "text-delta":
    case "refusal-delta": {
      const type = event.type === "text-delta" ? "text" : "refusal";
      if (last?.type === type) last.text += event.text;
      else content.push({ type, text: event.text });
      return;
    }
    case "thinking-delta":
      if (last?.type === "thinking" && last.signature === undefined) last.text += event.text;
      else content.push({ type: "thinking", text: event.text });
      return;
    case "thinking-signature":
      if (last?.type === "thinking" && last.signature === undefined) last.signature = event.signature;
      else content.push({ type: "thinking", text: "", signature: event.signature });
      return;
    case "redacted-thinking":
      content.push({ type: "redacted-thinking", data: event.data });
      return;
    case "tool-call-start":
      content.push({ type: "tool-call", id: event.id, name: event.name, arguments: "" });
      return;
    case "tool-call-delta": {
      const call = content.filter((part) => part.type === "tool-call")[event.index];
      if (call) call.arguments += event.arguments;
    }
  }
}
