import type { SnapshotChannel, SnapshotKey } from "@/lib/snapshot/store";
import { type AttemptFailure, classifyFailure, type LostWork, type Verdict } from "../base/classify-failure";
import { replyOf } from "../base/refusals/refusal-table";
import { runAttempt } from "../http/attempt/attempt";
import { type AttemptEnd, GONE_UNSENT } from "../http/attempt/attempt-end";
import type { AttemptSettings } from "../http/attempt/attempt-settings";
import type { Lane } from "../http/attempt/race";
import { type Attempt, type AttemptNote, describeAttempt, describeCut } from "../http/attempts";
import type { CutDelivery, Delivered } from "../http/delivery";
import type { AttemptSpan } from "../http/tracing/request-trace";
import type { Connections } from "../net/connections";
import type { Destination } from "../net/open-connections";
import { setupFailure } from "../providers/requests/prepare-failure";
import { prepareRequest } from "../providers/requests/prepare-request";
import type { Stoppable } from "../providers/requests/upload-files";
import type { UpstreamRequest } from "../providers/requests/upstream-request";
import {
  type AttemptCircuit,
  beginAttempt,
  tellDelivery,
  tellFailure,
  whenAnswering,
} from "../routing/attempt-circuit";
import { disableChannel } from "../routing/disable-channel";
import { afterLoss, contextOf, lostWork, readFailure, STALE, TOKEN_REFUSED } from "./attempt-failures";
import {
  type DispatchSettings,
  type DispatchState,
  hasOther,
  hasOtherModel,
  type Judged,
  limitsAt,
} from "./dispatch-state";
import { whileThere } from "./while-there";

/** What one try of a channel came to: something was delivered, what was delivered broke off, or nothing reached the client. */
export type Tried = Delivered | CutDelivery | Judged;

type Try = Stoppable & {
  channel: SnapshotChannel;
  key: SnapshotKey | null;
  /** Its place beside other tries of the request; undefined = it is alone. */
  lane: Lane | undefined;
  startMs: number;
  circuit: AttemptCircuit;
  /** Of what was sent last. */
  span: AttemptSpan | null;
};

/** An upstream that breaks off after this time has worked on the request, and may bill it each time it is asked. */
const WORKED_MS = 1_500;

/** Another try leads, and the request is its: whoever ran the two leaves this one as it is. */
export const OUTRUN: Judged = Object.freeze({
  outcome: "failed",
  retry: false,
  again: "never",
  isTransient: false,
  retryAfterMs: null,
  fault: null,
  keyRestMs: null,
  disableReason: null,
  reply: replyOf("do_request_failed", "another channel was first"),
  hasOtherKeys: false,
  startedAt: 0,
});

/** Asks a channel, and once more where the connection or the token that it was asked with was too old. `lane`: OUTRUN is possible. */
export async function tryChannel(
  run: DispatchState,
  channel: SnapshotChannel,
  attempt: number,
  lane?: Lane,
): Promise<Tried> {
  const { settings } = run;
  const current = beginTry(run, channel, attempt, lane);
  const startedAt = performance.now();
  let sent: Sent | AttemptFailure;
  try {
    const preparing = prepare(settings, current);
    const prepared = preparing instanceof Promise ? await whileThere(settings.exchange, lane, preparing) : preparing;
    if (lane?.isLost) return OUTRUN;
    if (!prepared) current.stop?.();
    if (!prepared || "kind" in prepared) sent = prepared ?? LEFT;
    else {
      const { request } = prepared;
      const asking = askingWith(run, current, prepared);
      let end = await (settings.attempt ?? runAttempt)(asking);
      if (end.kind === "unreachable" && end.isStale && run.mayBeStale) end = await sendAgain(run, current, asking);
      sent = isUnauthorized(end) && request.onRefused?.() ? await sendRenewed(run, current) : { end, request };
    }
  } catch (error) {
    settings.circuits.abandoned(current.circuit.trial);
    current.span?.end(BROKEN);
    throw error;
  }
  if ("kind" in sent) return failed(run, current, sent, startedAt);
  const { end: ended, request } = sent;
  if (ended.kind === "outrun") return OUTRUN;
  // Work that was asked for goes on at the upstream.
  const end = ended.kind === "gone" && current.hasBegun ? { ...ended, wasSent: true, hasBegun: true } : ended;
  const delivery = readDelivery(run, end, request, channel);
  return delivery ? delivered(run, current, delivery, end) : failed(run, current, readFailure(end), startedAt);
}

