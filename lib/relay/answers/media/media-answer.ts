import { skipSpace } from "../../base/json-splice";
import type { Secrets } from "../../base/secrets";
import type { Json } from "../../wire/canonical/json";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import { reportsError } from "../../wire/dialects/common/reported-error";
import { type Answer, EMPTY_REPORT, type Report, type UpstreamHead } from "../answer";
import { BodyCollector } from "../body-collector";
import { formOf, isEventStream } from "../body-form";
import { emptyAnswerRefusal, refusal, reportedRefusal, unreadableRefusal } from "../refusal";
import { DocumentReader } from "./document-reader";
import { EventsReader } from "./events-reader";
import { type MediaFacts, noFacts, type ReadFacts } from "./media-facts";
import { MEDIA_BYTES_MAX, type MediaReader, NOTHING, tooMuch } from "./media-reader";
import { TextReader } from "./text-reader";

export type MediaAnswerSettings = {
  /** What the upstream is asked for; a stream of events may come in place of each where one is asked for. */
  expects: "document" | "sound" | "text";
  isStream: boolean;
  readFacts: ReadFacts;
  hasAnswer(json: Json): boolean;
  /** See DocumentReader. */
  beginning: RegExp | null;
  /** Where the upstream names no content type that fits. */
  contentType: string;
  secrets: Secrets;
};

const UNSENT: UpstreamHead = { status: 0, contentType: undefined, retryAfter: undefined };

/** The answer of an upstream of the caller's format: its bytes as they are, read for what they cost. */
export class MediaAnswer implements Answer {
  readonly isDone = false;
  readonly writtenTokens = 0;
  contentType: string;
  private readonly settings: MediaAnswerSettings;
  private readonly facts = noFacts();
  private head = UNSENT;
  private reader: MediaReader | null = null;
  private failure: BodyCollector | null = null;
  /** What came in place of a sound or a text. */
  private noSound: BodyCollector | null = null;
  private pieces = 0;

  constructor(settings: MediaAnswerSettings) {
    this.settings = settings;
    this.contentType = settings.contentType;
  }

  get events(): number {
    return this.pieces;
  }

  start(head: UpstreamHead): void {
    this.head = head;
    if (head.status > 299) this.failure = new BodyCollector(true);
  }

  push(bytes: Buffer): Buffer | null {
    // undici hands on empty pieces, and an empty piece of a chunked body is its end.
    if (bytes.length === 0) return null;
    if (this.failure) {
      this.failure.push(bytes);
      return null;
    }
    if (!this.reader && !this.noSound) {
      const { expects, isStream } = this.settings;
      // A transcript of silence is a blank line.
      const mayBeBlank = expects === "sound" || (expects === "text" && !isStream);
      if (!mayBeBlank && skipSpace(bytes, 0) === bytes.length) return null;
      this.open(bytes);
    }
    this.pieces += 1;
    this.noSound?.push(bytes);
    return this.reader?.push(bytes) ?? null;
  }

  private open(first: Buffer): void {
    const { expects, isStream, readFacts, hasAnswer, beginning, secrets } = this.settings;
    const { facts, head } = this;
    const type = head.contentType ?? "";
    if (isStream && isEventStream(first, type)) {
      this.contentType = "text/event-stream";
      this.reader = new EventsReader({ facts, readFacts });
      return;
    }
    const isSound = /^(audio|video)\/|^application\/octet-stream/i.test(type);
    if (expects === "sound" && (isSound || (type === "" && formOf(first) !== "document"))) {
      if (/^[\w.+-]+\/[\w.+-]+(;.*)?$/.test(type)) this.contentType = type;
      this.reader = new SoundReader(facts);
    } else if (expects === "sound" || (expects === "text" && IS_PAGE.test(type)))
      this.noSound = new BodyCollector(false);
    else if (expects === "text") this.reader = new TextReader({ facts, readFacts });
    else {
      this.contentType = "application/json";
      const redact = (text: string): string => secrets.redact(text);
      this.reader = new DocumentReader({ facts, readFacts, hasAnswer, beginning, redact });
    }
  }

  end(): Buffer | null {
    const { status, retryAfter } = this.head;
    if (status > 299) throw refusal(status, this.failure?.body() ?? Buffer.alloc(0), retryAfter);
    if (!this.reader && !this.noSound) this.open(Buffer.alloc(0));
    if (this.noSound) throw refusalOf(this.noSound.body());
    return this.reader?.end() ?? null;
  }

  ending(): Buffer {
    return this.reader?.ending() ?? Buffer.alloc(0);
  }

  cutShort(): Buffer {
    return this.ending();
  }

  report(): Report {
    this.reader?.readSoFar?.();
    return { ...EMPTY_REPORT, usage: this.facts.usage, media: { ...this.facts } };
  }
}

/** A page of a proxy or of a portal is no transcript. */
const IS_PAGE = /^(text\/html|application\/xhtml)/i;

/** A document where a sound was asked for. */
function refusalOf(body: Buffer): Error {
  const text = body.toString("utf8");
  const json = parseJsonObject(text);
  return json && reportsError(json, null, false) ? reportedRefusal(text) : unreadableRefusal(body);
}

/** Bytes that mean nothing to us. The last one is held back until the answer is paid. */
class SoundReader implements MediaReader {
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
