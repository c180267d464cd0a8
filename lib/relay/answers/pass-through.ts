import type { FinishReason } from "../canonical/finish-reason";
import type { PassThrough, ReadUsage, Reshape, UpstreamDialect } from "../dialects/dialect";
import { findLastText, findTopLevelObject, skipSpace } from "../json-splice";
import type { Secrets } from "../secrets";
import { cleanText } from "../upstream-error";
import type { Answer, Report, TextSample, UpstreamHead } from "./answer";
import { BodyCollector } from "./body-collector";
import { emptyRefusal, refusal, unreadableRefusal } from "./refusal";
import { StreamScanner } from "./stream-scanner";
import { measureText, WrittenText } from "./text-length";

const ERROR_KEY = Buffer.from('"error"');

export type PassThroughSettings = {
  dialect: UpstreamDialect;
  /** The client did not ask for usage in the stream, the gateway did: remove frames that contain nothing else. */
  withholdUsage: boolean;
  readUsage: ReadUsage;
  /** Rewrites the response as the channel's setting asks; null = bytes pass through unchanged. */
  reshape: Reshape | null;
  secrets: Secrets;
};

/** For an upstream that speaks the client's dialect: bytes pass through, and a scanner looks for usage, finish reason and end. */
export class PassThroughAnswer implements Answer {
  contentType = "application/json";
  private readonly settings: PassThroughSettings;
  private status = 0;
  private retryAfter: string | undefined;
  private body: BodyCollector | null = null;
  private scanner: StreamScanner | null = null;
  private reader: ReturnType<PassThrough["lineReader"]> | null = null;
  private whole: Buffer | null = null;
  private hasPassed = false;

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

  start({ status, contentType, retryAfter }: UpstreamHead): void {
    const { dialect, withholdUsage, readUsage } = this.settings;
    this.status = status;
    this.retryAfter = retryAfter;
    const isStream = status < 300 && contentType?.includes("text/event-stream") === true;
    if (isStream) {
      this.contentType = "text/event-stream";
      this.reader = dialect.passThrough.lineReader({ withholdUsage, readUsage });
      this.scanner = new StreamScanner(dialect.passThrough, this.reader);
    } else {
      this.contentType = contentType ?? "application/json";
      this.body = new BodyCollector(status > 299);
    }
  }

  push(bytes: Buffer): Buffer | null {
    if (this.scanner) {
      const ready = this.scanner.push(bytes);
      return ready === null ? null : this.pass(ready);
    }
    this.body?.push(bytes);
    return null;
  }

  end(): Buffer | null {
    if (this.scanner) {
      const rest = this.scanner.end();
      const last = rest === null ? null : this.pass(rest);
      if (!this.hasPassed) throw emptyRefusal();
      return last;
    }
    const body = this.body?.body() ?? Buffer.alloc(0);
    if (this.status > 299) throw refusal(this.status, body, this.retryAfter);
    if (!isAnswer(body, this.settings.dialect.passThrough.errorBody)) throw unreadableRefusal(body);
    this.whole = body;
    return null;
  }

  private pass(lines: Buffer): Buffer {
    const { dialect, reshape } = this.settings;
    if (!this.hasPassed) {
      const refused = readLeadingError(lines, dialect.passThrough.leadingError);
      if (refused) throw refusal(500, refused);
      this.hasPassed = true;
    }
    const shown = this.withoutSecrets(lines);
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
    const body = this.withoutSecrets(this.whole ?? Buffer.alloc(0));
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
    return reportWhole(this.settings, this.whole ?? Buffer.alloc(0));
  }
}

function reportStream(
  { dialect }: PassThroughSettings,
  scanner: StreamScanner,
  reader: ReturnType<PassThrough["lineReader"]>,
): Report {
  return {
    usage: reader.usage(),
    finishReason: reader.finishReason(),
    isComplete: scanner.isDone,
    ...readTier(scanner.sample().frames),
    textBytes: () => scanner.written.bytes,
    textLength: () => scanner.textLength(),
    sample(): TextSample {
      const { frames, isAll } = scanner.sample();
      return { countable: framesTexts(frames, dialect), isAll, length: scanner.textLength() };
    },
  };
}

function reportWhole({ dialect, readUsage }: PassThroughSettings, body: Buffer): Report {
  const { passThrough } = dialect;
  return {
    usage: readUsage(findTopLevelObject(body, passThrough.usageKey)),
    finishReason: readFinishReason(body, passThrough),
    isComplete: true,
    ...readTier(body),
    textBytes() {
      const written = new WrittenText();
      written.add(body.toString("latin1"), passThrough.textKeys);
      return written.bytes;
    },
    textLength: () => measureText(body, passThrough.textKeys),
    sample: () => ({
      countable: dialect.answerTexts(parseObject(body.toString("utf8")) ?? {}),
      isAll: true,
      length: measureText(body, passThrough.textKeys),
    }),
  };
}

/** The tiers that cost what the price says; every other one is noted in the log. */
const USUAL_TIERS = new Set(["default", "standard", "auto", "flex", "batch", ""]);

function readTier(answer: Buffer): Pick<Report, "dearTier"> {
  const tier = findLastText(answer, '"service_tier"') ?? "";
  return USUAL_TIERS.has(tier) ? {} : { dearTier: cleanText(tier).slice(0, 32) };
}

function readFinishReason(body: Buffer, passThrough: PassThrough): FinishReason | null {
  const raw = findLastText(body, passThrough.finishReasonKey);
  return raw === undefined ? null : passThrough.readFinishReason(raw);
}

/** The texts in the first frames of an event stream. An incomplete line at the end is ignored. */
function framesTexts(frames: Buffer, dialect: UpstreamDialect) {
  const into = { texts: [] as string[], extra: 0 };
  for (const line of frames.toString("utf8").split("\n")) {
    const frame = line.startsWith("data:") ? parseObject(line.slice(5)) : null;
    if (!frame) continue;
    const { texts, extra } = dialect.frameTexts(frame);
    into.texts.push(...texts);
    into.extra += extra;
  }
  // Text arrives in small pieces. Counting tokens of each piece would give too many, so join them first.
  return { texts: [into.texts.join("")], extra: into.extra };
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

const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const LEADING_BYTES = 64;

/**
 * Whether the body is a JSON object without an error. Checks only the beginning and the end, because parsing would be
 * expensive.
 */
function isAnswer(body: Buffer, errorBody: RegExp): boolean {
  const start = skipSpace(body, 0);
  let last = body.length - 1;
  while (last > start && (body[last] ?? 0) <= SPACE) last -= 1;
  if (body[start] !== OPEN_BRACE || body[last] !== CLOSE_BRACE) return false;
  return !errorBody.test(body.toString("latin1", start, start + LEADING_BYTES));
}

/** Some upstreams respond 200 and report an error in the first frame. Returns that frame's JSON, else null. */
function readLeadingError(bytes: Buffer, leadingError: RegExp): Buffer | null {
  if (!leadingError.test(bytes.toString("latin1", 0, LEADING_BYTES))) return null;
  const line = bytes.subarray(bytes.indexOf(OPEN_BRACE));
  return line.subarray(0, line.indexOf(0x0a) + 1 || line.length);
}
