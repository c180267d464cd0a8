import { findLastText, findTopLevelObject, skipSpace } from "../base/json-splice";
import type { Secrets } from "../base/secrets";
import { cleanText } from "../base/upstream-error";
import type { FinishReason } from "../wire/canonical/event";
import { type Json, readObject, readText } from "../wire/canonical/json";
import { mayHoldMore } from "../wire/canonical/nothing-used";
import type { FrameReader, PassThrough, ReadUsage, Reshape, UpstreamDialect } from "../wire/dialects/dialect";
import type { Answer, AnswerNames, Report, TextSample, UpstreamHead } from "./answer";
import { BodyCollector } from "./body-collector";
import { isEventStream } from "./body-form";
import { emptyRefusal, refusal } from "./refusal";
import { TIER_KEY } from "./sampled-text";
import { StreamScanner } from "./stream-scanner";
import { measureText, type TextLength, WrittenText } from "./text-length";
import { checkWhole } from "./whole-body";
import { splitEvents } from "./whole-events";

const JSON_TYPE = /^application\/([\w.-]+\+)?json *(;|$)/i;
const ERROR_KEY = Buffer.from('"error"');

export type PassThroughSettings = {
  dialect: UpstreamDialect;
  /** The client asked for a stream. */
  isStream: boolean;
  /** The request has tools, so that there may be calls in the answer; absent = it has none. */
  hasTools?: boolean;
  /** The client did not ask for usage in the stream, the gateway did: remove frames that contain nothing else. */
  withholdUsage: boolean;
  readUsage: ReadUsage;
  /** Rewrites the response as the channel's setting asks; null = bytes pass through unchanged. */
  reshape: Reshape | null;
  secrets: Secrets;
  /** The whole answer of events that came although none were asked for; absent = they are refused. Throws AnswerRefused. */
  asWhole?: (events: Buffer) => Buffer;
};

/** For an upstream that speaks the client's dialect: bytes pass through, and a scanner looks for usage, finish reason and end. */
export class PassThroughAnswer implements Answer {
  contentType = "application/json";
  private readonly settings: PassThroughSettings;
  private head: UpstreamHead = { status: 0, contentType: undefined, retryAfter: undefined };
  /** At most one of the two is set: what the response is shows with its first byte. */
  private body: BodyCollector | null = null;
  private scanner: StreamScanner | null = null;
  private reader: FrameReader | null = null;
  private whole: Buffer | null = null;
  /** How `whole` ends; null = it says nothing of that. Undefined = it was not looked at, and may hold an error that quotes a secret. */
  private finish: FinishReason | null | undefined;

  constructor(settings: PassThroughSettings) {
    this.settings = settings;
  }

  get isDone(): boolean {
    return this.scanner?.isDone === true;
  }

  get events(): number {
    return this.scanner?.events ?? this.body?.pieces ?? 0;
  }

  get writtenTokens(): number {
    return this.scanner?.written.tokens ?? 0;
  }

  start(head: UpstreamHead): void {
    this.head = head;
    if (head.status > 299 || !this.settings.isStream) this.openBody();
  }

  private openBody(): void {
    const { status, contentType } = this.head;
    this.body = new BodyCollector(status > 299);
    // What is no JSON is refused, whatever the upstream calls it.
    if (contentType && JSON_TYPE.test(contentType)) this.contentType = contentType;
  }

  private openScanner(): void {
    const { dialect, hasTools, withholdUsage, readUsage } = this.settings;
    this.contentType = "text/event-stream";
    this.reader = dialect.passThrough.frameReader({ withholdUsage, readUsage });
    this.scanner = new StreamScanner(dialect.passThrough, this.reader, hasTools);
  }

  push(bytes: Buffer): Buffer | null {
    if (!this.scanner && !this.body) {
      // Only white space so far.
      if (skipSpace(bytes, 0) === bytes.length) return null;
      if (isEventStream(bytes, this.head.contentType)) this.openScanner();
      else this.openBody();
    }
    if (this.scanner) {
      const ready = this.scanner.push(bytes);
      return ready === null ? null : this.pass(ready, ready !== bytes);
    }
    this.body?.push(bytes);
    return null;
  }

