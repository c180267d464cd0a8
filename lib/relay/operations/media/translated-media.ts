import { type Answer, EMPTY_REPORT, type Report, type UpstreamHead } from "../../answers/answer";
import { BodyCollector } from "../../answers/body-collector";
import { noFacts } from "../../answers/media/media-facts";
import {
  emptyAnswerRefusal,
  onlyWordsRefusal,
  refusal,
  reportedRefusal,
  unreadableRefusal,
  withheldRefusal,
} from "../../answers/refusal";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import type { DecodedMedia, UpstreamMedia } from "./media-kind";

/** The answer of an upstream with another format: nothing of it is sent before all of it is here. */
export class TranslatedMedia<Request> implements Answer {
  readonly isDone = false;
  readonly writtenTokens = 0;
  private readonly format: UpstreamMedia<Request>;
  private readonly request: Request;
  private readonly facts = noFacts();
  private head: UpstreamHead = { status: 0, contentType: undefined, retryAfter: undefined };
  private collector = new BodyCollector(false);
  private decoded: DecodedMedia = { body: Buffer.alloc(0), contentType: "application/json" };

  constructor(format: UpstreamMedia<Request>, request: Request) {
    this.format = format;
    this.request = request;
  }

  get contentType(): string {
    return this.decoded.contentType;
  }

  get events(): number {
    return this.collector.pieces;
  }

  start(head: UpstreamHead): void {
    this.head = head;
    this.collector = new BodyCollector(head.status > 299);
  }

  push(bytes: Buffer): null {
    this.collector.push(bytes);
    return null;
  }

  end(): null {
    const { status, retryAfter } = this.head;
    const body = this.collector.body();
    this.collector = new BodyCollector(false);
    if (status > 299) throw refusal(status, body, retryAfter);
    const text = body.toString("utf8");
    const json = parseJsonObject(text);
    if (!json) throw unreadableRefusal(body);
    const reason = this.format.withheld?.(json) ?? null;
    if (reason !== null) throw withheldRefusal(reason);
    const said = this.format.saidInstead?.(json) ?? null;
    if (said !== null) throw onlyWordsRefusal(said);
    if (this.format.hasFailed(json)) throw reportedRefusal(text);
    const decoded = this.format.decode(json, this.request, this.facts);
    if (!decoded) throw emptyAnswerRefusal();
    this.decoded = decoded;
    this.facts.bytes = body.length;
    return null;
  }

  ending(): Buffer {
    return this.decoded.body;
  }

  cutShort(): Buffer {
    return this.decoded.body;
  }

  report(): Report {
    return { ...EMPTY_REPORT, usage: this.facts.usage, media: { ...this.facts } };
  }
}
