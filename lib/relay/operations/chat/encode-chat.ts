import { workerOf } from "@/lib/egress/worker";
import { rulesOf } from "@/lib/model-rules/rules-of";
import type { Rules } from "@/lib/model-rules/schema";
import { overrideParameters } from "@/lib/param-override";
import { providerOf } from "@/lib/provider-catalogue/channel-type-ids";
import { BackgroundAnswer } from "../../answers/background";
import { responseOfEvents } from "../../answers/events-as-whole";
import { PassThroughAnswer } from "../../answers/pass-through";
import { TranslateAnswer } from "../../answers/translate";
import { applyEdits } from "../../base/json-splice";
import { RelayError } from "../../base/relay-error";
import { allowedToolsEdits, chatMessageEdits } from "../../providers/fixes/chat-messages";
import { betasIn, cloudEdits, cloudHeaders } from "../../providers/fixes/claude-clouds";
import { imageFetcher, inlineImages } from "../../providers/requests/inline-images";
import { withReadableFiles, withReadableParts } from "../../providers/requests/readable-files";
import { servesResponses } from "../../providers/serves-responses";
import { ChannelSetupError, unsupportedType } from "../../providers/setup-error";
import { namedParameters } from "../../providers/urls";
import { type Json, readObject, readText } from "../../wire/canonical/json";
import { orNothing } from "../../wire/canonical/nothing-used";
import type { ChatRequest } from "../../wire/canonical/request";
import { dialects, upstreamFormats } from "../../wire/dialects";
import { withoutExtras } from "../../wire/dialects/common/extras";
import { withoutDearItems } from "../../wire/dialects/common/option-rule";
import { sendableRequest } from "../../wire/dialects/common/sendable-request";
import { withSystemPrompt } from "../../wire/dialects/common/system-prompt";
import type {
  Edits,
  RenderContext,
  UpstreamDialect,
  UpstreamFormat,
  UpstreamTarget,
} from "../../wire/dialects/dialect";
import { encodeHistory } from "../../wire/dialects/pictures/answer-pictures";
import { withPicturesShown } from "../../wire/dialects/pictures/pictures-in-history";
import type { Call, Encoded, EncodeTarget } from "../operation";
import { refused } from "../operation";
import type { ChatSource } from "./chat-source";
import { renameTools } from "./tool-names";

const RESPONSES = "openai-responses";
const MESSAGES = dialects.get("anthropic-messages")?.upstream;
const CHAT = dialects.get("openai-chat")?.upstream;
/** Formats with the fields of Anthropic's requests. */
const CLAUDES: ReadonlySet<UpstreamFormat | undefined> = new Set([MESSAGES, upstreamFormats.get("bedrock-invoke")]);
const FORMAT_IDS: ReadonlyMap<UpstreamFormat, string> = new Map([...upstreamFormats].map(([id, one]) => [one, id]));

/**
 * Encodes the request for this channel: edits the bytes in place when the upstream speaks the client's dialect, else
 * translates.
 */
export function encodeChat(source: ChatSource, target: EncodeTarget): Encoded | Promise<Encoded> {
  const format = formatOf(source, target);
  const own = source.dialect.upstream;
  const isSame = format === own;
  if (isSame && (target.isUntouched || !target.row.quirks.inlineImages)) return encodeSame(source, own, target);
  if (!target.row.quirks.inlineImages) return translate(source, format, target);
  return withPictures(source, format, target);
}

/** For an upstream of the client's format: the bytes with only the necessary keys changed, or none. */
export function encodeSame(source: ChatSource, own: UpstreamDialect, target: EncodeTarget): Encoded {
  const shown = withPicturesOf(source);
  return target.isUntouched ? untouched(shown, own, target) : edit(shown, own, target);
}

/** With pictures that the model made as pictures: as text they would cost hundreds of thousands of tokens, which nothing was reserved for. */
function withPicturesOf(source: ChatSource): ChatSource {
  return source.facts.attachments.hasDrawn
    ? source.withJson(withPicturesShown(source.json, source.dialect.id))
    : source;
}

/** With files as an upstream of the caller's own format can read them. */
function withFiles(source: ChatSource, target: EncodeTarget): ChatSource {
  if (source.facts.attachments.encodedBytes === 0) return source;
  try {
    const json = withReadableParts(source.json, source.dialect.id, rulesAt(target, target.model));
    return json === source.json ? source : source.withJson(json);
  } catch (error) {
    throw refused(error, source.call);
  }
}

