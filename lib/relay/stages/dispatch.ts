import type { SnapshotChannel, SnapshotKey } from "@/lib/snapshot/store";
import { type Attempt, describeAttempt } from "../attempts";
import { type AttemptFailure, classifyFailure, type Verdict } from "../classify-failure";
import type { CoolDowns } from "../cool-downs";
import type { Exchange } from "../exchange";
import { skipSpace } from "../json-splice";
import type { KeyRotation } from "../key-rotation";
import { chooseChannel } from "../plan/choose-channel";
import { RelayError, type WireError } from "../relay-error";
import { type AttemptEnd, runAttempt } from "../transport/attempt";
import type { Connections } from "../transport/connections";
import type { FrameScanner } from "../transport/frame-scanner";
import type { Pools } from "../transport/pools";
import { cleanText, readUpstreamError } from "../upstream-error";
import { hasRemoteImages, inlineImages } from "../upstreams/inline-images";
import { ChannelSetupError, prepareRequest, type UpstreamRequest } from "../upstreams/prepare-request";
import { providers } from "../upstreams/providers";
import type { ChatRequest } from "./parse-chat";
import type { Route } from "./route";

/** What came of a request at the upstreams. */
export type Delivery = {
  /** The channels that were asked, in order. */
  used: SnapshotChannel[];
  /** The tries one by one when there was more than one, or none succeeded; null = the first try did. */
  attempts: Attempt[] | null;
  upstream: UpstreamRequest | null;
} & (
  | { outcome: "whole"; contentType: string; body: Buffer }
  | { outcome: "streamed"; scanner: FrameScanner; firstTokenMs: number }
  | { outcome: "cut"; scanner: FrameScanner; firstTokenMs: number }
  | { outcome: "gone"; wasSent: boolean; scanner: FrameScanner | null; firstTokenMs: number | null }
  | { outcome: "failed"; reply: { status: number; error: WireError } }
);

/** Some of it, or all, reached the caller, or the caller left. */
export type Answered = Exclude<Delivery, { outcome: "failed" }>;

export type DispatchSettings = {
  exchange: Exchange;
  chat: ChatRequest;
  route: Route;
  path: string;
  query: string;
  pools: Pools;
  coolDowns: CoolDowns;
  keyRotation: KeyRotation;
  random: () => number;
  retryTimes: number;
  /** Bodies go out as they came, whatever the channel says. */
  passThrough: boolean;
  disable: { isEnabled: boolean; keywords: readonly string[] };
  /** `keyId` names the key that is at fault where the channel has several. */
  onDisable: (channel: SnapshotChannel, keyId: number | null, reason: string) => void;
};

type Prepared = { upstream: UpstreamRequest; pool: Connections } | { setup: ChannelSetupError };
type Try = { channel: SnapshotChannel; key: SnapshotKey | null; startMs: number };

/** How long a key that was refused is not asked; meanwhile every process hears that it was switched off, if it was. */
const REFUSED_KEY_REST_MS = 30_000;
/** Answers that are about one key rather than about the upstream. */
const KEY_STATUSES = new Set([401, 403, 429]);

/** Asks channel after channel until one answers, the attempts are used up, or something was sent to the caller. */
export async function dispatch(settings: DispatchSettings): Promise<Delivery> {
  const { route, coolDowns, random, exchange, chat } = settings;
  const used: SnapshotChannel[] = [];
  const tried = new Set<number>();
  let attempts: Attempt[] | null = null;
  let reply: Verdict["reply"] | null = null;
  for (let attempt = 0; attempt <= settings.retryTimes; attempt++) {
    const { isCoolingDown } = coolDowns;
    const channel = chooseChannel({ tiers: route.tiers, attempt, tried, isCoolingDown, random });
    if (!channel) break;
    used.push(channel);
    const key = channel.keys === null ? null : settings.keyRotation.next(channel, random);
    const startMs = exchange.elapsedMs();
    const preparing = prepare(settings, channel, key);
    const prepared = preparing instanceof Promise ? await preparing : preparing;
    let failure: AttemptFailure;
    if ("setup" in prepared) failure = { kind: "setup", message: prepared.setup.message };
    else {
      const { upstream, pool } = prepared;
      const end = await runAttempt({ pool, request: upstream, exchange, isStream: chat.isStream });
      const delivery = readDelivery(end, upstream, used);
      if (delivery) {
        // Most requests succeed at once: nothing is noted, nothing allocated for it.
        if (attempts) delivery.attempts = [...attempts, note(settings, { channel, key, startMs }, endOf(delivery))];
        return delivery;
      }
      failure = readFailure(end);
    }
    const current: Try = { channel, key, startMs };
    attempts ??= [];
    attempts.push(note(settings, current, describeAttempt(failure)));
    const verdict = judge(settings, current, failure);
    // What was the key's fault another key of the same channel may make good.
    if (!verdict.hasOtherKeys) tried.add(channel.id);
    reply = verdict.reply;
    if (!verdict.retry) break;
  }
  const fallback = {
    message: "no available channel",
    type: "new_api_error",
    param: null,
    code: "no_available_channel",
  };
  return { outcome: "failed", used, attempts, upstream: null, reply: reply ?? { status: 503, error: fallback } };
}

function note({ exchange }: DispatchSettings, { channel, key, startMs }: Try, end: AttemptNote): Attempt {
  return {
    channel: channel.id,
    ...(key ? { key: key.id } : {}),
    start_ms: startMs,
    ms: exchange.elapsedMs() - startMs,
    ...end,
  };
}

type AttemptNote = Pick<Attempt, "outcome" | "status" | "message">;

