import type { SnapshotChannel, SnapshotKey } from "@/lib/snapshot/store";
import { type AttemptFailure, classifyFailure, type LostWork } from "../base/classify-failure";
import { replyOf } from "../base/refusals/refusal-table";
import { cleanText } from "../base/upstream-error";
import { runAttempt } from "../http/attempt/attempt";
import { type AttemptEnd, GONE_UNSENT } from "../http/attempt/attempt-end";
import type { AttemptSettings } from "../http/attempt/attempt-settings";
import type { Lane } from "../http/attempt/race";
import { type Attempt, type AttemptNote, describeAttempt, describeCut } from "../http/attempts";
import type { Delivery, Spent } from "../http/delivery";
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
import type { Step } from "../routing/plan/retry-plan";
import { askBeside } from "./ask-beside";
import { contextOf, readFailure, STALE, TOKEN_REFUSED } from "./attempt-failures";
import { type CutDelivery, keepDelivered } from "./continuation";
import type { Asked } from "./hedge";
import { afterLoss, lostWork } from "./lost-work";
import { type DispatchSettings, hasOther, type Judged, NONE, noteFailure, type Run, seat, take } from "./run";
import { takeUp } from "./take-up";
import { whileThere } from "./while-there";

export type { Delivery, LostDelivery, Spent } from "../http/delivery";
export type { DispatchSettings } from "./run";

type Try = Stoppable & {
  channel: SnapshotChannel;
  key: SnapshotKey | null;
  startMs: number;
  circuit: AttemptCircuit;
  /** Of what was sent last. */
  span: AttemptSpan | null;
};

/** An upstream that breaks off after this time has worked on the request, and may bill it each time it is asked. */
const WORKED_MS = 1_500;

/** Tries channels until one responds, the attempts are used up, or bytes were sent to the client. */
export async function dispatch(settings: DispatchSettings): Promise<Delivery> {
  const { before, hedging } = settings;
  const run = openRun(settings);
  if (settings.continuable) keepDelivered(settings.exchange);
  if (hedging && !before) hedging.share.count(hedging.percent);
  const first = seat(settings, settings.route.tiers, NONE, 0);
  let channel = first instanceof Promise ? await first : first;
  for (let attempt = 1; channel; attempt++) {
    let result: Delivery | Judged;
    if (hedging && !run.hedged) {
      const asked: Asked<Judged> = await askBeside(run, hedging, channel, attempt, tryChannel);
      ({ channel, result } = asked);
      attempt += asked.count - 1;
    } else result = await tryChannel(run, channel, attempt);
    if ("outcome" in result) {
      return result.outcome === "cut" ? takeUp(run, channel, attempt, result, tryChannel) : result;
    }
    settings.seats.end(channel);
    const step = nextStep(run, channel, attempt, result);
    channel = step && (await take(run, step, attempt));
  }
  return failedDelivery(run);
}

/** Lets the channels of another model go on with a stream that broke off. */
export async function dispatchRest(settings: DispatchSettings, cut: CutDelivery): Promise<Delivery> {
  return takeUp(openRun(settings), null, 0, cut, tryChannel);
}

function openRun(settings: DispatchSettings): Run {
  const { before } = settings;
  const used: SnapshotChannel[] = before?.used ?? [];
  settings.exchange.tried = used;
  return {
    settings,
    begunAt: before?.begunAt ?? performance.now(),
    used,
    attempts: before?.attempts ?? null,
    begun: 0,
    plan: null,
    last: null,
    isLate: false,
    mayBeStale: true,
    hedged: null,
  };
}

function failedDelivery(run: Run): Delivery & { outcome: "failed" } {
  const { settings, begunAt, used, attempts, plan, last } = run;
  const { reply: told, retryAfterMs } = last ?? NO_CHANNEL;
  const { statusFor } = settings.exchange.caller;
  const reply = statusFor ? { ...told, status: statusFor(told.status) } : told;
  // Another model may be one that the account may use.
  const fault = last?.fault === "access" ? null : last?.fault;
  const refusal = fault ?? (last?.retry === false ? "request" : run.isLate ? "time" : null);
  const waitLeftMs = plan?.waitLeftMs ?? settings.waitBudgetMs;
  const spent: Spent = { begunAt, waitLeftMs, used, attempts, refusal, tooShort: plan?.tooShort ?? NO_MODELS };
  return { outcome: "failed", used, attempts, upstream: null, reply, retryAfterMs, spent };
}

const NO_MODELS: ReadonlySet<string> = new Set();

const NO_CHANNEL = { reply: replyOf("no_available_channel", "no available channel"), retryAfterMs: null };

