import type { MeterUsage } from "@/lib/meters";
import type { Answer, AnswerRefused, Report, UpstreamHead } from "../../answers/answer";
import { BodyCollector } from "../../answers/body-collector";
import {
  emptyAnswerRefusal,
  refusal,
  reportedRefusal,
  tooLargeRefusal,
  unreadableRefusal,
} from "../../answers/refusal";
import { checkWhole } from "../../answers/whole-body";
import { findTopLevelObject } from "../../base/json-splice";
import type { Secrets } from "../../base/secrets";
import type { Json } from "../../wire/canonical/json";
import type { Usage } from "../../wire/canonical/usage";
import { parseJsonObject } from "../../wire/dialects/common/json-text";
import type { WholeBody } from "../../wire/dialects/dialect";
import type { CallerDocument, DocumentContext, DocumentRequest, UpstreamDocument } from "./document-format";

const ERROR_KEY = '"error"';

/** What the client gets of a body with a success status. Throws AnswerRefused for one that is no answer. */
export type ReadDocument = (body: Buffer) => Read;
type Read = { body: Buffer; usage: Usage | null; meters: readonly MeterUsage[] | null };

/** An answer that is one document: nothing of it is sent before all of it is here. */
export class DocumentAnswer implements Answer {
  readonly isDone = false;
  readonly writtenTokens = 0;
  readonly contentType = "application/json";
  private readonly read: ReadDocument;
  private head: UpstreamHead = { status: 0, contentType: undefined, retryAfter: undefined };
  private collector: BodyCollector | null = null;
  private whole: Buffer = Buffer.alloc(0);
  private usage: Usage | null = null;
  private meters: readonly MeterUsage[] | null = null;

  constructor(read: ReadDocument) {
    this.read = read;
  }

  get events(): number {
    return this.collector?.pieces ?? 0;
  }

  start(head: UpstreamHead): void {
    this.head = head;
    this.collector = new BodyCollector(head.status > 299);
  }

  push(bytes: Buffer): null {
    try {
      this.collector?.push(bytes);
    } catch (error) {
      throw this.head.status > 299 ? error : tooLargeRefusal();
    }
    return null;
  }

  end(): null {
    const { status, retryAfter } = this.head;
    const body = this.collector?.body() ?? Buffer.alloc(0);
    if (status > 299) throw this.refuse(status, body, retryAfter);
    const { body: whole, usage, meters } = this.read(body);
    this.whole = whole;
    this.usage = usage;
    this.meters = meters;
    return null;
  }

  protected refuse(status: number, body: Buffer, retryAfter: string | undefined): AnswerRefused {
    return refusal(status, body, retryAfter);
  }

  ending(): Buffer {
    return this.whole;
  }

  cutShort(): Buffer {
    return this.whole;
  }

  report(): Report {
    return {
      usage: this.usage,
      ...(this.meters ? { meters: this.meters } : {}),
      finishReason: null,
      isComplete: true,
      textBytes: () => 0,
      textLength: () => ({ asciiBytes: 0, otherBytes: 0 }),
      sample: () => ({
        countable: { texts: [], extra: 0 },
        isAll: true,
        length: { asciiBytes: 0, otherBytes: 0 },
      }),
    };
  }
}

/** For an upstream of the caller's format: the bytes as they are, parsed only where they look unusual. */
export function passing<Request extends DocumentRequest, Result>(
  caller: CallerDocument<Request, Result>,
  upstream: UpstreamDocument<Request, Result>,
  request: Request,
  secrets: Secrets,
  { answerKey, usageKey }: NonNullable<CallerDocument<Request, Result>["scan"]>,
): ReadDocument {
  const whole: WholeBody & { answerKey: string } = { ...upstream, answerKey };
  return (given) => {
    checkWhole(given, whole);
    const reported = { [usageKey.slice(1, -1)]: findTopLevelObject(given, usageKey) };
    const body = caller.adapt ? caller.adapt(given, request) : given;
    // An error within a good answer may quote what the upstream received.
    const shown = body.includes(ERROR_KEY) ? Buffer.from(secrets.redact(body.toString("utf8"))) : body;
    return { body: shown, ...usageOf(upstream, reported) };
  };
}

function usageOf<Request, Result>(upstream: UpstreamDocument<Request, Result>, json: Json): Omit<Read, "body"> {
  return { usage: upstream.readUsage(json), meters: upstream.readMeters?.(json) ?? null };
}

/** For an upstream of another format. */
export function translating<Request extends DocumentRequest, Result>(
  caller: CallerDocument<Request, Result>,
  upstream: UpstreamDocument<Request, Result>,
  request: Request,
  context: Omit<DocumentContext, "usage">,
): ReadDocument {
  return (given) => {
    const text = given.toString("utf8");
    const json = parseJsonObject(text);
    if (!json) throw unreadableRefusal(given);
    if (upstream.hasFailed(json)) throw reportedRefusal(text);
    const result = upstream.hasAnswer(json) ? upstream.decode(json, request) : null;
    if (result === null) throw emptyAnswerRefusal();
    const { usage, meters } = usageOf(upstream, json);
    return { body: Buffer.from(JSON.stringify(caller.render(result, request, { ...context, usage }))), usage, meters };
  };
}
