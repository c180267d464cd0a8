/**
 * What PostgreSQL spends for a settled request, by the number of requests in a flush: CPU of all its processes, and bytes
 * of the write-ahead log. Each variant is a database of its own in one cluster, changed by a file of SQL; they take turns.
 *
 *     npx tsx tools/bench/flushes.ts --sizes 1,8,48 --rounds 5 --variant before=old.sql --variant after=
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { Sql } from "@/db/client";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { fillForFlushes, walPosition } from "./flush-database";
import { settlementRows } from "./flush-rows";
import { cpuMs } from "./proc";

const { values: flags } = parseArgs({
  options: {
    sizes: { type: "string", default: "1,8,48,200" },
    rounds: { type: "string", default: "5" },
    /** Seconds of a round. */
    seconds: { type: "string", default: "1" },
    /** Users among whom the requests are spread, each with one token. */
    users: { type: "string", default: "1" },
    /** Pause between flushes in ms, as at a middling rate. */
    pause: { type: "string", default: "0" },
    /**
     * name=file with SQL that makes this database of a migrated one; an empty file name changes nothing. A name that
     * begins with "outbox" books as with a log store.
     */
    variant: { type: "string", multiple: true, default: ["now="] },
    /** key=value of the server. */
    set: { type: "string", multiple: true, default: [] },
  },
});

type Variant = { name: string; sql: Sql; nodeId: string; end: () => Promise<void> };
/** Nothing is sent to it. */
const LOG_STORE = "clickhouse://127.0.0.1:8123/weir";
type Round = { variant: string; size: number; cpuUs: number; walBytes: number; flushMs: number };

async function makeVariant(serverUrl: string, given: string): Promise<Variant> {
  const [name = "", file = ""] = given.split("=");
  const database = `flushes_${name.replaceAll(/\W/g, "_")}`;
  const whole = createDatabase({ url: serverUrl, max: 1, applicationName: "weir-bench" });
  await whole.sql`create database ${whole.sql(database)}`;
  await whole.end();
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  await migrateDatabase(url.href);
  const { sql, end } = createDatabase({ url: url.href, max: 1, applicationName: "weir-bench" });
  if (file !== "") await sql.unsafe(readFileSync(file, "utf8"));
  const nodeId = await fillForFlushes(sql, Number(flags.users));
  return { name, sql, nodeId, end };
}

async function measure({ name, sql, nodeId }: Variant, serverPid: number, size: number): Promise<Round> {
  process.env.LOG_STORE_URL = name.startsWith("outbox") ? LOG_STORE : "";
  const [users, seconds, pause] = [Number(flags.users), Number(flags.seconds), Number(flags.pause)];
  const before = { cpu: cpuMs(serverPid), wal: await walPosition(sql) };
  let flushes = 0;
  let waited = 0;
  for (const until = performance.now() + seconds * 1_000; performance.now() < until; flushes++) {
    const rows = settlementRows(size, users);
    const startedAt = performance.now();
    const { inserted } = await bookSettlements(sql, nodeId, rows);
    waited += performance.now() - startedAt;
    if (inserted !== size) throw new Error(`${inserted} of ${size} rows were booked`);
    if (pause > 0) await delay(pause);
  }
  const booked = flushes * size;
  return {
    variant: name,
    size,
    cpuUs: ((cpuMs(serverPid) - before.cpu) * 1_000) / booked,
    walBytes: ((await walPosition(sql)) - before.wal) / booked,
    flushMs: waited / flushes,
  };
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function quartile(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 4)] ?? Number.NaN;
}

function report(rounds: readonly Round[], sizes: readonly number[], names: readonly string[]): void {
  console.log(
    "| variant | requests per flush | CPU µs per request | lower quartile | WAL bytes per request | flush ms |",
  );
  console.log("| --- | --- | --- | --- | --- | --- |");
  for (const size of sizes) {
    for (const name of names) {
      const of = (field: "cpuUs" | "walBytes" | "flushMs") =>
        rounds.filter((round) => round.variant === name && round.size === size).map((round) => round[field]);
      const figures = [
        median(of("cpuUs")).toFixed(1),
        quartile(of("cpuUs")).toFixed(1),
        median(of("walBytes")).toFixed(0),
      ];
      console.log(`| ${name} | ${size} | ${figures.join(" | ")} | ${median(of("flushMs")).toFixed(2)} |`);
    }
  }
}

// EXT
const directory = mkdtempSync(join(tmpdir(), "weir-flushes-"));
chmodSync(directory, 0o711);
const settings = Object.fromEntries(flags.set.map((pair) => pair.split("=", 2) as [string, string]));
const server = await startEmbeddedPostgres({ directory: join(directory, "postgres"), settings });
try {
  const serverPid = Number(readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0]);
  const variants: Variant[] = [];
  for (const given of flags.variant) variants.push(await makeVariant(server.url, given));
  const sizes = flags.sizes.split(",").map(Number);
  const rounds: Round[] = [];
  for (const variant of variants) await measure(variant, serverPid, 8);
  for (let round = 0; round < Number(flags.rounds); round++) {
    for (const size of sizes) {
      for (const variant of variants) rounds.push(await measure(variant, serverPid, size));
    }
  }
  report(
    rounds,
    sizes,
    variants.map(({ name }) => name),
  );
  for (const { end } of variants) await end();
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
