import type { OptionValues } from "@/lib/option/registry";
import { CONNECT_SECONDS_MAX, type LimitOverrides } from "@/lib/time-limits";

/** How long an upstream is waited for, in ms; Infinity = no limit. docs/failover.md says what happens then. */
export type TimeLimits = {
  /** From the start of the attempt until the request is sent. */
  readonly connect: number;
  /** From sending to the headers of a streamed answer. */
  readonly firstByte: number;
  /** From sending to the first byte of a whole answer. */
  readonly firstByteWhole: number;
  /** From the headers of a streamed answer to its first token. */
  readonly firstToken: number;
  /** Instead of the two before, where it is longer and nobody else can be asked. */
  readonly alone: number;
  /** Between two events once the answer runs. */
  readonly idle: number;
  /** All attempts of a request together, until something was passed on. */
  readonly whole: number;
  /** A stream that runs. */
  readonly stream: number;
};

/** Whether a limit is over that is longer where nobody else can be asked. */
export function isTooLate(
  waitedMs: number,
  limitMs: number,
  { alone }: Pick<TimeLimits, "alone">,
  hasOther: () => boolean,
): boolean {
  return waitedMs > limitMs && (waitedMs > alone || hasOther());
}

type LimitOptions = Pick<
  OptionValues,
  | "UpstreamConnectSeconds"
  | "UpstreamFirstByteSeconds"
  | "UpstreamFirstByteWholeSeconds"
  | "UpstreamFirstTokenSeconds"
  | "UpstreamAloneSeconds"
  | "UpstreamIdleSeconds"
  | "UpstreamWholeSeconds"
  | "UpstreamStreamSeconds"
  | "UpstreamModelLimits"
>;

type Parsed = { usual: TimeLimits; byModel: Map<string, TimeLimits> | null };

/** Options are replaced as a whole when one changes. */
const parsed = new WeakMap<LimitOptions, Parsed>();

/** The limits for a model at a channel: the options', unless the model has others, unless the channel has others. */
export function timeLimitsOf(options: LimitOptions, model: string, ofChannel: LimitOverrides | null): TimeLimits {
  const known = parsed.get(options) ?? parse(options);
  const limits = known.byModel === null ? known.usual : ofModel(options, known, model);
  return ofChannel === null ? limits : overridden(limits, ofChannel);
}

function parse(options: LimitOptions): Parsed {
  const usual: TimeLimits = {
    connect: Math.min(inMs(options.UpstreamConnectSeconds), CONNECT_SECONDS_MAX * 1_000),
    firstByte: inMs(options.UpstreamFirstByteSeconds),
    firstByteWhole: inMs(options.UpstreamFirstByteWholeSeconds),
    firstToken: inMs(options.UpstreamFirstTokenSeconds),
    alone: inMs(options.UpstreamAloneSeconds),
    idle: inMs(options.UpstreamIdleSeconds),
    whole: inMs(options.UpstreamWholeSeconds),
    stream: inMs(options.UpstreamStreamSeconds),
  };
  const hasModels = Object.keys(options.UpstreamModelLimits).length > 0;
  const result = { usual, byModel: hasModels ? new Map<string, TimeLimits>() : null };
  parsed.set(options, result);
  return result;
}

/** 0 = no limit. */
function inMs(seconds: number): number {
  return seconds === 0 ? Number.POSITIVE_INFINITY : seconds * 1_000;
}

function ofModel(options: LimitOptions, { usual, byModel }: Parsed, model: string): TimeLimits {
  const present = byModel?.get(model);
  if (present) return present;
  const limits = overridden(usual, findModel(options.UpstreamModelLimits, model));
  // Clients choose model names, so the cache must be bounded.
  if (byModel && byModel.size >= 1_000) byModel.clear();
  byModel?.set(model, limits);
  return limits;
}

/** The entry of the model itself, else the longest beginning that fits. */
function findModel(all: Readonly<Record<string, LimitOverrides>>, model: string): LimitOverrides {
  if (Object.hasOwn(all, model)) return all[model] ?? {};
  const fitting = Object.keys(all).filter((name) => name.endsWith("*") && model.startsWith(name.slice(0, -1)));
  const longest = fitting.sort((a, b) => b.length - a.length)[0];
  return longest === undefined ? {} : (all[longest] ?? {});
}

function overridden(limits: TimeLimits, given: LimitOverrides): TimeLimits {
  const or = (seconds: number | undefined, usual: number) => (seconds === undefined ? usual : inMs(seconds));
  return {
    connect: Math.min(or(given.connect, limits.connect), CONNECT_SECONDS_MAX * 1_000),
    firstByte: or(given.first_byte, limits.firstByte),
    firstByteWhole: or(given.first_byte_whole, limits.firstByteWhole),
    firstToken: or(given.first_token, limits.firstToken),
    alone: or(given.alone, limits.alone),
    idle: or(given.idle, limits.idle),
    whole: or(given.whole, limits.whole),
    stream: or(given.stream, limits.stream),
  };
}

/** A large body is not sent at once: the first byte may come this much later. */
export function bodyMs(bytes: number): number {
  return (bytes * 1_000) / 1_048_576;
}