/** The wire format that the channel's upstream is asked in. Throws ChannelSetupError. */
export function formatOf(source: ChatSource, target: EncodeTarget): UpstreamFormat {
  const { channel, row, model } = target;
  const { speaksResponses } = row.quirks;
  const isBest =
    speaksResponses &&
    servesResponses(channel) &&
    (source.dialect.id === RESPONSES ||
      speaksResponses.only?.(model, source.json, source.facts, rulesAt(target, model)));
  const usual = typeof row.dialect === "function" ? row.dialect(model, channel.baseUrl || row.baseUrl) : row.dialect;
  const id = isBest ? RESPONSES : usual;
  const format = id === null ? undefined : upstreamFormats.get(id);
  if (row.retired !== undefined) throw new ChannelSetupError(row.retired, "invalid_api_type");
  if (!format) throw unsupportedType(channel.type);
  return format;
}

/** What is known of the model at this provider. */
export function rulesAt({ row, options }: EncodeTarget, model: string): Rules {
  return rulesOf(model, providerOf(row.id), options["models.rules"]);
}

function upstreamTarget(target: EncodeTarget): UpstreamTarget {
  const { channel, row, model, options } = target;
  const { systemPrompt: text, systemPromptOverride: isForced } = channel.setting;
  return {
    model,
    canReportStreamUsage: row.quirks.reportsStreamUsage === true,
    systemPrompt: { text, isForced },
    rules: rulesAt(target, model),
    other: channel.other,
    maxTokens: options["claude.default_max_tokens"],
    safety: options["gemini.safety_settings"],
  };
}

/** The client's bytes, unless the reservation pays for less than they ask for. */
function untouched(source: ChatSource, dialect: UpstreamDialect, target: EncodeTarget): Encoded {
  const edits = { ...capOf(source.json, dialect, target, source.model) };
  // The path names the model that is paid for; some upstreams obey the body instead.
  if (source.call.clientDialect.pathWithModel && source.json.model !== undefined)
    edits.model = `models/${source.model}`;
  const body = applyEdits(source.body, source.json, source.spans, edits);
  return passThrough(source, dialect, target, body, false);
}

/** What keeps the answer within the reservation; {} = it is already. `json`: the body as the upstream would get it. */
function capOf(json: Readonly<Json>, dialect: UpstreamFormat, target: EncodeTarget, model: string): Edits {
  const { cap } = target;
  if (!cap) return {};
  // Nobody follows an answer in the background, so that its limit must be said.
  const asked = dialect.readCompletionMax(json) ?? (json.background === true ? Number.POSITIVE_INFINITY : cap.ofModel);
  const edits = asked <= cap.perChoice ? {} : dialect.capEdits(json, cap.perChoice, rulesAt(target, model));
  return cap.calls === undefined ? edits : { ...edits, ...callsOf(json, dialect, cap.calls) };
}

/** Throws ChannelSetupError where the upstream cannot be told how often its tools may be called; another one may. */
function callsOf(json: Readonly<Json>, { callEdits }: UpstreamFormat, calls: number): Edits {
  if (callEdits) return callEdits(json, calls);
  const message = `the account's balance pays for ${calls} calls of tools that run at the upstream, and no field limits them there`;
  const refusal = new RelayError("insufficient_quota", message, { param: "tools" });
  throw new ChannelSetupError(message, "insufficient_quota", refusal);
}

/** The client's bytes, with only the necessary keys changed. */
function edit(given: ChatSource, dialect: UpstreamDialect, target: EncodeTarget): Encoded {
  const source = withFiles(given, target);
  const { json, facts } = source;
  const edits = dialect.passEdits(json, facts, upstreamTarget(target));
  Object.assign(edits, ownEdits(source, json, edits, dialect, target));
  const body = applyEdits(source.body, json, source.spans, edits);
  return passThrough(source, dialect, target, body, facts.isStream && !dialect.asksForUsage(json));
}

