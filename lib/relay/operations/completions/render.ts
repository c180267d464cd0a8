import type { ChatEvent } from "../../canonical/event";
import { type Json, readArray, readObject } from "../../canonical/json";
import type { Frame, Machine } from "../../canonical/machine";
import type { ChatResponse } from "../../canonical/response";
import type { Usage } from "../../canonical/usage";
import { defined } from "../../dialects/defined";
import type { Countable, RenderContext } from "../../dialects/dialect";
import { parseJsonObject } from "../../dialects/json-text";
import { renderCut } from "../../dialects/openai-chat/error";
import { renderFinishReason } from "../../dialects/openai-chat/finish-reason";
import { renderUsage } from "../../dialects/openai-chat/usage";

/** So many frames are searched for the choices of an answer; they begin in turn. */
const FRAMES_MAX = 256;

function headOf(context: RenderContext): Json {
  const { requestId, model, createdAt } = context;
  return { id: `cmpl-${requestId}`, object: "text_completion", created: createdAt, model };
}

function choiceOf(index: number, text: string, reason: string | null): Json {
  return { text, index, logprobs: null, finish_reason: reason };
}

export function renderResponse({ choices, usage }: ChatResponse, context: RenderContext): Json {
  return defined({
    ...headOf(context),
    choices: choices.map(({ index, content, finishReason }) => {
      const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      return choiceOf(index, text, renderFinishReason(finishReason));
    }),
    usage: usage ? renderUsage(usage) : undefined,
  });
}

export function createStreamRenderer(context: RenderContext): Machine<ChatEvent, Frame> {
  return new StreamRenderer(context);
}

class StreamRenderer implements Machine<ChatEvent, Frame> {
  private readonly context: RenderContext;
  private usage: Usage | null = null;
  private hasFailed = false;

  constructor(context: RenderContext) {
    this.context = context;
  }

  step(event: ChatEvent): readonly Frame[] {
    switch (event.type) {
      case "text-delta":
        return [this.frame([choiceOf(event.choice, event.text, null)])];
      case "finish":
        return [this.frame([choiceOf(event.choice, "", renderFinishReason(event.reason))])];
      case "usage":
        this.usage = event.usage;
        return [];
      case "error":
        this.hasFailed = true;
        return renderCut(event.error, this.context.requestId);
      default:
        return [];
    }
  }

  end(isClean: boolean): readonly Frame[] {
    if (!isClean || this.hasFailed) return [];
    const done: Frame = { event: null, data: "[DONE]" };
    const { usage } = this;
    return this.context.wantsUsage && usage ? [this.frame([], { usage: renderUsage(usage) }), done] : [done];
  }

  private frame(choices: readonly Json[], more: Json = {}): Frame {
    return { event: null, data: JSON.stringify({ ...headOf(this.context), choices, ...more }) };
  }
}

/** The end of a stream that the gateway stops: every choice finishes for its length. */
export function cutShort(first: string): string {
  let head: Json = { object: "text_completion" };
  const choices = new Set<number>();
  for (const line of first.split("\n", FRAMES_MAX)) {
    const frame = line.startsWith("data:") ? parseJsonObject(line.slice(5)) : null;
    if (!frame) continue;
    const { id, object, created, model } = frame;
    head = { id, object, created, model };
    for (const choice of readArray(frame.choices)) {
      const { index } = readObject(choice);
      if (typeof index === "number") choices.add(index);
    }
  }
  const ends = [...choices].map((index) => ({ ...head, choices: [choiceOf(index, "", "length")] }));
  return `${ends.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("")}data: [DONE]\n\n`;
}

/** A frame has the form of a complete answer. */
export function answerTexts(json: Json): Countable {
  const texts = readArray(json.choices).flatMap((choice) => {
    const { text } = readObject(choice);
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  return { texts, extra: 0 };
}
