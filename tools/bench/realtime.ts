import { join } from "node:path";
import { createDatabase, type Sql } from "@/db/client";
import { reconcile } from "@/lib/billing/reconcile";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { askProgram, startGateway, startProgram, stopAll } from "./alternatives";
import { cpuMs, residentMib } from "./proc";
import { type SessionEnd, type Talk, talk } from "./realtime-load";
import type { SessionSum } from "./realtime-terms";
import { prepareDatabase } from "./weir";

export type RealtimeSettings = { directory: string; bundle: string; sessions: number; seconds: number };

const WARM_SECONDS = 5;
/** Beside the sessions through the gateway, so that both meet the same machine. */
const DIRECT_SHARE = 0.2;
const ADDED_P99_MAX_MS = 5;
/** Pays for some responses of each session. */
const POOR_BALANCE = 60_000;
const POOR_SESSIONS = 10;
/** What a piece of speech costs: two tokens, at 20 × 2 × 3 times the price of one of text at most. */
const FRAME_QUOTA = 2 * 120;

/**
 * Sessions through the gateway and a fifth as many directly, at the same time. Prints delays, what was charged, and how far
 * below zero a small balance fell. Returns how many of its promises were broken.
 */
export async function reportRealtime({ directory, bundle, sessions, seconds }: RealtimeSettings): Promise<number> {
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "realtime") });
  try {
    const upstream = await startProgram("realtime-upstream.ts", {});
    const upstreamUrl = `http://127.0.0.1:${upstream.port}`;
    const key = await prepareDatabase(postgres.url, upstreamUrl, "bench-voice");
    const { sql, end } = createDatabase({ url: postgres.url, max: 2, applicationName: "weir-bench" });
    const poor = await addPoorUser(sql);
    const journal = join(directory, "realtime-journal");
    const gateway = await startGateway(bundle, { DATABASE_URL: postgres.localUrl, WEIR_JOURNAL_DIR: journal });
    const common = { seconds, warmSeconds: WARM_SECONDS };
    const cpuBefore = cpuMs(gateway.pid);
    const [weir, direct, ended] = await Promise.all([
      talk({ ...common, port: gateway.port, key, sessions, name: "weir" }),
      talk({
        ...common,
        port: upstream.port,
        key: "bench",
        sessions: Math.ceil(sessions * DIRECT_SHARE),
        name: "direct",
      }),
      talk({ ...common, port: gateway.port, key: poor.key, sessions: POOR_SESSIONS, name: "poor" }),
    ]);
    const cpu = cpuMs(gateway.pid) - cpuBefore;
    const sums = new Map(await askProgram<[string, SessionSum][]>(upstream.pid, "sums"));
    const memory = residentMib(gateway.pid);
    await stopAll();
    const books = await readBooks(sql, poor.id);
    await end();
    const frames = weir.ends.reduce((sum, one) => sum + one.frames + one.sentFrames, 0);
    console.log(`\n## Realtime, ${sessions} sessions of ${seconds} s side by side\n`);
    console.log(
      `${frames} frames of 6.5 KB, ${((cpu * 1_000) / frames).toFixed(1)} µs CPU each, ${memory.toFixed(0)} MiB resident`,
    );
    return judge({ weir, direct, ended, sums, books });
  } finally {
    await stopAll();
    await postgres.stop();
  }
}

type Books = { rows: number; charged: number; first: number; poorQuota: number; differences: number };

async function readBooks(sql: Sql, poorId: number): Promise<Books> {
  const [row] = await sql<{ rows: number; charged: number; first: number; poor: number }[]>`
    select count(*)::int as rows, coalesce(sum(quota), 0)::float8 as charged, (max(created_at) - min(created_at))::int as first,
      (select quota from users where id = ${poorId})::float8 as poor
    from usage_logs where quota > 0 and user_id <> ${poorId}`;
  const { differences } = await reconcile(sql);
  const { rows = 0, charged = 0, first = 0, poor = 0 } = row ?? {};
  return { rows, charged, first, poorQuota: poor, differences: differences.length };
}

type Measured = { weir: Talk; direct: Talk; ended: Talk; sums: Map<string, SessionSum>; books: Books };

function judge({ weir, direct, ended, sums, books }: Measured): number {
  console.log("\n| | frames timed | p50 ms | p99 ms | p99.9 ms |\n|---|---|---|---|---|");
  for (const [name, { delays }] of Object.entries({ direct, weir })) {
    const figures = [0.5, 0.99, 0.999].map((share) => delays.at(share).toFixed(2));
    console.log(`| ${name} | ${delays.count()} | ${figures.join(" | ")} |`);
  }
  const added = weir.delays.at(0.99) - direct.delays.at(0.99);
  const changed = weir.ends.filter((one) => !isSame(one, sums.get(one.tag))).length;
  const done = weir.ends.reduce((sum, one) => sum + one.done, 0);
  const poorest = -ended.ends.length * FRAME_QUOTA;
  const isSpent = ended.ends.every(({ code }) => code === 1_008);
  const lines: [string, boolean][] = [
    [`added delay p99 ${added.toFixed(2)} ms`, added < ADDED_P99_MAX_MS],
    [`sessions with changed or missing frames: ${changed}`, changed === 0],
    [
      `responses ${done}, charges ${books.rows}, over ${books.first} s, ${books.charged} quota in all`,
      books.rows === done,
    ],
    [
      `small balance ended at ${books.poorQuota}, at least ${poorest}, all ended: ${isSpent}`,
      books.poorQuota >= poorest && isSpent,
    ],
    [`differences in the books: ${books.differences}`, books.differences === 0],
  ];
  for (const [text, isKept] of lines) console.log(`${isKept ? "kept  " : "BROKEN"} ${text}`);
  return lines.filter(([, isKept]) => !isKept).length;
}

function isSame(end: SessionEnd, sum: SessionSum | undefined): boolean {
  if (!sum) return false;
  const isDown = end.hash === sum.sent && end.frames === sum.sentFrames;
  return isDown && end.sentHash === sum.received && end.sentFrames === sum.receivedFrames;
}

async function addPoorUser(sql: Sql): Promise<{ id: number; key: string }> {
  const key = randomAlphanumeric(48);
  const [user] = await sql<{ id: number }[]>`
    insert into users (username, aff_code, quota) values ('poor', 'poor', ${POOR_BALANCE}) returning id`;
  const id = user?.id ?? 0;
  await sql`insert into ledger_entries (user_id, amount, kind, reference)
    values (${id}, ${POOR_BALANCE}, 'grant', 'bench:poor')`;
  await sql`insert into tokens (user_id, name, key_hash, key_cipher, key_hint, unlimited_quota)
    values (${id}, 'poor', ${sha256Hex(key)}, ${seal(key)}, '', true)`;
  return { id, key: `sk-${key}` };
}