function nextStep(run: Run, channel: SnapshotChannel, attempt: number, judged: Judged): Step<SnapshotChannel> | null {
  const { settings, begunAt } = run;
  const now = performance.now();
  const plan = noteFailure(run, channel, now, judged);
  run.isLate = now - begunAt >= settings.limitsOf(channel).whole;
  const left = settings.retryTimes - attempt + 1;
  const isOver = !judged.retry || left < 1 || run.isLate;
  return isOver ? null : plan.next(now, left);
}

/** One attempt, or two when the first met a stale connection. Returns what reached the client, else what to do next. */
function tryChannel(run: Run, channel: SnapshotChannel, attempt: number): Promise<Delivery | Judged>;
/** Null = another lane leads. */
function tryChannel(run: Run, channel: SnapshotChannel, attempt: number, lane: Lane): Promise<Delivery | Judged | null>;
async function tryChannel(run: Run, channel: SnapshotChannel, attempt: number, lane?: Lane) {
  const { settings, used } = run;
  const { exchange, keyRotation, preference, random } = settings;
  const circuit = beginAttempt(settings, channel);
  run.begun = attempt;
  used.push(channel);
  const key = channel.keys === null ? null : keyRotation.next(channel, random, attempt === 1 ? preference : null);
  preference?.asks(channel.id, key?.id ?? 0, attempt === 1);
  const current: Try = {
    channel,
    key,
    startMs: exchange.elapsedMs(),
    circuit,
    span: null,
    stop: null,
    hasBegun: false,
  };
  if (lane) {
    lane.onLead = () => lead(run, current, attempt === 1);
    lane.onLost = (wasSent) => {
      current.stop?.();
      noteOutrun(run, current, wasSent);
    };
  }
  const startedAt = performance.now();
  let asked: Sent | AttemptFailure | null;
  try {
    const preparing = prepare(settings, current);
    const prepared = preparing instanceof Promise ? await whileThere(exchange, lane, preparing) : preparing;
    if (lane?.isLost) return null;
    if (!prepared) current.stop?.();
    asked = prepared && !("kind" in prepared) ? await ask(run, current, prepared, lane) : prepared;
  } catch (error) {
    settings.circuits.abandoned(circuit.trial);
    current.span?.end(BROKEN);
    throw error;
  }
  let failure: AttemptFailure;
  if (asked && "kind" in asked) failure = asked;
  else {
    const { end: ended, request } = asked ?? LEFT;
    if (ended.kind === "outrun") return null;
    // Work that was asked for goes on at the upstream.
    const end = ended.kind === "gone" && current.hasBegun ? { ...ended, wasSent: true, hasBegun: true } : ended;
    const delivery = readDelivery(run, end, request, channel);
    if (delivery) {
      tellDelivery(circuit, delivery.outcome);
      // Most requests succeed at the first attempt, so nothing is recorded or allocated for them.
      if (run.attempts || end.kind === "cut") {
        delivery.attempts = [...(run.attempts ?? []), note(settings, current, endOf(delivery, end))];
      } else current.span?.end(endOf(delivery, end));
      return delivery;
    }
    failure = readFailure(end);
  }
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
  return { ...judged, again: hasWorked ? "never" : judged.again, startedAt };
}

type Sent = { end: AttemptEnd; request: UpstreamRequest | null };

/** The client left before the request was ready to be sent. */
const LEFT: Sent = { end: GONE_UNSENT, request: null };

/** Sends the request, and once more where the connection or the token that it used was too old. */
async function ask(run: Run, current: Try, prepared: Prepared, lane: Lane | undefined): Promise<Sent | AttemptFailure> {
  const { request } = prepared;
  const asking = askingWith(run, current, prepared, lane);
  const { attempt = runAttempt } = run.settings;
  let end = await attempt(asking);
  if (end.kind === "unreachable" && end.isStale && run.mayBeStale) end = await sendAgain(run, current, asking);
  if (!isUnauthorized(end) || !request.onRefused?.()) return { end, request };
  run.attempts ??= [];
  run.attempts.push(note(run.settings, current, TOKEN_REFUSED));
  const renewed = await whileThere(run.settings.exchange, lane, Promise.resolve(prepare(run.settings, current)));
  if (lane?.isLost) return OUTRUN;
  if (renewed === null) return LEFT;
  if ("kind" in renewed) return renewed;
  return { end: await attempt(askingWith(run, current, renewed, lane)), request: renewed.request };
}