/** The row's fixes for this upstream, the operator's parameter override, then the cap. Each sees the edits before it. */
function ownEdits(
  { call, dialect: { upstream: own } }: Pick<ChatSource, "call" | "dialect">,
  json: Readonly<Json>,
  before: Edits,
  dialect: UpstreamFormat,
  target: EncodeTarget,
): Edits {
  const { channel, row, model, options } = target;
  const { fix, claudeCloud } = row.quirks;
  const isPrompted = channel.setting.systemPrompt !== "";
  const place = { channel, row, rules: rulesAt(target, model) };
  const edits = dialect === CHAT && json.tool_choice !== undefined ? allowedToolsEdits(json, place) : {};
  const isChanged = isPrompted || edits.tools !== undefined;
  if (fix)
    Object.assign(edits, fix(isChanged ? { ...json, ...(isPrompted ? before : {}), ...edits } : json, model, options));
  if (dialect === CHAT) {
    Object.assign(edits, chatMessageEdits(edits.messages ?? before.messages ?? json.messages, place));
  } else if (claudeCloud && CLAUDES.has(dialect)) {
    const betas = own === MESSAGES ? betasIn(forwardedHeaders(call, own), model, claudeCloud) : [];
    Object.assign(edits, cloudEdits({ ...json, ...before, ...edits }, betas, model, claudeCloud));
  }
  if (!isEmpty(channel.paramOverride))
    Object.assign(edits, overrideParameters(json, { ...before, ...edits }, channel.paramOverride));
  if (!target.cap) return edits;
  // Few requests are changed, and a copy of a body is dear.
  const given = isEmpty(before) && isEmpty(edits) ? json : { ...json, ...before, ...edits };
  return Object.assign(edits, capOf(given, dialect, target, readText(given.model)));
}

function isEmpty(fields: Readonly<Json>): boolean {
  for (const _ in fields) return false;
  return true;
}

function passThrough(
  source: ChatSource,
  dialect: UpstreamDialect,
  { channel, row, model: upstreamModel, isUntouched }: EncodeTarget,
  body: Buffer,
  withholdUsage: boolean,
): Encoded {
  const { call, isStream, model, facts, json } = source;
  const readUsage = orNothing(dialect.readUsage);
  const asWhole = (events: Buffer): Buffer => {
    const response = responseOfEvents(events, dialect, readUsage);
    return Buffer.from(JSON.stringify(source.dialect.client.renderResponse(response, renderContext(source))));
  };
  const hasTools = json.tools !== undefined || json.functions !== undefined;
  const forwarded = forwardedHeaders(call, dialect);
  const cloud = isUntouched ? undefined : row.quirks.claudeCloud;
  return {
    // One of the many ways to write it, because addresses are remembered by path.
    path: call.clientDialect.pathWithModel?.(call.path, model) ?? call.path,
    query: namedParameters(call.query, row.parameters),
    headers: cloud ? cloudHeaders(forwarded, upstreamModel, cloud) : forwarded,
    body,
    pictureBytes: facts.attachments.pictureBytes,
    openAnswer: (secrets) => {
      if (facts.isBackground) return new BackgroundAnswer(isStream ? "events" : "json", secrets, dialect);
      const reshape = dialect.createReshape?.(channel.setting) ?? null;
      const settings = { dialect, isStream, hasTools, withholdUsage, readUsage, reshape, secrets, asWhole };
      return new PassThroughAnswer(settings);
    },
  };
}

export function forwardedHeaders(
  { headers, clientDialect, allowedOptions }: Pick<Call, "headers" | "clientDialect" | "allowedOptions">,
  dialect: UpstreamDialect,
): string[] {
  if (dialect.forwardedHeaders.length === 0) return [];
  return dialect.forwardedHeaders.flatMap((name) => {
    const given = headers[name];
    const value = typeof given === "string" ? withoutDearItems(clientDialect.options, name, given, allowedOptions) : "";
    return value === "" ? [] : [name, value];
  });
}

/** For upstreams that cannot fetch images. */
async function withPictures(source: ChatSource, format: UpstreamFormat, target: EncodeTarget): Promise<Encoded> {
  const own = source.dialect.upstream;
  const urls = own.imageUrls(source.json);
  const fetchOne = imageFetcher(workerOf(target.options));
  const json =
    urls.length === 0 ? source.json : own.withImages(source.json, await inlineImages(urls, fetchOne, target.exchange));
  if (format === own) return edit(withPicturesOf(json === source.json ? source : source.withJson(json)), own, target);
  const { call, dialect, facts, isStream, model } = source;
  return translate({ call, dialect, facts, isStream, model, json }, format, target);
}

function unixSeconds(): number {
  return Math.floor(Date.now() / 1_000);
}

/** A request without its bytes, which a translation does not need. */
type Translated = Pick<ChatSource, "call" | "dialect" | "facts" | "isStream" | "model" | "json">;

