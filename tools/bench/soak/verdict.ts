import { OPEN, type ProcessSample, type Sample } from "./samples";
import { type Trend, trendOf } from "./trend";

/** What was found after the load had ended. */
export type Books = {
  differences: readonly unknown[];
  /** Charges that are in a journal still, or were refused, and damaged journals. */
  unbooked: number;
  /** Quota that is held for nobody: leases, users, tokens, and open charges. */
  reserved: number;
  /** Whole answers that callers got, and charges in the log for the models of these. */
  answered: number;
  charged: number;
};

export type Facts = {
  samples: readonly Sample[];
  /** Before the load, and after it when connections had time to close. */
  before: Sample;
  after: Sample;
  failed: number;
  books: Books;
};

/** In a shorter time the size that a process reaches cannot be told from growth. */
const JUDGED_SECONDS = 1_800;
/** Of MiB an hour, beyond twice the standard error. */
const GROWTH_MIB = 8;
const GROWTH_SHARE = 0.05;
/** Connections to the database come and go within their pools. */
const DESCRIPTORS_SPARE = 16;

/** The first tenth is left out: code is compiled, and buffers and caches reach their size. */
export function judgedSamples(samples: readonly Sample[]): readonly Sample[] {
  const end = samples.at(-1)?.atSeconds ?? 0;
  return samples.filter(({ atSeconds }) => atSeconds >= end / 10);
}

export function trendsOf(samples: readonly Sample[], field: "pssMib" | "heapMib" | "descriptors"): Map<string, Trend> {
  const names = [...(samples.at(-1)?.processes.keys() ?? [])];
  const points = (name: string) =>
    samples.map(({ atSeconds, processes }) => ({ atSeconds, value: processes.get(name)?.[field] ?? Number.NaN }));
  return new Map(names.map((name) => [name, trendOf(points(name))]));
}

/** What is off; empty = nothing. */
export function problemsOf({ samples, before, after, failed, books }: Facts): string[] {
  const problems = [...growth(samples), ...restarts(samples)];
  for (const [name, now] of after.processes) problems.push(...leaked(name, before.processes.get(name), now));
  if (!after.isWhole) problems.push("a process does not tell what it holds after the end");
  for (const name of OPEN) if (after.open[name] !== 0) problems.push(`${name} is ${after.open[name]} after the end`);
  if (failed > 0) problems.push(`${failed} failures that were not asked for`);
  const { differences, unbooked, reserved, answered, charged } = books;
  if (differences.length > 0) problems.push(`${differences.length} differences: ${JSON.stringify(differences[0])}`);
  if (unbooked > 0) problems.push(`${unbooked} charges are not booked`);
  if (reserved !== 0) problems.push(`${reserved} quota is still reserved`);
  if (answered !== charged) problems.push(`${answered} whole answers, but ${charged} charges for them`);
  return problems;
}

function growth(samples: readonly Sample[]): string[] {
  const judged = judgedSamples(samples);
  if (!isLongEnough(samples)) return [];
  return (["pssMib", "heapMib"] as const).flatMap((field) =>
    [...trendsOf(judged, field)].flatMap(([name, { perHour, error }]) => {
      // PostgreSQL fills its shared memory for as long as there is more data.
      if (name === "postgresql") return [];
      const level = judged.at(-1)?.processes.get(name)?.[field] ?? 0;
      const bound = Math.max(GROWTH_MIB, level * GROWTH_SHARE);
      // Of the supervisor and of PostgreSQL the heap is not known.
      if (perHour - 2 * error <= bound || (field === "heapMib" && Number.isNaN(level))) return [];
      return [`${field} of ${name} grows by ${perHour.toFixed(1)} ± ${error.toFixed(1)} MiB an hour`];
    }),
  );
}

export function isLongEnough(samples: readonly Sample[]): boolean {
  return (samples.at(-1)?.atSeconds ?? 0) >= JUDGED_SECONDS;
}

/** A process that ended, which the supervisor has started anew. */
function restarts(samples: readonly Sample[]): string[] {
  const names = [...(samples[0]?.processes.keys() ?? [])];
  return names.flatMap((name) => {
    const pids = new Set(samples.map(({ processes }) => processes.get(name)?.pid));
    return pids.size > 1 ? [`${name} did not run all the time`] : [];
  });
}

function leaked(name: string, before: ProcessSample | undefined, now: ProcessSample): string[] {
  const more = now.descriptors - (before?.descriptors ?? 0);
  return more > DESCRIPTORS_SPARE ? [`${name} has ${more} descriptors more than before the load`] : [];
}
