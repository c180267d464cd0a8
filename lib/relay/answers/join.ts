import type { ChatEvent } from "../wire/canonical/event";
import type { Frame, Machine } from "../wire/canonical/machine";
import type { Usage } from "../wire/canonical/usage";
import type { TextJoin } from "./text-join";

export type JoinSettings = {
  text: TextJoin;
  /** Goes on with the client's stream. */
  renderer: Machine<ChatEvent, Frame>;
  /** The usage of the whole answer, from what the second upstream reports for its own. */
  wholeUsage: (own: Usage) => Usage;
  /** Called for everything that is passed on. */
  onPass: (event: ChatEvent) => void;
};

type Content = Exclude<ChatEvent, { type: "start" | "usage" | "error" | "end" }>;

/**
 * Renders the events of a second answer as the rest of the first: without a start, without what the client has already,
 * and without thoughts, of which it has those of the first.
 */
export class Join implements Machine<ChatEvent, Frame> {
  /** The two answers cannot be joined. */
  differs = false;
  /** Text or thoughts have arrived. */
  hasBegun = false;
  hasPassed = false;
  usage: Usage | null = null;
  private readonly settings: JoinSettings;
  private isTextOver = false;
  /** Signed thoughts were left out, so that no call may follow. */
  private hasLeftOut = false;

  constructor(settings: JoinSettings) {
    this.settings = settings;
  }

  step(event: ChatEvent): readonly Frame[] {
    if (this.differs) return [];
    switch (event.type) {
      case "start":
      case "error":
      case "end":
        return [];
      case "usage":
        this.usage = this.settings.wholeUsage(event.usage);
        return this.settings.renderer.step({ type: "usage", usage: this.usage });
      default:
        return event.choice === 0 ? this.stepContent(event) : [];
    }
  }

  end(isClean: boolean): readonly Frame[] {
    const rest = this.endText();
    return this.differs ? [] : [...rest, ...this.settings.renderer.end(isClean)];
  }

  private stepContent(event: Content): readonly Frame[] {
    switch (event.type) {
      case "thinking-delta":
        this.hasBegun = true;
        return [];
      case "thinking-signature":
      case "redacted-thinking":
        this.hasBegun = true;
        this.hasLeftOut = true;
        return [];
      // Their places are those of the second answer alone, which differ from what the client has.
      case "citation":
      case "search":
        return [];
      case "text-delta":
        this.hasBegun = true;
        return this.isTextOver ? this.pass(event) : this.passText(this.settings.text.push(event.text));
      case "tool-call-start":
      case "tool-call-delta":
        if (this.hasLeftOut) return this.fail();
        break;
      default:
    }
    const rest = this.endText();
    return this.differs ? [] : [...rest, ...this.pass(event)];
  }

  private endText(): readonly Frame[] {
    if (this.isTextOver) return [];
    this.isTextOver = true;
    return this.passText(this.settings.text.end());
  }

  private passText(text: string | null): readonly Frame[] {
    if (text === null) return this.fail();
    return text === "" ? [] : this.pass({ type: "text-delta", choice: 0, text });
  }

  private pass(event: Content): readonly Frame[] {
    this.hasPassed = true;
    this.settings.onPass(event);
    return this.settings.renderer.step(event);
  }

  private fail(): readonly Frame[] {
    this.differs = true;
    return [];
  }
}