export function renderContext({ call, model, json, dialect }: Translated): RenderContext {
  const wantsUsage = dialect.upstream.asksForUsage(json);
  return { requestId: call.requestId, model, wantsUsage, createdAt: unixSeconds(), now: unixSeconds, request: json };
}

export function translate(source: Translated, format: UpstreamFormat, target: EncodeTarget): Encoded {
  const { call, dialect: own } = source;
  const { client } = own;
  const forUpstream = upstreamTarget(target);
  const isStreamed = source.isStream || format.hasNoLimit === true;
  let body: Json;
  let answered = format;
  let pictures: ReadonlySet<string> = NO_PICTURES;
  try {
    const request = { ...client.decode(source.json, call.path), isStream: isStreamed };
    const id = FORMAT_IDS.get(format) ?? "";
    const given = withReadableFiles(request, id, rulesAt(target, target.model));
    const asked = format.passEdits ? given : withSystemPrompt(given, forUpstream.systemPrompt);
    const sendable = sendableRequest(withoutExtras(asked, format.canBeAsked));
    const renamed = renameTools(sendable, format, id);
    answered = renamed.format;
    const encode = (given: ChatRequest): Json => format.encode(given, forUpstream);
    body = format.takesModelPictures ? encode(renamed.request) : encodeHistory(renamed.request, encode);
    if (source.facts.attachments.tokens > 0) pictures = picturesOf(request);
  } catch (error) {
    throw refused(error, call);
  }
  const edits = format.passEdits?.(body, source.facts, forUpstream) ?? {};
  Object.assign(edits, ownEdits(source, body, edits, format, target));
  const sent = { ...body, ...edits };
  return {
    path: typeof format.path === "string" ? format.path : format.path(target.model, isStreamed),
    query: "",
    isStreamed,
    hasNoLimit: format.hasNoLimit === true,
    headers: [...(format.headers?.(isStreamed) ?? [])],
    ...bodyOf(sent, format, pictures),
    openAnswer: () =>
      new TranslateAnswer({
        upstream: answered,
        clientDialect: client,
        context: renderContext(source),
        isStream: source.isStream,
        readUsage: orNothing(format.readUsage),
      }),
  };
}

const NOTHING = Buffer.alloc(0);

type EncodedBody = Pick<Encoded, "body" | "pictureBytes" | "uploads">;

function bodyOf(json: Json, { uploads }: UpstreamFormat, pictures: ReadonlySet<string>): EncodedBody {
  const files = uploads?.pending(json) ?? [];
  if (!uploads || files.length === 0) {
    const pictureBytes = pictures.size === 0 ? 0 : bytesOfPictures(json, pictures);
    return { body: Buffer.from(JSON.stringify(json)), pictureBytes };
  }
  // The body that is sent has ids in place of them.
  const { path, readId } = uploads;
  const bodyWith = (ids: ReadonlyMap<string, string>) => Buffer.from(JSON.stringify(uploads.withIds(json, ids)));
  return { body: NOTHING, uploads: { path, files, form: uploads.form(json), readId, bodyWith } };
}

const NO_PICTURES: ReadonlySet<string> = new Set();

/** The base64 of the pictures that a request has with it. */
function picturesOf(value: unknown, into = new Set<string>()): ReadonlySet<string> {
  if (Array.isArray(value)) for (const item of value) picturesOf(item, into);
  else if (typeof value === "object" && value !== null) {
    const { type, source } = readObject(value);
    const data = type === "image" ? readText(readObject(source).data) : "";
    if (data !== "") into.add(data);
    else for (const item of Object.values(value)) picturesOf(item, into);
  }
  return into;
}

/** What upstreams call a field that a picture is in. Words that are equal to it are in others. */
const PICTURE_FIELD = /^(url|image_?url|images?|data|bytes)$/i;

/** The bytes that these pictures take in a body. A translation may have left some out. */
function bytesOfPictures(value: unknown, pictures: ReadonlySet<string>, name = ""): number {
  if (typeof value === "string") {
    const isPicture =
      PICTURE_FIELD.test(name) && pictures.has(value.slice(value.startsWith("data:") ? value.indexOf(",") + 1 : 0));
    return isPicture ? value.length : 0;
  }
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + bytesOfPictures(item, pictures, name), 0);
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, item]) => sum + bytesOfPictures(item, pictures, key), 0);
}
