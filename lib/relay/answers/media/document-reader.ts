import { type Json, readArray, readObject } from "../../wire/canonical/json";
import { reportsError } from "../../wire/dialects/common/reported-error";
import { AnswerCut } from "../answer";
import { emptyAnswerRefusal, reportedRefusal, unreadableRefusal } from "../refusal";
import { JsonSkeleton } from "./json-skeleton";
import type { MediaFacts, ReadFacts } from "./media-facts";
import { joined, MEDIA_BYTES_MAX, type MediaReader, NOTHING, tooMuch } from "./media-reader";

/** A larger answer is passed on while it arrives, once it shows a picture. */
const HELD_BYTES = 65_536;
const HELD_MAX = 4 * 1_048_576;

export type DocumentSettings = {
  facts: MediaFacts;
  readFacts: ReadFacts;
  hasAnswer(json: Json): boolean;
  /** Finds where a picture begins, so that a large answer is known as one; null = every answer is held until it is whole. */
  beginning: RegExp | null;
  redact(text: string): string;
};

/** One JSON object. A large one goes to the client as it arrives, but for the last piece. */
export class DocumentReader implements MediaReader {
  private readonly settings: DocumentSettings;
  private readonly skeleton: JsonSkeleton;
  private held: Buffer[] = [];
  private heldBytes = 0;
  private hasBegun = false;
  /** It was whole, and said itself what it has. */
  private isRead = false;

  constructor(settings: DocumentSettings) {
    this.settings = settings;
    // What is held as a whole is bounded by that: words with their times are many values.
    this.skeleton = settings.beginning ? new JsonSkeleton() : new JsonSkeleton(HELD_MAX);
  }

  push(bytes: Buffer): Buffer | null {
    const { facts, beginning } = this.settings;
    facts.bytes += bytes.length;
    if (facts.bytes > MEDIA_BYTES_MAX) throw tooMuch();
    this.skeleton.push(bytes);
    this.held.push(bytes);
    this.heldBytes += bytes.length;
    if (!this.hasBegun && this.heldBytes > HELD_BYTES) this.hasBegun = beginning?.test(this.skeleton.text) === true;
    if (this.hasBegun) return this.release(bytes);
    if (this.heldBytes > HELD_MAX) throw tooMuch();
    return null;
  }

  private release(last: Buffer): Buffer | null {
    const ready = this.held.slice(0, -1);
    this.held = [last];
    return ready.length === 0 ? null : joined(ready);
  }

  readSoFar(): void {
    const { facts, beginning } = this.settings;
    if (!this.hasBegun || this.isRead || !beginning) return;
    const begun = [...this.skeleton.text.matchAll(new RegExp(beginning, "g"))].length;
    facts.pictures = Math.max(0, begun - 1);
  }

  end(): null {
    const { facts, readFacts, hasAnswer } = this.settings;
    const json = this.skeleton.json();
    const isAnswer = json !== null && hasAnswer(json);
    if (json && isAnswer && !reportsError(json, null, true)) {
      this.isRead = true;
      readFacts(json, facts);
      return null;
    }
    if (this.hasBegun) throw new AnswerCut("the upstream's response is not whole");
    const body = joined(this.held);
    if (!json) throw unreadableRefusal(body);
    if (reportsError(json, null, isAnswer)) throw reportedRefusal(body.toString("utf8"));
    // Ark tells with each picture of a series why there is none: https://www.volcengine.com/docs/82379/1541523.
    const [error] = readArray(json.data).flatMap((item) => readObject(item).error ?? []);
    throw error ? reportedRefusal(JSON.stringify({ error })) : emptyAnswerRefusal();
  }

  ending(): Buffer {
    const body = this.held.length === 0 ? NOTHING : joined(this.held);
    if (this.hasBegun || !body.includes('"error"')) return body;
    return Buffer.from(this.settings.redact(body.toString("utf8")));
  }
}
