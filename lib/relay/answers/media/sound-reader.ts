import { emptyAnswerRefusal } from "../refusal";
import type { MediaFacts } from "./media-facts";
import { MEDIA_BYTES_MAX, type MediaReader, NOTHING, tooMuch } from "./media-reader";

/** Bytes that mean nothing to us. The last one is held back until the answer is paid. */
export class SoundReader implements MediaReader {
  private readonly facts: MediaFacts;
  private last = NOTHING;

  constructor(facts: MediaFacts) {
    this.facts = facts;
  }

  push(bytes: Buffer): Buffer | null {
    this.facts.bytes += bytes.length;
    if (this.facts.bytes > MEDIA_BYTES_MAX) throw tooMuch();
    const ready = this.last.length === 0 ? bytes.subarray(0, -1) : Buffer.concat([this.last, bytes.subarray(0, -1)]);
    this.last = Buffer.from(bytes.subarray(-1));
    return ready.length === 0 ? null : ready;
  }

  end(): null {
    if (this.facts.bytes === 0) throw emptyAnswerRefusal();
    return null;
  }

  ending(): Buffer {
    return this.last;
  }
}
