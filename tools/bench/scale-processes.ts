import { randomUUID } from "node:crypto";
import { createDatabase } from "@/db/client";
import { listenOn } from "@/db/listen";
import { createLeaseStore } from "@/lib/billing/lease-queries";
import { bookSettlements } from "@/lib/billing/settlement-batch";
import { fillForFlushes, walPosition } from "./flush-database";
import { settlementRows } from "./flush-rows";
import type { Bench } from "./scale-flushes";

/** What it costs that a process takes a part of a balance, and gives it back when its user is quiet. */
export async function measureLeases({ url, sql, seconds, cpu }: Bench): Promise<void> {
  await fillForFlushes(sql, 10_000);
  const { sql: leases, end } = createDatabase({ url, max: 1, applicationName: "weir-bench leases" });
  const store = createLeaseStore(leases);
  const nodeId = randomUUID();
  await store.heartbeat(nodeId, "bench");
  const ask = { needed: 5_000, wanted: 5_000, whole: 5_000, spare: 100_000 };
  const turn = async (n: number) => {
    const key = { userId: 1 + (n % 10_000), tokenId: 0 };
    await store.acquire(nodeId, key, ask);
    await store.trim(nodeId, key, 0);
  };
  for (let n = 0; n < 100; n++) await turn(n);
  const before = { cpu: cpu(), wal: await walPosition(sql), at: performance.now() };
  let turns = 0;
  for (; performance.now() < before.at + seconds * 1_000; turns++) await turn(turns);
  const figures = [
    ((cpu() - before.cpu) * 1_000) / turns,
    ((await walPosition(sql)) - before.wal) / turns,
    ((performance.now() - before.at) * 1_000) / turns,
  ].map((figure) => figure.toFixed(0));
  console.log(
    `a lease, taken and returned: ${figures[0]} µs of CPU, ${figures[1]} bytes of WAL, ${figures[2]} µs in turn`,
  );
  await end();
}

/** A notice to so many processes that listen, each on a connection. */
export async function measureNotices({ url, sql, seconds, cpu }: Bench): Promise<void> {
  console.log("| processes that listen | notices/s | CPU µs per notice |");
  console.log("| --- | --- | --- |");
  for (const count of [1, 10, 50, 200]) {
    let heard = 0;
    const listeners = await Promise.all(
      Array.from({ length: count }, () =>
        listenOn({
          sql: createDatabase({ url, max: 1, applicationName: "weir-bench" }).sql,
          channel: "weir",
          applicationName: "weir-bench listen",
          onNotice: () => (heard += 1),
          onConnect: () => {},
        }),
      ),
    );
    const before = { cpu: cpu(), at: performance.now() };
    let told = 0;
    for (; performance.now() < before.at + seconds * 1_000; told++)
      await sql`select pg_notify('weir', ${`tokens:${told}`})`;
    const elapsed = performance.now() - before.at;
    while (heard < told * count) await new Promise((done) => setTimeout(done, 5));
    const each = ((cpu() - before.cpu) * 1_000) / told;
    console.log(`| ${count} | ${((told / elapsed) * 1_000).toFixed(0)} | ${each.toFixed(0)} |`);
    await Promise.all(listeners.map((listener) => listener.stop()));
  }
}

/** What a connection keeps in memory of its own: after its first statement, and after a process's flushes. */
export async function measureBackends({ url, sql }: Bench): Promise<void> {
  const nodeId = await fillForFlushes(sql, 1_000);
  const { sql: one, end } = createDatabase({ url, max: 1, applicationName: "weir-bench" });
  const kept = async () => {
    const [row] = await one<{ kib: number }[]>`
      select (sum(total_bytes) / 1024)::int as kib from pg_backend_memory_contexts`;
    return row?.kib;
  };
  const first = await kept();
  for (let n = 0; n < 50; n++) await bookSettlements(one, nodeId, settlementRows(200, 1_000));
  console.log(`a connection: ${first} KiB of its own at first, ${await kept()} after 50 flushes of 200`);
  await end();
}