function beginTry(run: DispatchState, channel: SnapshotChannel, attempt: number, lane: Lane | undefined): Try {
  const { settings, used } = run;
  const { exchange, keyRotation, preference, random } = settings;
  const circuit = beginAttempt(settings, channel);
  run.begun = attempt;
  used.push(channel);
  const key = channel.keys === null ? null : keyRotation.next(channel, random, attempt === 1 ? preference : null);
  preference?.asks(channel.id, key?.id ?? 0, attempt === 1);
  const startMs = exchange.elapsedMs();
  const current: Try = { channel, key, lane, startMs, circuit, span: null, stop: null, hasBegun: false };
  if (lane) {
    lane.onLead = () => lead(run, current, attempt === 1);
    lane.onLost = (wasSent) => {
      current.stop?.();
      noteOutrun(run, current, wasSent);
    };
  }
  return current;
}

function delivered<Outcome extends Delivered | CutDelivery>(
  run: DispatchState,
  current: Try,
  delivery: Outcome,
  end: AttemptEnd,
): Outcome {
  tellDelivery(current.circuit, delivery.outcome);
  // Most requests succeed at the first attempt, so nothing is recorded or allocated for them.
  if (run.attempts || end.kind === "cut") {
    delivery.attempts = [...(run.attempts ?? []), note(run.settings, current, endOf(delivery, end))];
  } else current.span?.end(endOf(delivery, end));
  return delivery;
}

function failed(run: DispatchState, current: Try, failure: AttemptFailure, startedAt: number): Judged {
  const { settings } = run;
  // Work that may have begun is not asked for again, at no channel.
  const work = current.isMade ? "unclear" : lostWork(failure, settings.intake.makesTask === true);
  run.attempts ??= [];
  // The upstream may bill work that it may have begun, so the cost is unknown.
  run.attempts.push({
    ...note(settings, current, describeAttempt(failure)),
    ...(work === "unclear" ? { cost: null } : {}),
  });
  const judged = judge(settings, current, failure, work);
  const hasWorked = failure.kind === "network" && performance.now() - startedAt >= WORKED_MS;
  return { ...judged, outcome: "failed", again: hasWorked ? "never" : judged.again, startedAt };
}

type Sent = { end: AttemptEnd; request: UpstreamRequest | null };

/** The client left before the request was ready to be sent. */
const LEFT: Sent = { end: GONE_UNSENT, request: null };

/** Another channel was first while the request was prepared once more. */
const LOST: Sent = { end: { kind: "outrun" }, request: null };

function isUnauthorized(end: AttemptEnd): boolean {
  return end.kind === "refused" && end.failure.kind === "status" && end.failure.status === 401;
}

/** With a new access token, where the upstream refused an old one. */
async function sendRenewed(run: DispatchState, current: Try): Promise<Sent | AttemptFailure> {
  const { settings } = run;
  const { lane } = current;
  run.attempts ??= [];
  run.attempts.push(note(settings, current, TOKEN_REFUSED));
  const renewed = await whileThere(settings.exchange, lane, Promise.resolve(prepare(settings, current)));
  if (lane?.isLost) return LOST;
  if (renewed === null) return LEFT;
  if ("kind" in renewed) return renewed;
  const end = await (settings.attempt ?? runAttempt)(askingWith(run, current, renewed));
  return { end, request: renewed.request };
}

type Prepared = { request: UpstreamRequest; pool: Connections };
type Setup = Prepared | AttemptFailure;

function prepare(settings: DispatchSettings, current: Try): Setup | Promise<Setup> {
  const { channel, key } = current;
  try {
    const preparing = prepareRequest(settings.intake, channel, key?.key ?? channel.key, settings, current);
    if (!(preparing instanceof Promise)) return withPool(settings, channel, preparing);
    return preparing.then((request) => withPool(settings, channel, request)).catch(setupFailure);
  } catch (error) {
    return setupFailure(error);
  }
}

function withPool({ pools }: DispatchSettings, channel: SnapshotChannel, request: UpstreamRequest): Prepared {
  return { request, pool: pools.get(destinationOf(request, channel)) };
}

function askingWith(run: DispatchState, current: Try, { request, pool }: Prepared): AttemptSettings {
  const { channel, circuit, lane } = current;
  const { settings, begunAt } = run;
  const { exchange, intake, asker, budget, drains, keepAliveMs, retryTimes } = settings;
  if (request.hasNoLimit) budget.follow();
  current.span = exchange.trace?.attempt(channel, request, intake) ?? null;
  return {
    pool,
    request,
    exchange,
    isStream: intake.isStream,
    outlivesCaller: intake.need?.isBackground,
    budget,
    drains,
    asker,
    onFirst: whenAnswering(circuit),
    // On a connection that was in use before, nobody could tell whether a closed one had brought the request.
    isFresh: intake.makesTask === true,
    limits: limitsAt(settings, channel),
    begunAt,
    keepAliveMs,
    hasOther: () => (run.begun <= retryTimes && hasOther(run, channel)) || hasOtherModel(settings),
    lane,
  };
}

