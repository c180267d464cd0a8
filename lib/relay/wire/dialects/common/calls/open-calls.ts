import type { ChatEvent } from "../../../canonical/event";

/** `index`: null = it has no name yet, so it is not started. `early`: arguments that came before the name. */
type OpenCall = { index: number | null; id: string; early: string };

/** A piece of a call, as it arrives. */
export type CallPiece = { id: string; name: string; arguments: string };

/** The calls that one choice of a stream is writing. */
export class OpenCalls {
  private readonly calls = new Map<string | number, OpenCall>();
  private readonly choice: number;
  private begun = 0;

  constructor(choice: number) {
    this.choice = choice;
  }

  get count(): number {
    return this.calls.size;
  }

  has(key: string | number): boolean {
    return this.calls.has(key);
  }

  /** `key` tells the calls apart. `answerId`: clients need an id to return the result with, which not every call has. */
  add(key: string | number, piece: CallPiece, answerId: string, events: ChatEvent[]): void {
    let call = this.calls.get(key);
    if (!call) {
      const id = piece.id || inventCallId(answerId, this.choice, this.calls.size);
      call = { index: null, id, early: "" };
      this.calls.set(key, call);
    }
    if (piece.name !== "") this.start(call, piece.name, events);
    if (piece.arguments === "") return;
    if (call.index === null) call.early += piece.arguments;
    else events.push({ type: "tool-call-delta", choice: this.choice, index: call.index, arguments: piece.arguments });
  }

  /** Starts the calls that never got a name. */
  close(events: ChatEvent[]): void {
    for (const call of this.calls.values()) this.start(call, "", events);
  }

  private start(call: OpenCall, name: string, events: ChatEvent[]): void {
    if (call.index !== null) return;
    const index = this.begun;
    call.index = index;
    this.begun += 1;
    events.push({ type: "tool-call-start", choice: this.choice, index, id: call.id, name });
    if (call.early !== "") {
      events.push({ type: "tool-call-delta", choice: this.choice, index, arguments: call.early });
    }
    call.early = "";
  }
}

/** Some upstreams send no id, but clients need one to return the tool's result. */
export function inventCallId(answerId: string, choice: number, index: number): string {
  return `call_${answerId}_${choice}_${index}`.replace(/[^\w-]/g, "_");
}