  end(): Buffer | null {
    if (this.scanner) {
      const rest = this.scanner.end();
      return rest === null ? null : this.pass(rest, true);
    }
    const { status, contentType, retryAfter } = this.head;
    if (!this.body && contentType?.includes("text/event-stream")) throw emptyRefusal();
    const body = this.body?.body() ?? Buffer.alloc(0);
    if (status > 299) throw refusal(status, body, retryAfter);
    const { dialect, hasTools, asWhole } = this.settings;
    if (asWhole && isEventStream(body, contentType)) {
      this.whole = asWhole(body);
      this.contentType = "application/json";
      return null;
    }
    const finish = checkWhole(body, dialect.passThrough);
    this.whole = hasTools ? byCalls(body, dialect.passThrough) : body;
    if (this.whole === body) this.finish = finish;
    return null;
  }

  /** `isRead`: not the bytes as received, in which the scanner found nothing notable. */
  private pass(events: Buffer, isRead: boolean): Buffer {
    const { reshape } = this.settings;
    const shown = isRead ? this.withoutSecrets(events) : events;
    return reshape ? Buffer.from(reshape.lines(shown.toString("utf8"))) : shown;
  }

  /** An error that an upstream reports within a good answer may quote what it received. */
  private withoutSecrets(bytes: Buffer): Buffer {
    if (bytes.indexOf(ERROR_KEY) === -1) return bytes;
    return Buffer.from(this.settings.secrets.redact(bytes.toString("utf8")));
  }

  ending(): Buffer {
    if (this.scanner) return this.withoutSecrets(this.scanner.terminal);
    const { reshape } = this.settings;
    const whole = this.whole ?? Buffer.alloc(0);
    const body = this.finish === undefined ? this.withoutSecrets(whole) : whole;
    return reshape ? reshapeWhole(body, reshape) : body;
  }

  cutShort(): Buffer {
    const { dialect, reshape } = this.settings;
    const first = this.scanner?.sample().frames.toString("utf8") ?? "";
    const text = dialect.passThrough.cutShort(first, this.scanner?.last.toString("utf8") ?? "");
    return Buffer.from(reshape ? reshape.lines(text) : text);
  }

  report(): Report {
    if (this.scanner && this.reader) return reportStream(this.settings, this.scanner, this.reader);
    return reportWhole(this.settings, this.whole ?? Buffer.alloc(0), this.finish);
  }
}

function reportStream({ dialect }: PassThroughSettings, scanner: StreamScanner, reader: FrameReader): Report {
  const { hasRunningUsage, keptObjects } = dialect.passThrough;
  if (hasRunningUsage) readAgain(scanner.last, reader);
  const report: Report = {
    usage: reader.usage(),
    finishReason: reader.finishReason(),
    isComplete: scanner.isDone,
    answered: () => namesIn(firstFrame(scanner.sample().frames)),
    holdsMore: () => mayHoldMore(scanner.sample().frames.toString("latin1")),
    textBytes: () => scanner.written.bytes,
    textLength: () => scanner.textLength(),
    sample(): TextSample {
      const { frames, isAll } = scanner.sample();
      const { countable, isRead } = framesTexts(frames, dialect);
      return { countable, isAll: isAll && isRead, length: scanner.textLength() };
    },
  };
  if (keptObjects) report.keptObjects = () => keptObjects(reader.answer?.() ?? {});
  if (scanner.badEvents > 0) report.badEvents = scanner.badEvents;
  noteTier(report, scanner.tier());
  return report;
}

