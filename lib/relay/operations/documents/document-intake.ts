import { boundMeter, boundUsage, rejectedUsage, type UsageBound } from "@/lib/billing/bound-usage";
import type { BilledUsage } from "@/lib/billing/types";
import type { MeterUsage } from "@/lib/meters";
import { overrideParameters } from "@/lib/param-override";
import type { Report } from "../../answers/answer";
import { WHOLE_BYTES_MAX } from "../../answers/body-collector";
import { applyEdits, type Span, scanTopLevel } from "../../base/json-splice";
import { countTokens } from "../../base/tokens/count-tokens";
import type { Serving } from "../../providers/channel-type";
import { unsupportedType } from "../../providers/setup-error";
import { namedParameters } from "../../providers/urls";
import type { Json } from "../../wire/canonical/json";
import type { ObjectReference } from "../../wire/canonical/upstream-object";
import { storedAddressIn } from "../../wire/dialects/common/stored-address";
import type { Call, Encoded, EncodeTarget, Intake, Need, OperationId, Sent } from "../operation";
import { refused } from "../operation";
import { DocumentAnswer, passing, translating } from "./document-answer";
import type { CallerDocument, DocumentKind, DocumentRequest, UpstreamDocument } from "./document-format";

/** Tokens that an upstream may add to each text, and to the whole. */
const ADDED_PER_TEXT = 32;
const ADDED = 4_096;

/** Models with the encoding that the gateway counts with. Other encodings have up to so many times as many tokens of common text. */
const COUNTED_ALIKE = /(^|\/)(text-embedding-|omni-moderation|text-moderation)/;
const OTHERS_COUNT = 1.5;
/** Tokens that upstreams add to a text. */
const ADDED_COUNTED = 8;
const BYTES_PER_TOKEN = 2;
const NONE: readonly string[] = [];

type Read<Request extends DocumentRequest, Result> = {
  kind: DocumentKind<Request, Result>;
  document: CallerDocument<Request, Result>;
  call: Call;
  json: Json;
  request: Request;
  /** Files that the upstream keeps. */
  references: readonly ObjectReference[];
};

/** A request that is answered with one document, as the stages need it. */
export class DocumentIntake<Request extends DocumentRequest, Result> implements Intake {
  readonly isStream = false;
  readonly fallbacks = NONE;
  readonly storedAddress: string | null;
  private readonly read: Read<Request, Result>;
  private readonly body: Buffer;
  private readonly spans: Map<string, Span>;

  /** `bytes`: the body as received; null = written anew. */
  constructor(read: Read<Request, Result>, bytes: Buffer | null) {
    this.read = read;
    this.storedAddress = storedAddressIn(read.json);
    const scanned = bytes && scanTopLevel(bytes);
    // Parsers disagree about duplicate keys and keys with escapes, so such a body is rewritten.
    this.body = bytes && scanned ? bytes : Buffer.from(JSON.stringify(read.json));
    this.spans = scanned ?? scanTopLevel(this.body) ?? new Map();
  }

  get json(): Readonly<Json> {
    return this.read.json;
  }

  get operation(): OperationId {
    return this.read.kind.operation;
  }

  get references(): readonly ObjectReference[] {
    return this.read.references;
  }

  get model(): string {
    return this.read.request.model;
  }

  withModel(model: string): DocumentIntake<Request, Result> {
    const { document, json, request } = this.read;
    const renamed = { ...json, ...document.rename(json, model) };
    return new DocumentIntake({ ...this.read, json: renamed, request: { ...request, model } }, null);
  }

  words(): Iterable<string> {
    return this.read.kind.words(this.read.request);
  }

  get answerBytes(): number {
    const { kind, request } = this.read;
    return Math.min(kind.answerBytes?.(request) ?? 0, WHOLE_BYTES_MAX);
  }

  conversation(): null {
    return null;
  }

