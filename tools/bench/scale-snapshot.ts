import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { databaseOf } from "@/db/client";
import { seal } from "@/lib/crypto";
import { loadOptions } from "@/lib/option/queries";
import { deriveAbilities, readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import type { Bench } from "./scale-flushes";

/** One after the other, all kept: the heap of one alone is lost in what the collector leaves. */
const READS = 5;

/** What every process reads anew after a change of a channel or an option, and what it keeps of it. */
export async function measureSnapshot({ sql, cpu }: Bench): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const cipher = seal("sk-an-upstream-key-of-the-usual-length-0123456789abcdefghijklmnop");
  const models = Array.from({ length: 30 }, (_, n) => `some-model-name-${n}`).join(",");
  console.log("| channels of 30 models | read in ms | CPU µs of PostgreSQL | heap MB |");
  console.log("| --- | --- | --- | --- |");
  for (const count of [100, 1_000, 10_000]) {
    await sql`truncate channels cascade`;
    await sql`
      insert into channels (name, key_cipher, models, base_url)
      select 'channel ' || n, ${cipher}, ${models}, 'https://upstream.example' from generate_series(1, ${count}::int) n`;
    await read(sql);
    collect();
    const before = { cpu: cpu(), heap: process.memoryUsage().heapUsed, at: performance.now() };
    const kept = [];
    for (let n = 0; n < READS; n++) kept.push(await read(sql));
    const elapsed = (performance.now() - before.at) / READS;
    const spent = ((cpu() - before.cpu) * 1_000) / READS;
    collect();
    const heap = (process.memoryUsage().heapUsed - before.heap) / 1e6 / READS;
    const figures = [kept[0]?.channels.size, elapsed.toFixed(0), spent.toFixed(0), heap.toFixed(1)];
    console.log(`| ${figures.join(" | ")} |`);
  }
}

async function read(sql: Bench["sql"]) {
  const [rows, options] = await Promise.all([listChannelRows(sql), loadOptions(databaseOf(sql))]);
  const channels = new Map(rows.map((row) => [row.id, readChannel(row)]));
  return { channels, options, abilities: deriveAbilities(channels.values()) };
}
