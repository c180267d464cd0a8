import { boundMeters, boundUsage, type UsageBound } from "@/lib/billing/bound-usage";
import type { BilledUsage } from "@/lib/billing/types";
import { overrideParameters } from "@/lib/param-override";
import type { Report } from "../../answers/answer";
import { MediaAnswer } from "../../answers/media/media-answer";
import { noFacts } from "../../answers/media/media-facts";
import { applyEdits, scanTopLevel } from "../../base/json-splice";
import type { Secrets } from "../../base/secrets";
import type { Form } from "../../http/forms/form";
import { writeForm } from "../../http/forms/write-form";
import type { Serving } from "../../providers/channel-type";
import { unsupportedType } from "../../providers/setup-error";
import { namedParameters } from "../../providers/urls";
import type { Json } from "../../wire/canonical/json";
import type { ObjectReference } from "../../wire/canonical/upstream-object";
import { storedAddressIn } from "../../wire/dialects/common/stored-address";
import { storedIds } from "../../wire/dialects/common/stored-ids";
import type { Call, Encoded, EncodeTarget, Intake, Need, OperationId, Sent } from "../operation";
import { refused } from "../operation";
import type { MediaKind, MediaRequest, MediaSource, UpstreamMedia } from "./media-kind";
import { TranslatedMedia } from "./translated-media";

const NONE: readonly string[] = [];
const NO_REFERENCES: readonly ObjectReference[] = [];
/** The format of callers, and of the upstreams that they are passed through to. */
export const CALLERS_FORMAT = "openai";

/** The fields of a body, those of a form as texts. */
export function jsonOf(source: MediaSource): Json {
  return "json" in source ? source.json : textsOf(source.form);
}

function textsOf({ entries }: Form): Json {
  return Object.fromEntries(
    entries.flatMap((entry) => ("text" in entry ? [[entry.name.replace("[]", ""), entry.text]] : [])),
  );
}

/** A request for pictures, sound or a transcript, as the stages need it. */
export class MediaIntake<Request extends MediaRequest> implements Intake {
  readonly fallbacks = NONE;
  readonly storedAddress: string | null;
  private readonly kind: MediaKind<Request>;
  private readonly call: Call;
  private readonly source: MediaSource;
  private readonly request: Request;
  /** Files that the upstream keeps. */
  readonly references: readonly ObjectReference[];

  constructor(kind: MediaKind<Request>, call: Call, source: MediaSource, request: Request) {
    this.references = "form" in source ? NO_REFERENCES : storedIds(source.json, call.clientDialect.names);
    this.kind = kind;
    this.call = call;
    this.source = source;
    this.storedAddress = storedAddressIn(jsonOf(source));
    this.request = request;
  }

  get operation(): OperationId {
    return this.kind.operation;
  }

  get model(): string {
    return this.request.model;
  }

  get isStream(): boolean {
    return this.request.isStream;
  }

  withModel(model: string): MediaIntake<Request> {
    return new MediaIntake(this.kind, this.call, this.source, this.kind.rename(this.request, model));
  }

  words(): Iterable<string> {
    return this.kind.words(this.request);
  }

  conversation(): null {
    return null;
  }

  get need(): Need {
    return this.kind.need(this.request);
  }

  encode(target: EncodeTarget): Encoded | Promise<Encoded> {
    const { kind } = this;
    const serving = target.row.serves[kind.operation];
    if (!serving) throw unsupportedType(target.channel.type);
    if (serving.format === CALLERS_FORMAT) return this.pass(serving, target);
    const format = kind.formats.get(serving.format);
    if (!format) throw unsupportedType(target.channel.type);
    return this.translate(format, serving, target);
  }