function isUnauthorized(end: AttemptEnd): boolean {
  return end.kind === "refused" && end.failure.kind === "status" && end.failure.status === 401;
}

/** Another channel was first while the request was prepared once more. */
const OUTRUN: Sent = { end: { kind: "outrun" }, request: null };

type Prepared = { request: UpstreamRequest; pool: Connections };

function prepare(settings: DispatchSettings, current: Try): Setup | Promise<Setup> {
  const { channel, key } = current;
  const { intake, pools } = settings;
  const withPool = (request: UpstreamRequest): Setup => ({ request, pool: pools.get(destinationOf(request, channel)) });
  try {
    const preparing = prepareRequest(intake, channel, key?.key ?? channel.key, settings, current);
    return preparing instanceof Promise ? preparing.then(withPool).catch(setupFailure) : withPool(preparing);
  } catch (error) {
    return setupFailure(error);
  }
}

type Setup = Prepared | AttemptFailure;

function askingWith(run: Run, current: Try, { request, pool }: Prepared, lane: Lane | undefined): AttemptSettings {
  const { channel, circuit } = current;
  const { settings, begunAt } = run;
  const { exchange, intake, budget, drains, permit, keepAliveMs, retryTimes } = settings;
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
    onDraining: permit,
    onFirst: whenAnswering(circuit),
    // On a connection that was in use before, nobody could tell whether a closed one had brought the request.
    isFresh: intake.makesTask === true,
    limits: settings.limitsOf(channel),
    begunAt,
    keepAliveMs,
    hasOther: () => (run.begun <= retryTimes && hasOther(run, channel)) || settings.hasOtherModel(),
    lane,
  };
}

function sendAgain(run: Run, current: Try, asking: AttemptSettings): Promise<AttemptEnd> {
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
function lead({ settings, used }: Run, { channel, key }: Try, isFirst: boolean): void {
  const at = used.lastIndexOf(channel);
  if (at === used.length - 1) return;
  used.push(...used.splice(at, 1));
  settings.preference?.asks(channel.id, key?.id ?? 0, isFirst);
}

/** What an attempt costs that never reached the upstream is known. */
function noteOutrun(run: Run, current: Try, wasSent: boolean): void {
  const { settings } = run;
  settings.circuits.abandoned(current.circuit.trial);
  settings.seats.end(current.channel);
  run.attempts ??= [];
  run.attempts.push({ ...note(settings, current, { outcome: "hedged" }), ...(wasSent ? {} : { cost: 0 }) });
}

const BROKEN: AttemptNote = { outcome: "failed" };

function endOf({ outcome }: Delivery, end: AttemptEnd): AttemptNote {
  if (outcome === "cut") return end.kind === "cut" ? describeCut(end) : { outcome };
  if (outcome !== "gone") return { outcome: "ok", status: 200 };
  const status = end.kind === "gone" ? end.drained?.failed?.status : null;
  return status ? { outcome, status } : { outcome };
}

/** Null = nothing reached the client, so another channel can be tried. */
function readDelivery(
  { settings, begunAt, used }: Run,
  end: Exclude<AttemptEnd, { kind: "outrun" }>,
  upstream: UpstreamRequest | null,
  channel: SnapshotChannel,
): Delivery | null {
  if (end.kind === "refused" || end.kind === "unreachable") return null;
  const { firstTokenMs } = end;
  if (end.kind === "gone") {
    const { report, drained, wasSent, unseenMs } = end;
    const { firstByte, firstByteWhole } = settings.limitsOf(channel);
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
): Omit<Judged, "startedAt"> {
  const { exchange, keyRotation, onDisable } = settings;
  const verdict = classifyFailure(failure, contextOf(settings, channel));
  const { keyRestMs } = verdict;
  const isKeysFault = key !== null && keyRestMs !== null;
  if (isKeysFault) keyRotation.rest(key.id, keyRestMs);
  const hasOtherKeys = isKeysFault && keyRotation.hasAwake(channel);
  const wasRefused = exchange.refusedBy !== null && exchange.refusedBy !== channel.id;
  const cause = tellFailure(circuit, failure, { hasOtherKeys, wasRefused });
  if (verdict.disableReason !== null && !wasRefused) onDisable(channel, key?.id ?? null, verdict.disableReason);
  if (cause === "key" || verdict.disableReason !== null) exchange.refusedBy ??= channel.id;
  return { ...afterLoss(verdict, work), hasOtherKeys };
}

/** Short failure text for the log; "" = no failure. */
export function describeFailure(delivery: Delivery): string {
  return delivery.outcome === "failed" ? cleanText(delivery.reply.error.message) : "";
}
