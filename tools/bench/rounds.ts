import type { Alternative } from "./alternatives";
import type { Row } from "./answers-table";
import { runLoad } from "./load";
import { cpuMs, residentMib } from "./proc";

/** One phase of a run: the load that each alternative gets in turn. */
export type Phase = {
  title: string;
  unit: "answer" | "chunk";
  callers: number;
  isStream: boolean;
  rate?: number;
};

export type RoundSettings = {
  rounds: number;
  seconds: number;
  /** Seconds of each alternative that are not counted. */
  warm: number;
  /** The key of the alternatives that have none of their own. Those other than Weir ignore it. */
  key: string;
  /** PostgreSQL's first process; null = there is none. */
  databasePid: number | null;
  graceMs?: number;
};

/** Measures the alternatives in turn, so that what else happens on the machine meets all of them. */
export async function runRounds(
  alternatives: readonly Alternative[],
  phase: Phase,
  settings: RoundSettings,
): Promise<Row[]> {
  const rows: Row[] = [];
  // Warm up first, otherwise the measurement includes compiling the hot code.
  for (const alternative of alternatives) await measure(alternative, phase, settings, settings.warm);
  for (let round = 0; round < settings.rounds; round++)
    for (const alternative of alternatives) rows.push(await measure(alternative, phase, settings, settings.seconds));
  return rows;
}

async function measure(
  { name, url, pid, key, model, headers }: Alternative,
  { callers, isStream, rate, unit }: Phase,
  settings: RoundSettings,
  seconds: number,
): Promise<Row> {
  const { databasePid, graceMs } = settings;
  const cpu = () => ({ own: cpuOf(pid), database: cpuOf(databasePid) });
  const before = cpu();
  const load = { url, key: key ?? settings.key, model, headers, callers, seconds, isStream, rate, graceMs };
  const result = await runLoad(load);
  const after = cpu();
  const units = unit === "chunk" ? result.chunks : result.answers;
  return {
    name,
    ...result,
    cpuUs: ((after.own - before.own) * 1000) / units,
    databaseUs: ((after.database - before.database) * 1000) / result.answers,
    rssMib: pid === null ? Number.NaN : residentMib(pid),
  };
}

function cpuOf(pid: number | null): number {
  return pid === null ? Number.NaN : cpuMs(pid);
}
