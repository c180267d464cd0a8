import { setTimeout as delay } from "node:timers/promises";
import type { Sql } from "@/db/client";
import { callOnce, type Got } from "./caller";
import { faults } from "./catalogue";
import { limitMsOf, type Row, rowsOf, type Times, waitMsOf } from "./fault";
import { type OpenRow, openRow } from "./upstream";
import { judge, type Outcome } from "./verdict";

export type Result = Row & { outcome: Outcome; broken: string[] };

export type Gateway = { url: string; key: string; sql: Sql };

/** Rows in which nothing waits, at the same time. Those that wait all start at once. */
const AT_ONCE = 12;
/** The caller leaves when a row is late by this much. */
const patienceMs = 1_000;
/** The callers that come after a crowd. One of them may be the probe that finds out whether the fault is over. */
const LATER = 20;
const logsWithinMs = 8_000;

/** Rows of the fault table that break a rule until the relay is mended. A mended row must leave this list. */
export const knownBroken: readonly string[] = [];

/** Starts the upstreams of all rows. Their channels must be in the database before `runTable`. */
export function openTable(times: Times): Promise<OpenRow[]> {
  return Promise.all(rowsOf(faults).map((row) => openRow(row, times)));
}

export async function closeTable(rows: readonly OpenRow[]): Promise<void> {
  await Promise.all(rows.flatMap(({ faulty, healthy }) => [faulty.close(), healthy?.close()]));
}

/** `later`: those of `got` who came after a crowd. */
type Ran = { row: OpenRow; got: Got[]; warmUp: string | null; later: Got[] };

/** Sends the requests of all rows, reads what was charged for them, and judges. In the order of `rows`. */
export async function runTable(rows: readonly OpenRow[], gateway: Gateway): Promise<Result[]> {
  const ran = new Map<string, Ran>();
  const run = async (row: OpenRow): Promise<void> => void ran.set(row.model, await runRow(row, gateway));
  const sound = rows.filter(({ fault }) => fault.isSound);
  // First, so that code that is loaded at its first use makes no row slow.
  for (const row of sound) await run(row);
  const waiting = rows.filter(isWaiting);
  const others = rows.filter((row) => !isWaiting(row) && !row.fault.isSound && !row.fault.isCrowd).values();
  const lane = async (): Promise<void> => {
    for (const row of others) await run(row);
  };
  const lanes = Promise.all(Array.from({ length: AT_ONCE }, lane));
  // When only rows that wait are left, and one after the other, because they are judged to the second.
  const crowds = async (): Promise<void> => {
    await lanes;
    for (const row of rows) if (row.fault.isCrowd) await run(row);
  };
  await Promise.all([...waiting.map(run), crowds()]);
  const inOrder = rows.flatMap((row) => ran.get(row.model) ?? []);
  const books = await readBooks(gateway.sql, inOrder);
  return inOrder.map((one) => {
    const outcome = outcomeOf(one, books);
    return { ...one.row, outcome, broken: judge(one.row, outcome, one.row.times) };
  });
}

const isWaiting = (row: OpenRow): boolean => waitMsOf(row, row.times) > 0 && !row.fault.isCrowd;

async function runRow(row: OpenRow, { url, key }: Gateway): Promise<Ran> {
  const { model, otherModel, isStream, times, fault, setUp } = row;
  const models = setUp === "own" ? { models: [otherModel] } : {};
  const request = { url, key, model, ...models, isStream, leaveAfterMs: limitMsOf(row, times) + patienceMs };
  const callers = (count: number) => Promise.all(Array.from({ length: count }, () => callOnce(request)));
  if (fault.isCrowd) {
    const first = await callers(times.crowd);
    const later = await callers(LATER);
    return { row, got: [...first, ...later], warmUp: null, later };
  }
  const warmUp = fault.isWarm ? (await callOnce(request)).requestId : null;
  const got: Got[] = [];
  for (let call = 0; call < (fault.calls ?? 1); call++) got.push(await callOnce(request));
  return { row, got, warmUp, later: [] };
}

type LogRow = { model: string; requestId: string; quota: number; attempts: number };

/** Waits until every request has its log row, which may be written a moment after its answer. */
async function readBooks(sql: Sql, ran: readonly Ran[]): Promise<Map<string, LogRow[]>> {
  for (const end = performance.now() + logsWithinMs; ; await delay(50)) {
    const rows = await sql<LogRow[]>`
      select model_name as model, request_id as "requestId", quota::bigint as quota,
        coalesce(jsonb_array_length(other->'admin_info'->'attempts'), 1) as attempts
      from usage_logs where type in (2, 5)`;
    const books = new Map<string, LogRow[]>(ran.map(({ row }) => [row.model, []]));
    const asked = new Map(
      ran.flatMap(({ row: { model, otherModel } }) => [
        [model, model],
        [otherModel, model],
      ]),
    );
    for (const row of rows) books.get(asked.get(row.model) ?? "")?.push(row);
    const isComplete = ran.every(({ row, got, warmUp }) => {
      return (books.get(row.model)?.length ?? 0) >= got.length + (warmUp === null ? 0 : 1);
    });
    if (isComplete || performance.now() > end) return books;
  }
}

function outcomeOf({ row, got, warmUp, later }: Ran, books: Map<string, LogRow[]>): Outcome {
  const logs = (books.get(row.model) ?? []).filter(({ requestId }) => requestId !== warmUp);
  return {
    got,
    later,
    atFaulty: row.faulty.seen,
    atHealthy: row.healthy?.seen?.length ?? null,
    noted: logs.reduce((sum, { attempts }) => sum + attempts, 0),
    logged: logs.length,
    charge: logs.reduce((sum, { quota }) => sum + quota, 0),
  };
}