  get need(): Need {
    const { readings, tokens } = this.read.kind.readings(this.read.request);
    const bytes = readings.reduce((sum, { texts, times }) => sum + times * lengthOf(texts), 0);
    const promptTokens = Math.max(1, Math.ceil(bytes / BYTES_PER_TOKEN) + tokens);
    const meters = this.metersFor((text) => Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN));
    return {
      prompt: { promptTokens, audioPromptTokens: 0, writesAudio: false, isUncached: true },
      ...(meters ? { meters } : {}),
      completionTokensMax: 0,
      choices: 1,
      asksToThink: false,
    };
  }

  /** A token for two bytes is over twice what plain text has, so small balances and budgets get the counted need instead. */
  async countedNeed(): Promise<Need> {
    const { need } = this;
    const { promptTokens, meters = [] } = await this.count();
    const slack = COUNTED_ALIKE.test(this.model) ? 1 : OTHERS_COUNT;
    const most = Math.ceil(promptTokens * slack) + ADDED_COUNTED;
    if (most >= need.prompt.promptTokens) return need;
    const counted = meters.length === 0 ? {} : { meters: need.meters ?? meters };
    return { ...need, prompt: { ...need.prompt, promptTokens: most }, ...counted };
  }

  encode(target: EncodeTarget): Encoded {
    const { kind, document } = this.read;
    const serving = target.row.serves[kind.operation];
    const upstream = serving && kind.formats.get(serving.format);
    if (!serving || !upstream) throw unsupportedType(target.channel.type);
    const isSame = serving.format === document.format;
    return isSame ? this.pass(upstream, serving, target) : this.translate(upstream, serving, target);
  }

  /** The caller's bytes, with only the necessary keys changed. */
  private pass(upstream: UpstreamDocument<Request, Result>, serving: Serving, target: EncodeTarget): Encoded {
    const { document, call, json, request } = this.read;
    const { channel, model, isUntouched, options } = target;
    const edits = isUntouched || model === request.model ? {} : document.rename(json, model);
    if (!isUntouched) {
      Object.assign(edits, serving.fix?.(json, model, options));
      Object.assign(edits, overrideParameters(json, edits, channel.paramOverride));
    }
    return {
      path: document.path(call),
      url: serving.url,
      query: namedParameters(call.query, target.row.parameters),
      headers: NONE,
      body: applyEdits(this.body, json, this.spans, edits),
      openAnswer: (secrets) => {
        const { scan } = document;
        if (scan) return new DocumentAnswer(passing(document, upstream, request, secrets, scan));
        return new DocumentAnswer(translating(document, upstream, request, { requestId: call.requestId }));
      },
    };
  }

  private translate(upstream: UpstreamDocument<Request, Result>, serving: Serving, target: EncodeTarget): Encoded {
    const { document, call, request } = this.read;
    const { channel, model, options } = target;
    let json: Json;
    try {
      json = upstream.encode(request, model);
    } catch (error) {
      throw refused(error, call);
    }
    const edits = { ...serving.fix?.(json, model, options) };
    Object.assign(edits, overrideParameters(json, edits, channel.paramOverride));
    const context = { requestId: call.requestId };
    return {
      path: typeof upstream.path === "string" ? upstream.path : upstream.path(model),
      url: serving.url,
      query: "",
      headers: NONE,
      body: Buffer.from(JSON.stringify({ ...json, ...edits })),
      openAnswer: () => new DocumentAnswer(translating(document, upstream, request, context)),
    };
  }

  measure(report: Report | null, sent: Sent | null): BilledUsage | Promise<BilledUsage> {
    const { usage = null, meters } = report ?? {};
    const bounds = sent && this.bounds();
    if (!usage) return this.count().then((counted) => this.withReported(counted, meters, bounds));
    const counts = billed(usage.promptTokens, usage.completionTokens, false);
    const tokens = bounds ? boundUsage(counts, bounds.tokens) : counts;
    return this.withReported(this.withMeters(tokens), meters, bounds);
  }

  /** What the request can have caused: a token of text is at least one byte of it, and there is no answer in tokens. */
  private bounds(): Bounds {
    const { readings, tokens } = this.read.kind.readings(this.read.request);
    const promptTokens = readings.reduce(
      (sum, { texts, times }) => sum + times * (lengthOf(texts) + ADDED_PER_TEXT * texts.length),
      ADDED + tokens,
    );
    const meters = this.metersFor((text) => Buffer.byteLength(text) + ADDED_PER_TEXT) ?? [];
    return { tokens: { promptTokens, completionTokens: 0 }, meters };
  }

  /** The meters that the upstream reported, each up to its bound. */
  private withReported(
    usage: BilledUsage,
    meters: readonly MeterUsage[] | undefined,
    bounds: Bounds | null,
  ): BilledUsage {
    if (!meters) return usage;
    const reported: BilledUsage = { ...(usage.rejected?.reported ?? usage), meters, areMetersReported: true };
    const within = bounds ? meters.map((one) => boundMeter(one, bounds.meters)) : meters;
    const isTrue = within.every((one, at) => one === meters[at]);
    const charged: BilledUsage = { ...usage, meters: within, areMetersReported: true };
    if (!bounds || (isTrue && !usage.rejected)) return charged;
    return { ...charged, estimated: true, rejected: { ...rejectedUsage(reported, bounds.tokens), meters } };
  }

  private async count(): Promise<BilledUsage> {
    const { readings, tokens } = this.read.kind.readings(this.read.request);
    const counts = readings.map(async ({ texts, times }) => times * (await countTokens(texts, this.model)));
    const counted = (await Promise.all(counts)).reduce((sum, one) => sum + one, tokens);
    // What was answered had a prompt, also where that was a space.
    return this.withMeters(billed(Math.max(1, counted), 0, true));
  }

  /** Meters by lengths, if all texts have as many tokens for a byte. */
  private withMeters(usage: BilledUsage): BilledUsage {
    const { readings, tokens } = this.read.kind.readings(this.read.request);
    const bytes = readings.reduce((sum, { texts, times }) => sum + times * lengthOf(texts), 0);
    const rate = Math.max(0, usage.promptTokens - tokens) / Math.max(1, bytes);
    const meters = this.metersFor((text) => Buffer.byteLength(text) * rate);
    return meters ? { ...usage, meters } : usage;
  }

  private metersFor(tokensOf: (text: string) => number): readonly MeterUsage[] | undefined {
    const { kind, request } = this.read;
    return kind.meters?.(request, tokensOf);
  }

  measureSoFar(): Pick<BilledUsage, "promptTokens" | "completionTokens"> {
    return { promptTokens: this.need.prompt.promptTokens, completionTokens: 0 };
  }
}

type Bounds = { tokens: UsageBound; meters: readonly MeterUsage[] };

function lengthOf(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function billed(promptTokens: number, completionTokens: number, estimated: boolean): BilledUsage {
  return {
    promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    audioPromptTokens: 0,
    audioCompletionTokens: 0,
    estimated,
  };
}
