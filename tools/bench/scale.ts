/**
 * What grows with the number of users, processes and channels: the figures of docs/scale.md. Each part is a run of its own on
 * one cluster; CPU is that of all of PostgreSQL's processes.
 *
 *     npx tsx tools/bench/scale.ts --seconds 2 --only flushes,leases
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createDatabase } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { cpuMs } from "./proc";
import { type Bench, measureFlushes, measureRows } from "./scale-flushes";
import { measureBackends, measureLeases, measureNotices } from "./scale-processes";
import { measureSnapshot } from "./scale-snapshot";

const { values: flags } = parseArgs({
  options: {
    /** Of each measurement. */
    seconds: { type: "string", default: "2" },
    only: { type: "string", default: "flushes,leases,notices,backends,rows,snapshot" },
  },
});

const parts: Record<string, (bench: Bench) => Promise<void>> = {
  flushes: measureFlushes,
  leases: measureLeases,
  notices: measureNotices,
  backends: measureBackends,
  rows: measureRows,
  snapshot: measureSnapshot,
};

// For the keys of the channels, which are nobody's.
process.env.WEIR_SECRET ??= "bench-secret-bench-secret";
const directory = mkdtempSync(join(tmpdir(), "weir-scale-"));
chmodSync(directory, 0o711);
const server = await startEmbeddedPostgres({
  directory: join(directory, "postgres"),
  settings: { max_connections: "400" },
});
try {
  const serverPid = Number(readFileSync(join(directory, "postgres", "data", "postmaster.pid"), "utf8").split("\n")[0]);
  for (const name of flags.only.split(",")) {
    const part = parts[name];
    if (!part) throw new Error(`there is no part ${name}`);
    const whole = createDatabase({ url: server.url, max: 1, applicationName: "weir-bench" });
    await whole.sql`create database ${whole.sql(`scale_${name}`)}`;
    await whole.end();
    const url = new URL(server.url);
    url.pathname = `/scale_${name}`;
    await migrateDatabase(url.href);
    const { sql, end } = createDatabase({ url: url.href, max: 1, applicationName: "weir-bench" });
    await part({ url: url.href, sql, seconds: Number(flags.seconds), cpu: () => cpuMs(serverPid) });
    await end();
  }
} finally {
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}
