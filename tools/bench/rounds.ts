import type { Alternative } from "./alternatives";
import type { Row } from "./answers-table";
import { runLoad } from "./load";
import { cpuMs, sharedOutMib } from "./proc";
import { shuffled } from "./statistics";

/** One phase of a run: the load that each alternative gets in turn. */
export type Phase = {
  title: string;
  unit: "answer" | "chunk";
  callers: number;
  isStream: boolean;
  isBrief?: boolean;
  rate?: number;
};

export type RoundSettings = {
  rounds: number;
  seconds: number;
  /** Seconds of each alternative that are not counted. */
  warm: number;
  /** The key of the alternatives that have none of their own. Those other than Weir ignore it. */
  key: string;
  /** Decides the order in each round. */
  random: () => number;
  graceMs?: number;
};

/**
 * Measures the alternatives in turn, so that what else happens on the machine meets all of them. Each round has another
 * order, because what ran before an alternative changes its figures.
 */
export async function runRounds(
  alternatives: readonly Alternative[],
  phase: Phase,
  settings: RoundSettings,
): Promise<Row[]> {
  const rows: Row[] = [];
  // Warm up first, otherwise the measurement includes compiling the hot code. Whole streams would be too few in that time to
  // have the code compiled that begins and ends them.
  const warmUp = { ...phase, isBrief: phase.isStream };
  for (const alternative of alternatives) await measure(alternative, warmUp, settings, settings.warm, 0);
  for (let round = 1; round <= settings.rounds; round++)
    for (const alternative of shuffled(alternatives, settings.random))
      rows.push(await measure(alternative, phase, settings, settings.seconds, round));
  const place = new Map(alternatives.map(({ name }, index) => [name, index]));
  return rows.sort((a, b) => a.round - b.round || (place.get(a.name) ?? 0) - (place.get(b.name) ?? 0));
}

async function measure(
  { name, url, pid, databasePid, allocated, key, model, headers }: Alternative,
  { callers, isStream, isBrief, rate, unit }: Phase,
  settings: RoundSettings,
  seconds: number,
  round: number,
): Promise<Row> {
  const { graceMs } = settings;
  const look = async () => ({
    bytes: (await allocated?.()) ?? Number.NaN,
    // The database of a whole service is below it.
    own: cpuOf(pid, databasePid),
    database: cpuOf(databasePid),
    at: performance.now(),
  });
  const before = await look();
  const load = { url, key: key ?? settings.key, model, headers, callers, seconds, isStream, isBrief, rate, graceMs };
  const result = await runLoad(load);
  const after = await look();
  const units = unit === "chunk" ? result.chunks : result.answers;
  return {
    name,
    round,
    ...result,
    perSecond: (units * 1000) / (after.at - before.at),
    cpuUs: ((after.own - before.own) * 1000) / units,
    databaseUs: ((after.database - before.database) * 1000) / result.answers,
    allocatedBytes: (after.bytes - before.bytes) / units,
    memoryMib: pid === null ? Number.NaN : sharedOutMib(pid, databasePid),
  };
}

function cpuOf(pid: number | null | undefined, except?: number): number {
  return typeof pid === "number" ? cpuMs(pid, except) : Number.NaN;
}
