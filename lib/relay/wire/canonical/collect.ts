import type { Citation, Search } from "./citation";
import type { ChatEvent, TokenLogprob } from "./event";
import type { AssistantPart, TextPart } from "./request";
import type { ChatResponse, Choice } from "./response";
import type { WireError } from "./wire-error";

type OpenChoice = Choice & { content: AssistantPart[]; searches?: Search[] };
type CallPart = Extract<AssistantPart, { type: "tool-call" }>;
type PartEvent = Exclude<
  ChatEvent,
  { type: "start" | "usage" | "error" | "end" | "finish" | "search" | "tool-call-start" | "tool-call-delta" }
>;
type WrittenText = TextPart & { citations?: Citation[]; logprobs?: TokenLogprob[] };

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
      case "search": {
        const choice = this.choiceOf(event.choice);
        choice.searches ??= [];
        choice.searches.push(event.search);
        return;
      }
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
      addText(content, event.text, event.logprobs);
      return;
    case "refusal-delta":
      if (last?.type === "refusal") last.text += event.text;
      else content.push({ type: "refusal", text: event.text });
      return;
    case "citation":
      addCitation(content, event.citation);
      return;
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

function addText(content: AssistantPart[], text: string, logprobs: readonly TokenLogprob[] | undefined): void {
  const last = content.at(-1);
  const part: WrittenText = last?.type === "text" ? (last as WrittenText) : { type: "text", text: "" };
  if (part !== last) content.push(part);
  part.text += text;
  if (!logprobs) return;
  part.logprobs ??= [];
  for (const token of logprobs) part.logprobs.push(token);
}

/** Belongs to the last text; without any, there is nothing that it could be about. */
function addCitation(content: readonly AssistantPart[], citation: Citation): void {
  const part = content.findLast(({ type }) => type === "text") as WrittenText | undefined;
  if (!part) return;
  part.citations ??= [];
  part.citations.push(citation);
}
