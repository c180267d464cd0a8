import type { SnapshotChannel, SnapshotKey } from "@/lib/snapshot/store";
import type { Report } from "../answers/answer";
import { type Attempt, type AttemptNote, describeAttempt } from "../attempts";
import type { WireError } from "../canonical/wire-error";
import { type AttemptFailure, classifyFailure, type Verdict } from "../classify-failure";
import type { CoolDowns } from "../cool-downs";
import type { Exchange } from "../exchange";
import type { KeyRotation } from "../key-rotation";
import type { Cap, Intake } from "../operations/operation";
import { chooseChannel } from "../plan/choose-channel";
import { RelayError } from "../relay-error";
import { type AttemptEnd, type Budget, runAttempt } from "../transport/attempt";
import type { Connections } from "../transport/connections";
import type { Destination } from "../transport/open-connections";
import type { Pools } from "../transport/pools";
import { cleanText } from "../upstream-error";
import { prepareRequest, type UpstreamRequest } from "../upstreams/prepare-request";
import { rows } from "../upstreams/rows";
import { ChannelSetupError } from "../upstreams/setup-error";
import type { Route } from "./route";

/**
 * The result of a request at the upstreams. For "answered", `ending` holds the bytes still to send, as `contentType`;
 * with `firstTokenMs` null they are the whole response.
 */
export type Delivery = {
  /** The channels that were tried, in order. */
  used: SnapshotChannel[];
  /** All attempts when there was more than one or none succeeded; null = the first one succeeded. */
  attempts: Attempt[] | null;
  upstream: UpstreamRequest | null;
} & (
  | { outcome: "answered"; report: Report; ending: Buffer; contentType: string; firstTokenMs: number | null }
  | { outcome: "cut"; report: Report; firstTokenMs: number }
  /** The balance paid for no more of a stream. */
  | { outcome: "spent"; report: Report; ending: Buffer; contentType: string; firstTokenMs: number }
  | { outcome: "gone"; wasSent: boolean; report: Report | null; firstTokenMs: number | null }
  | { outcome: "failed"; reply: { status: number; error: WireError } }
);

/** What is known of a stream while it runs, in case this process ends before the stream does. */
export type LostDelivery = Pick<Delivery, "used" | "attempts" | "upstream"> & {
  outcome: "lost";
  report: Report;
  firstTokenMs: number;
};

export type DispatchSettings = {
  exchange: Exchange;
  intake: Intake;
  route: Route;
  /** Keep the answer within the reservation: a limit in the request, and the watch over a stream. */
  cap: Cap | null;
  budget: Budget;
  pools: Pools;
  coolDowns: CoolDowns;
  keyRotation: KeyRotation;
  random: () => number;
  retryTimes: number;
  /** Send bodies unchanged, whatever the channel's setting is. */
  passThrough: boolean;
  disable: { isEnabled: boolean; keywords: readonly string[] };
  /** `keyId`: the failed key of a channel with several; null = the channel itself. */
  onDisable: (channel: SnapshotChannel, keyId: number | null, reason: string) => void;
};

type Try = { channel: SnapshotChannel; key: SnapshotKey | null; startMs: number };

/** How long a refused key is skipped. If it was disabled, all processes learn of it in this time. */
const REFUSED_KEY_REST_MS = 30_000;
/** Statuses that concern a single key rather than the upstream. */
const KEY_STATUSES = new Set([401, 403, 429]);

