import type { ChatEvent } from "./event";
import type { AssistantPart } from "./request";
import type { ChatResponse, Choice } from "./response";
import type { WireError } from "./wire-error";

type OpenChoice = Choice & { content: AssistantPart[] };
type PartEvent = Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" | "finish" }>;

/** Puts a complete response together from the events of a stream. */
export class ResponseCollector {
  error: WireError | null = null;
  hasEnded = false;
  private readonly response: ChatResponse = { id: "", model: "", choices: [], usage: null };
  private readonly choices = new Map<number, OpenChoice>();

  add(event: ChatEvent): void {
    switch (event.type) {
      case "start":
        this.response.id = event.id;
        this.response.model = event.model;
        return;
      case "usage":
        this.response.usage = event.usage;
        return;
      case "error":
        this.error = event.error;
        return;
      case "end":
        this.hasEnded = true;
        return;
      case "finish":
        this.choiceOf(event.choice).finishReason = event.reason;
        return;
      default:
        addPart(this.choiceOf(event.choice).content, event);
    }
  }

  collected(): ChatResponse {
    return { ...this.response, choices: [...this.choices.values()] };
  }

  private choiceOf(index: number): OpenChoice {
    const choice = this.choices.get(index) ?? { index, content: [], finishReason: { unified: "other", raw: "" } };
    this.choices.set(index, choice);
    return choice;
  }
}

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