function sendAgain(run: DispatchState, current: Try, asking: AttemptSettings): Promise<AttemptEnd> {
  run.mayBeStale = false;
  run.attempts ??= [];
  run.attempts.push(note(run.settings, current, STALE));
  current.span = asking.exchange.trace?.attempt(current.channel, asking.request, run.settings.intake) ?? null;
  return runAttempt({ ...asking, isFresh: true });
}

function destinationOf({ origin }: UpstreamRequest, { setting, trust }: SnapshotChannel): Destination {
  return { origin, proxy: setting.proxy, trust };
}

function note(
  { exchange, intake, before }: DispatchSettings,
  { channel, key, startMs, span }: Try,
  end: AttemptNote,
): Attempt {
  span?.end(end);
  return {
    channel: channel.id,
    ...(before ? { model: intake.model } : {}),
    ...(key ? { key: key.id } : {}),
    start_ms: startMs,
    ms: exchange.elapsedMs() - startMs,
    ...end,
  };
}

/** The request ends with this one of two attempts, so its channel is the last. */
function lead({ settings, used }: DispatchState, { channel, key }: Try, isFirst: boolean): void {
  const at = used.lastIndexOf(channel);
  if (at === used.length - 1) return;
  used.push(...used.splice(at, 1));
  settings.preference?.asks(channel.id, key?.id ?? 0, isFirst);
}

/** What an attempt costs that never reached the upstream is known. */
function noteOutrun(run: DispatchState, current: Try, wasSent: boolean): void {
  const { settings } = run;
  settings.circuits.abandoned(current.circuit.trial);
  settings.seats.end(current.channel);
  run.attempts ??= [];
  run.attempts.push({ ...note(settings, current, { outcome: "hedged" }), ...(wasSent ? {} : { cost: 0 }) });
}

const BROKEN: AttemptNote = { outcome: "failed" };

function endOf({ outcome }: Delivered | CutDelivery, end: AttemptEnd): AttemptNote {
  if (outcome === "cut") return end.kind === "cut" ? describeCut(end) : { outcome };
  if (outcome !== "gone") return { outcome: "ok", status: 200 };
  const status = end.kind === "gone" ? end.drained?.failed?.status : null;
  return status ? { outcome, status } : { outcome };
}

/** Null = nothing reached the client, so another channel can be tried. */
function readDelivery(
  { settings, begunAt, used }: DispatchState,
  end: Exclude<AttemptEnd, { kind: "outrun" }>,
  upstream: UpstreamRequest | null,
  channel: SnapshotChannel,
): Delivered | CutDelivery | null {
  if (end.kind === "refused" || end.kind === "unreachable") return null;
  const { firstTokenMs } = end;
  if (end.kind === "gone") {
    const { report, drained, wasSent, unseenMs } = end;
    const { firstByte, firstByteWhole } = limitsAt(settings, channel);
    // With the time of a drain: had the caller stayed, it would have waited for so long.
    const waitedMs = performance.now() - begunAt;
    const { isCutOff } = settings.exchange;
    const isLong = !end.hasBegun && waitedMs >= (settings.intake.isStream ? firstByte : firstByteWhole);
    const isOurWait = report === null && !drained?.isWhole && (isLong || isCutOff);
    const left = { wasSent, isOurWait, isCutOff, unseenMs, report, drained, firstTokenMs };
    return { outcome: "gone", used, attempts: null, upstream, ...left };
  }
  const report = end.answer.report();
  if (end.kind === "cut") {
    const { isForbidden, reported } = end;
    const told = reported ? { told: classifyFailure(reported, contextOf(settings, channel)).reply } : {};
    const cut = { outcome: "cut", report, firstTokenMs: end.firstTokenMs, isForbidden, ...told } as const;
    return { ...cut, used, attempts: null, upstream };
  }
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

function judge(
  settings: DispatchSettings,
  { channel, key, circuit }: Try,
  failure: AttemptFailure,
  work: LostWork | null,
): Verdict & { hasOtherKeys: boolean } {
  const { exchange, keyRotation } = settings;
  const verdict = classifyFailure(failure, contextOf(settings, channel));
  const { keyRestMs } = verdict;
  const isKeysFault = key !== null && keyRestMs !== null;
  if (isKeysFault) keyRotation.rest(key.id, keyRestMs);
  const hasOtherKeys = isKeysFault && keyRotation.hasAwake(channel);
  const wasRefused = exchange.refusedBy !== null && exchange.refusedBy !== channel.id;
  const cause = tellFailure(circuit, failure, { hasOtherKeys, wasRefused });
  if (verdict.disableReason !== null && !wasRefused) {
    disableChannel(settings.sql, channel, key?.id ?? null, { reason: verdict.disableReason, request: exchange.id });
  }
  if (cause === "key" || verdict.disableReason !== null) exchange.refusedBy ??= channel.id;
  return { ...afterLoss(verdict, work), hasOtherKeys };
}