/** Tries channels until one responds, the attempts are used up, or bytes were sent to the client. */
export async function dispatch(settings: DispatchSettings): Promise<Delivery> {
  const { route, coolDowns, random, exchange, intake } = settings;
  const used: SnapshotChannel[] = [];
  exchange.tried = used;
  const tried = new Set<number>();
  let attempts: Attempt[] | null = null;
  let reply: Verdict["reply"] | null = null;
  let mayBeStale = true;
  for (let attempt = 0; attempt <= settings.retryTimes; attempt++) {
    const { isCoolingDown } = coolDowns;
    const channel = chooseChannel({ tiers: route.tiers, attempt, tried, isCoolingDown, random });
    if (!channel) break;
    used.push(channel);
    const key = channel.keys === null ? null : settings.keyRotation.next(channel, random);
    const startMs = exchange.elapsedMs();
    let failure: AttemptFailure | null = null;
    let prepared: { request: UpstreamRequest; pool: Connections } | null = null;
    try {
      const preparing = prepareRequest(intake, channel, key?.key ?? channel.key, settings.passThrough, settings.cap);
      const request = preparing instanceof Promise ? await preparing : preparing;
      prepared = { request, pool: settings.pools.get(destinationOf(request, channel)) };
    } catch (error) {
      failure = setupFailure(error);
    }
    // Outside the try block: an error after bytes were sent must never lead to another channel.
    if (prepared) {
      const asking = { ...prepared, exchange, isStream: intake.isStream, budget: settings.budget };
      let end = await runAttempt({ ...asking, isFresh: false });
      if (end.kind === "unreachable" && end.isStale && mayBeStale) {
        mayBeStale = false;
        attempts ??= [];
        attempts.push(note(settings, { channel, key, startMs }, STALE));
        end = await runAttempt({ ...asking, isFresh: true });
      }
      const delivery = readDelivery(end, prepared.request, used);
      if (delivery) {
        // Most requests succeed at the first attempt, so nothing is recorded or allocated for them.
        if (attempts) delivery.attempts = [...attempts, note(settings, { channel, key, startMs }, endOf(delivery))];
        return delivery;
      }
      failure = readFailure(end);
    }
    if (!failure) throw new Error("an attempt was neither made nor refused");
    const current: Try = { channel, key, startMs };
    attempts ??= [];
    attempts.push(note(settings, current, describeAttempt(failure)));
    const verdict = judge(settings, current, failure);
    // When only the key failed, another key of this channel may still work.
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

function destinationOf({ origin }: UpstreamRequest, { setting, trust }: SnapshotChannel): Destination {
  return { origin, proxy: setting.proxy, trust };
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

const STALE: AttemptNote = {
  outcome: "failed",
  cause: "reset",
  message: "the upstream closed an idle connection; the request is sent again on a new one",
};

function endOf({ outcome }: Delivery): AttemptNote {
  if (outcome === "cut" || outcome === "gone") return { outcome };
  return { outcome: "ok", status: 200 };
}

/** The failure of a channel whose request could not be prepared. Rethrows a RelayError: such a request fails at every channel. */
function setupFailure(error: unknown): AttemptFailure {
  if (error instanceof RelayError) throw error;
  const message = error instanceof ChannelSetupError ? error.message : "the channel's settings are not valid";
  return { kind: "setup", message };
}

/** Null = nothing reached the client, so another channel can be tried. */
function readDelivery(end: AttemptEnd, upstream: UpstreamRequest, used: SnapshotChannel[]): Delivery | null {
  if (end.kind === "refused" || end.kind === "unreachable") return null;
  const { firstTokenMs } = end;
  if (end.kind === "gone") {
    const report = end.answer?.report() ?? null;
    return { outcome: "gone", used, attempts: null, upstream, wasSent: end.wasSent, report, firstTokenMs };
  }
  const report = end.answer.report();
  if (end.kind === "cut")
    return { outcome: "cut", used, attempts: null, upstream, report, firstTokenMs: end.firstTokenMs };
  const { contentType } = end.answer;
  if (end.kind === "spent") {
    const ending = end.answer.cutShort();
    return {
      outcome: "spent",
      used,
      attempts: null,
      upstream,
      report,
      ending,
      contentType,
      firstTokenMs: end.firstTokenMs,
    };
  }
  const ending = end.answer.ending();
  return { outcome: "answered", used, attempts: null, upstream, report, ending, contentType, firstTokenMs };
}

type Judged = Verdict & { hasOtherKeys: boolean };

function judge(settings: DispatchSettings, { channel, key }: Try, failure: AttemptFailure): Judged {
  const { coolDowns, keyRotation, onDisable } = settings;
  const verdict = classifyFailure(failure, {
    quirks: rows.get(channel.type)?.quirks ?? {},
    statusCodeMapping: channel.statusCodeMapping,
    mayDisable: settings.disable.isEnabled && channel.autoBan,
    disableKeywords: settings.disable.keywords,
    isPinned: settings.route.isPinned,
  });
  const isKeysFault =
    key !== null && (verdict.disableReason !== null || (failure.kind === "status" && KEY_STATUSES.has(failure.status)));
  // A rate limit ends by itself, and the upstream may say when.
  const isLimit = verdict.disableReason === null && verdict.coolDownMs > 0;
  if (isKeysFault) keyRotation.rest(key.id, isLimit ? verdict.coolDownMs : REFUSED_KEY_REST_MS);
  const hasOtherKeys = isKeysFault && keyRotation.hasAwake(channel);
  if (!hasOtherKeys) coolDowns.start(channel.id, verdict.coolDownMs);
  if (verdict.disableReason !== null) onDisable(channel, key?.id ?? null, verdict.disableReason);
  return { ...verdict, hasOtherKeys };
}

function readFailure(end: AttemptEnd): AttemptFailure {
  if (end.kind === "refused") return end.failure;
  const cause = end.kind === "unreachable" ? end.cause : "reset";
  return { kind: "network", message: "the request to the upstream failed", cause };
}

/** Short failure text for the log; "" = no failure. */
export function describeFailure(delivery: Delivery): string {
  return delivery.outcome === "failed" ? cleanText(delivery.reply.error.message) : "";
}