  /** The caller's body, with only the necessary fields changed. */
  private pass(serving: Serving, target: EncodeTarget): Encoded {
    const { call, source, kind, request } = this;
    const { what, contentType } = kind.expects(request);
    return {
      ...("form" in source ? this.formBody(source, serving, target) : this.jsonBody(source, serving, target)),
      path: call.path,
      url: serving.url,
      query: namedParameters(call.query, target.row.parameters),
      headers: NONE,
      ...(what === "document" || request.isStream ? {} : { accept: "*/*" }),
      openAnswer: (secrets: Secrets) => {
        const { isStream } = request;
        const { readFacts, hasAnswer, beginning } = kind;
        return new MediaAnswer({
          expects: what,
          isStream,
          readFacts,
          hasAnswer,
          beginning,
          contentType,
          secrets,
        });
      },
    };
  }

  private edits(json: Json, serving: Serving, { model, isUntouched, options, channel }: EncodeTarget): Json {
    const edits: Json = json.model === model ? {} : { model };
    if (isUntouched) return json.model === undefined ? { model: this.model } : {};
    Object.assign(edits, serving.fix?.(json, model, options));
    return Object.assign(edits, overrideParameters(json, edits, channel.paramOverride));
  }

  private jsonBody(source: { json: Json; bytes: Buffer }, serving: Serving, target: EncodeTarget): { body: Buffer } {
    const { json, bytes } = source;
    const spans = scanTopLevel(bytes);
    const edits = this.edits(json, serving, target);
    // Parsers disagree about duplicate keys and keys with escapes, so such a body is rewritten.
    if (!spans) return { body: Buffer.from(JSON.stringify({ ...json, ...edits })) };
    return { body: applyEdits(bytes, json, spans, edits) };
  }

  private formBody(source: Extract<MediaSource, { form: unknown }>, serving: Serving, target: EncodeTarget) {
    const { form } = source;
    const json = Object.fromEntries(
      form.entries.flatMap((entry) => ("text" in entry ? [[entry.name, entry.text]] : [])),
    );
    const texts = Object.entries(this.edits(json, serving, target)).map(([name, value]) => [name, textOf(value)]);
    return writeForm(form.withTexts(Object.fromEntries(texts) as Record<string, string | undefined>));
  }

  private async translate(format: UpstreamMedia<Request>, serving: Serving, target: EncodeTarget): Promise<Encoded> {
    const { call, request } = this;
    try {
      const encoded = await format.encode(request, target.model);
      return {
        ...encoded,
        url: serving.url,
        query: "",
        headers: encoded.headers ?? NONE,
        isStreamed: false,
        ...(format.pending ? { pending: format.pending } : {}),
        openAnswer: () => new TranslatedMedia(format, request),
      };
    } catch (error) {
      throw refused(error, call);
    }
  }

  async measure(report: Report | null, sent: Sent | null): Promise<BilledUsage> {
    const { kind, request } = this;
    const told = report?.media ?? null;
    const facts = sent?.hasLeft ? { ...(told ?? noFacts()), pictures: this.picturesAsked() } : told;
    const measured = await kind.measure(request, facts);
    if (!sent) return measured;
    const bound = this.bound();
    const within = facts?.usage ? boundUsage(measured, bound) : measured;
    return boundMeters(within, this.need.meters ?? [], bound);
  }

  /** An upstream begins all of them at once. */
  private picturesAsked(): number {
    return this.need.meters?.find(({ meter }) => meter === "picture")?.quantity ?? 0;
  }

  /** What usage is believed up to: what was reserved, but for the prompt a token for every byte and what upstreams add. */
  private bound(): UsageBound {
    const { prompt, completionTokensMax } = this.need;
    const bytes = [...this.words()].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const promptTokens = prompt.promptTokens + prompt.audioPromptTokens;
    return {
      promptTokens: promptTokens && promptTokens + Math.ceil(bytes / 2) + ADDED,
      completionTokens: completionTokensMax ?? 0,
    };
  }

  measureSoFar({ media }: Report): Pick<BilledUsage, "promptTokens" | "completionTokens" | "meters"> {
    const { kind, request } = this;
    const meters = media ? kind.metersSoFar?.(request, media) : undefined;
    return { promptTokens: this.need.prompt.promptTokens, completionTokens: 0, ...(meters?.length ? { meters } : {}) };
  }
}

/** Tokens that an upstream may add to a prompt. */
const ADDED = 4_096;

/** A field of a form; undefined = it is left out. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
