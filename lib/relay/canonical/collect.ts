import type { ChatEvent } from "./event";
import type { AssistantPart } from "./request";
import type { ChatResponse, Choice } from "./response";
import type { WireError } from "./wire-error";

type OpenChoice = Choice & { content: AssistantPart[] };
type CallPart = Extract<AssistantPart, { type: "tool-call" }>;
type PartEvent = Exclude<
  ChatEvent,
  { type: "start" | "usage" | "error" | "end" | "finish" | "tool-call-start" | "tool-call-delta" }
>;

/** Puts a complete response together from the events of a stream. */
export class ResponseCollector {
  error: WireError | null = null;
  hasEnded = false;
  private readonly response: ChatResponse = { id: "", model: "", choices: [], usage: null };
  private readonly choices = new Map<number, OpenChoice>();
  /** The calls of each choice, in their order. */
  private readonly calls = new Map<number, CallPart[]>();

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
      case "tool-call-start":
        this.addCall(event.choice, { type: "tool-call", id: event.id, name: event.name, arguments: "" });
        return;
      case "tool-call-delta": {
        const call = this.calls.get(event.choice)?.[event.index];
        if (call) call.arguments += event.arguments;
        return;
      }
      default:
        addPart(this.choiceOf(event.choice).content, event);
    }
  }

  private addCall(choice: number, call: CallPart): void {
    this.choiceOf(choice).content.push(call);
    const calls = this.calls.get(choice) ?? [];
    calls.push(call);
    this.calls.set(choice, calls);
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
  }
}
