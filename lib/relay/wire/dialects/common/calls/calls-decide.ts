import type { ChatEvent, FinishReason } from "../../../canonical/event";
import type { Frame, Machine } from "../../../canonical/machine";
import type { ChatResponse, Choice } from "../../../canonical/response";
import type { UpstreamFormat } from "../../dialect";

/**
 * Many servers end an answer with calls by "stop" or by a word of their own, and clients then never run the tools. So the
 * calls of an answer decide what its end is called, whatever its upstream says. An answer that was cut for its length or
 * its content keeps that reason, because its last call may be incomplete.
 * https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (tool_use: "Claude is calling a tool"),
 * https://platform.openai.com/docs/api-reference/chat/object (tool_calls: "if the model called a tool"), November 2026.
 */
function reasonByCalls(reason: FinishReason, hasCalls: boolean): FinishReason {
  const { unified, raw } = reason;
  if (hasCalls) return unified === "stop" || unified === "other" ? { unified: "tool-calls", raw } : reason;
  return unified === "tool-calls" ? { unified: "stop", raw } : reason;
}

/** The format with decoders in which the calls of an answer decide its finish reason. */
export function withCallsDeciding<T extends UpstreamFormat>(format: T): T {
  return {
    ...format,
    decode(json, readUsage) {
      const response = format.decode(json, readUsage);
      return response && byCalls(response);
    },
    streamDecoder: (readUsage) => new CallsDecide(format.streamDecoder(readUsage)),
  };
}

function byCalls(response: ChatResponse): ChatResponse {
  const choices = response.choices.map((choice): Choice => {
    const reason = reasonByCalls(
      choice.finishReason,
      choice.content.some(({ type }) => type === "tool-call"),
    );
    return reason === choice.finishReason ? choice : { ...choice, finishReason: reason };
  });
  return { ...response, choices };
}

class CallsDecide implements Machine<Frame, ChatEvent> {
  private readonly decoder: Machine<Frame, ChatEvent>;
  /** The choices with calls; true = its finish reason has come. Null = there was no call yet. */
  private calling: Map<number, boolean> | null = null;

  constructor(decoder: Machine<Frame, ChatEvent>) {
    this.decoder = decoder;
  }

  step(frame: Frame): readonly ChatEvent[] {
    return this.decide(this.decoder.step(frame));
  }

  end(isClean: boolean): readonly ChatEvent[] {
    return this.decide(this.decoder.end(isClean));
  }

  private decide(events: readonly ChatEvent[]): readonly ChatEvent[] {
    if (!events.some(({ type }) => type === "tool-call-start" || type === "finish" || type === "end")) return events;
    return events.flatMap((event) => this.decided(event));
  }

  private decided(event: ChatEvent): ChatEvent | ChatEvent[] {
    switch (event.type) {
      case "tool-call-start":
        this.note(event.choice, false);
        return event;
      case "finish": {
        const reason = reasonByCalls(event.reason, this.calling?.has(event.choice) === true);
        this.note(event.choice, true);
        return reason === event.reason ? event : { ...event, reason };
      }
      case "end":
        return this.calling ? [...this.missing(), event] : event;
      default:
        return event;
    }
  }

  private note(choice: number, isFinished: boolean): void {
    if (isFinished !== (this.calling?.has(choice) ?? false)) return;
    this.calling ??= new Map();
    this.calling.set(choice, isFinished);
  }

  /** Some streams with calls end without any reason. */
  private missing(): ChatEvent[] {
    const calling = [...(this.calling ?? [])].filter(([, isFinished]) => !isFinished);
    this.calling = null;
    return calling.map(([choice]) => ({ type: "finish", choice, reason: { unified: "tool-calls", raw: "" } }));
  }
}