/** `finish`: undefined = it was not read yet. */
function reportWhole(
  { dialect, hasTools, readUsage }: PassThroughSettings,
  body: Buffer,
  finish: FinishReason | null | undefined,
): Report {
  const { passThrough } = dialect;
  const textKeys = passThrough.bodyTextKeys ?? passThrough.textKeys;
  const { keptObjects } = passThrough;
  // One literal: copying others into it took a microsecond for each answer.
  const report: Report = {
    usage: readUsage(findTopLevelObject(body, passThrough.usageKey)),
    finishReason: finish === undefined ? readFinishReason(body, passThrough) : finish,
    isComplete: true,
    answered: () => namesIn(parseObject(body.toString("utf8")) ?? {}),
    holdsMore: () => mayHoldMore(body.toString("latin1")),
    textBytes() {
      const written = new WrittenText();
      written.add(body.toString("latin1"), textKeys, hasTools ? passThrough.callKey : undefined);
      return written.bytes;
    },
    textLength: () => measureText(body, textKeys),
    sample() {
      const json = parseObject(body.toString("utf8"));
      if (json) return { countable: dialect.answerTexts(json), isAll: true, length: measureText(body, textKeys) };
      return { countable: NO_TEXTS, isAll: false, length: lengthOfUnread(body, textKeys) };
    },
  };
  if (keptObjects) report.keptObjects = () => keptObjects(parseObject(body.toString("utf8")) ?? {});
  noteTier(report, findLastText(body, TIER_KEY) ?? "");
  return report;
}

/** Events that were not notable, for the usage in them. */
function readAgain(events: Buffer, reader: FrameReader): void {
  for (const { frame } of splitEvents(events)) if (frame) reader.read(frame);
}

/** The first event of a stream that is an object; all dialects name the answer there. */
function firstFrame(frames: Buffer): Json {
  for (const { frame } of splitEvents(frames)) if (frame) return readObject(parseObject(frame.data));
  return {};
}

/** `message` is Anthropic's, `response` that of OpenAI's Responses; Google has names of its own. */
function namesIn(json: Json): AnswerNames {
  const whole = readObject(json.message ?? json.response ?? json);
  return { id: readText(whole.id ?? whole.responseId), model: readText(whole.model ?? whole.modelVersion) };
}

/** The tiers that cost what the price says; every other one is noted in the log. */
const USUAL_TIERS = new Set(["default", "standard", "auto", "flex", "batch", ""]);

function noteTier(report: Report, tier: string): void {
  if (!USUAL_TIERS.has(tier)) report.dearTier = cleanText(tier).slice(0, 32);
}

function readFinishReason(body: Buffer, passThrough: PassThrough): FinishReason | null {
  const raw = findLastText(body, passThrough.finishReasonKey);
  return raw === undefined ? null : passThrough.readFinishReason(raw);
}

/** The body with a finish reason that its calls agree with. */
function byCalls(body: Buffer, passThrough: PassThrough): Buffer {
  const { byCalls: rule } = passThrough;
  if (!rule || rule.words.has(findLastText(body, passThrough.finishReasonKey) ?? "")) return body;
  if (!rule.mark.test(body.toString("latin1"))) return body;
  const json = parseObject(body.toString("utf8"));
  return json && rule.mend(json) ? Buffer.from(JSON.stringify(json)) : body;
}

const NO_TEXTS = { texts: [], extra: 0 };

/** Of a body that no reader of JSON takes, but whose client may: its texts as far as they are found, else all of it. */
function lengthOfUnread(body: Buffer, textKeys: readonly string[]): TextLength {
  const length = measureText(body, textKeys);
  return length.asciiBytes + length.otherBytes > 0 ? length : { asciiBytes: body.length, otherBytes: 0 };
}

/** The texts in the first frames of an event stream. `isRead`: of all of them, but for an incomplete line at the end. */
function framesTexts(frames: Buffer, dialect: UpstreamDialect) {
  const into = { texts: [] as string[], extra: 0 };
  let unread = 0;
  const lines = frames.toString("utf8").split("\n");
  for (const [at, line] of lines.entries()) {
    const data = line.startsWith("data:") ? line.slice(5).trim() : "";
    const frame = data === "" ? null : parseObject(data);
    if (!frame && data !== "" && data !== "[DONE]" && at < lines.length - 1) unread += 1;
    if (!frame) continue;
    const { texts, extra } = dialect.frameTexts(frame);
    into.texts.push(...texts);
    into.extra += extra;
  }
  // Text arrives in small pieces. Counting tokens of each piece would give too many, so join them first.
  return { countable: { texts: [into.texts.join("")], extra: into.extra }, isRead: unread === 0 };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

function reshapeWhole(body: Buffer, reshape: Reshape): Buffer {
  const json = parseObject(body.toString("utf8"));
  return json ? Buffer.from(JSON.stringify(reshape.whole(json))) : body;
}
