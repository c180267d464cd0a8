import type { ChatEvent } from "../../wire/canonical/event";
import { type Json, readArray, readObject } from "../../wire/canonical/json";
import type { Frame, Machine } from "../../wire/canonical/machine";
import type { ChatResponse } from "../../wire/canonical/response";
import type { Usage } from "../../wire/canonical/usage";
import { defined } from "../../wire/dialects/common/defined";
import type { Countable, RenderContext } from "../../wire/dialects/dialect";
import { endChoices } from "../../wire/dialects/openai-chat/cut-short";
import { renderCut } from "../../wire/dialects/openai-chat/error";
import { renderFinishReason } from "../../wire/dialects/openai-chat/finish-reason";
import { renderUsage } from "../../wire/dialects/openai-chat/usage";

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
  return endChoices(first, "text_completion", (index) => choiceOf(index, "", "length"));
}

/** A frame has the form of a complete answer. */
export function answerTexts(json: Json): Countable {
  const texts = readArray(json.choices).flatMap((choice) => {
    const { text } = readObject(choice);
    return typeof text === "string" && text !== "" ? [text] : [];
  });
  return { texts, extra: 0 };
}