function endOf({ outcome }: Delivery): AttemptNote {
  if (outcome === "cut" || outcome === "gone") return { outcome };
  return { outcome: "ok", status: 200 };
}

/** What to send where for a try on a channel; by a promise where pictures have to be fetched first. */
function prepare(
  settings: DispatchSettings,
  channel: SnapshotChannel,
  key: SnapshotKey | null,
): Prepared | Promise<Prepared> {
  const { chat } = settings;
  try {
    const inlines = providers.get(channel.type)?.inlineImages === true && hasRemoteImages(chat.messages);
    if (!inlines) return addressed(settings, chat, channel, key);
    return inlineImages(chat)
      .then((inlined) => addressed(settings, inlined, channel, key))
      .catch(refuseSetup);
  } catch (error) {
    return refuseSetup(error);
  }
}

function addressed(
  { path, query, pools, passThrough }: DispatchSettings,
  chat: ChatRequest,
  channel: SnapshotChannel,
  key: SnapshotKey | null,
): Prepared {
  const upstream = prepareRequest(chat, channel, path, query, passThrough, key?.key);
  return { upstream, pool: pools.get(upstream.origin, channel.setting.proxy) };
}

function refuseSetup(error: unknown): Prepared {
  if (error instanceof ChannelSetupError) return { setup: error };
  // The request itself is at fault, whichever channel is asked.
  if (error instanceof RelayError) throw error;
  return { setup: new ChannelSetupError("the channel's settings are not valid", "get_channel_failed") };
}

function readDelivery(end: AttemptEnd, upstream: UpstreamRequest, used: SnapshotChannel[]): Delivery | null {
  switch (end.kind) {
    case "whole":
      if (!isAnswer(end.body)) return null;
      return {
        outcome: "whole",
        used,
        attempts: null,
        upstream,
        contentType: end.contentType,
        body: upstream.reshape ? upstream.reshape.whole(end.body) : end.body,
      };
    case "streamed":
      return {
        outcome: "streamed",
        used,
        attempts: null,
        upstream,
        scanner: end.scanner,
        firstTokenMs: end.firstTokenMs,
      };
    case "cut":
      return { outcome: "cut", used, attempts: null, upstream, scanner: end.scanner, firstTokenMs: end.firstTokenMs };
    case "gone":
      return { ...end, outcome: "gone", used, attempts: null, upstream };
    default:
      return null;
  }
}

const SPACE = 0x20;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const SMALL_E = 0x65;

/** A JSON object that is not an error. Looks at the ends only: what is passed on is not parsed. */
function isAnswer(body: Buffer): boolean {
  const start = skipSpace(body, 0);
  let last = body.length - 1;
  while (last > start && (body[last] ?? 0) <= SPACE) last -= 1;
  if (body[start] !== OPEN_BRACE || body[last] !== CLOSE_BRACE) return false;
  const key = skipSpace(body, start + 1);
  if (body[key + 1] !== SMALL_E) return true;
  return !/^"error"\s*:\s*[{"]/.test(body.toString("latin1", key, key + 64));
}

type Judged = Verdict & { hasOtherKeys: boolean };

function judge(settings: DispatchSettings, { channel, key }: Try, failure: AttemptFailure): Judged {
  const { coolDowns, keyRotation, onDisable } = settings;
  const verdict = classifyFailure(failure, {
    channelType: channel.type,
    statusCodeMapping: channel.statusCodeMapping,
    mayDisable: settings.disable.isEnabled && channel.autoBan,
    disableKeywords: settings.disable.keywords,
    isPinned: settings.route.isPinned,
  });
  const isKeysFault =
    key !== null && (verdict.disableReason !== null || (failure.kind === "status" && KEY_STATUSES.has(failure.status)));
  // A limit passes by itself, and the upstream says when.
  const isLimit = verdict.disableReason === null && verdict.coolDownMs > 0;
  if (isKeysFault) keyRotation.rest(key.id, isLimit ? verdict.coolDownMs : REFUSED_KEY_REST_MS);
  const hasOtherKeys = isKeysFault && keyRotation.hasAwake(channel);
  if (!hasOtherKeys) coolDowns.start(channel.id, verdict.coolDownMs);
  if (verdict.disableReason !== null) onDisable(channel, key?.id ?? null, verdict.disableReason);
  return { ...verdict, hasOtherKeys };
}

function readFailure(end: AttemptEnd): AttemptFailure {
  if (end.kind === "refused") {
    const error = readUpstreamError(end.status, end.body);
    return { kind: "status", status: end.status, error, retryAfterMs: readRetryAfter(end.retryAfter) };
  }
  if (end.kind === "whole") {
    const error = readUpstreamError(500, end.body);
    const isError = error.code !== "bad_response_status_code";
    const unreadable = {
      ...error,
      message: "the upstream's answer is not JSON",
      code: "unmarshal_response_body_failed",
    };
    return { kind: "status", status: 500, error: isError ? error : unreadable, retryAfterMs: null };
  }
  const code = end.kind === "unreachable" && "code" in end.error ? String(end.error.code) : "";
  const isTimeout = code === "UND_ERR_HEADERS_TIMEOUT" || code === "UND_ERR_BODY_TIMEOUT";
  return { kind: "network", message: "the request to the upstream failed", isTimeout };
}

function readRetryAfter(text: string | undefined): number | null {
  if (text === undefined) return null;
  const seconds = Number(text);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : null;
}

/** A failure in a few words, for the log. */
export function describeFailure(delivery: Delivery): string {
  return delivery.outcome === "failed" ? cleanText(delivery.reply.error.message) : "";
}
