import { type Json, readObject, readText } from "../../wire/canonical/json";
import { readCostSettings } from "./settings-in-force";

/** A response that the caller has asked for and that has not begun. */
export type AskedResponse = {
  eventId: string;
  /** How many items of the conversation it names again; each may be all that was said. */
  references: number;
  /** Tokens that it may write; null = as many as the session's settings allow. */
  outputMax: number | null;
  /** The upstream has it. */
  isSent: boolean;
  /** Nobody asked for it by an event: a turn has ended that the upstream will answer. */
  isOfTurn: boolean;
};

const REFERENCE = "item_reference";
/** An upstream refuses more at a time; those beyond are not told apart. */
const ASKED_MAX = 1_024;

/** Reserved for; who leaves pays only for what was asked for, because an upstream may leave a turn unanswered. */
const TURN: AskedResponse = { eventId: "", references: 0, outputMax: null, isSent: false, isOfTurn: true };

const OTHER = /^(session|item|conversation|input_audio|audio|output_audio|response_cancel|event)/;

/** An error that tells that the event did not ask for a response. */
function isOfOther({ param, code }: Json): boolean {
  return [param, code].some((word) => OTHER.test(readText(word)));
}

/** The responses that a caller has asked for, in the order in which the upstream begins them. */
export class AskedResponses {
  private readonly waiting: AskedResponse[] = [];

  get size(): number {
    return this.waiting.length;
  }

  all(): readonly AskedResponse[] {
    return this.waiting;
  }

  add(event: Json): void {
    const response = readObject(event.response);
    const { outputMax } = readCostSettings(response);
    const input = Array.isArray(response.input) ? response.input : [];
    const references = input.filter((item) => readObject(item).type === REFERENCE).length;
    if (this.waiting.length >= ASKED_MAX) return;
    this.waiting.push({ eventId: readText(event.event_id), references, outputMax, isSent: false, isOfTurn: false });
  }

  /** The upstream will answer a turn that has ended. */
  addTurn(): void {
    if (this.waiting.length < ASKED_MAX) this.waiting.push({ ...TURN });
  }

  /** Another turn begins: if one was not answered, it never will be. */
  forgetTurns(): void {
    const asked = this.waiting.filter(({ isOfTurn }) => !isOfTurn);
    this.waiting.splice(0, this.waiting.length, ...asked);
  }

  /** All that was read of the caller has been sent. */
  sent(): void {
    for (const asked of this.waiting) asked.isSent = !asked.isOfTurn;
  }

  /** The oldest one begins; undefined = the upstream began one by itself. */
  begin(): AskedResponse | undefined {
    return this.waiting.shift();
  }

  /** The one that is about to be sent; null = none is. */
  unsent(): AskedResponse | null {
    return this.waiting.find(({ isSent, isOfTurn }) => !isSent && !isOfTurn) ?? null;
  }

  /** The upstream has refused an event; perhaps one that asked for a response. */
  refused(error: Json): void {
    const id = readText(error.event_id);
    const isOfResponse =
      error.code === "conversation_already_has_active_response" || /^response\b/.test(readText(error.param));
    // A caller may give another event the id of one that asks for a response.
    if (!isOfResponse && (id === "" || isOfOther(error))) return;
    const at = id === "" ? 0 : this.waiting.findIndex(({ eventId, isOfTurn }) => !isOfTurn && eventId === id);
    if (at >= 0) this.waiting.splice(at, 1);
  }
}
