import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { databaseOf } from "@/db/client";
import { seal } from "@/lib/crypto";
import { loadOptions } from "@/lib/option/queries";
import { deriveAbilities, readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import type { Bench } from "./scale";

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
    const before = { cpu: cpu(), at: performance.now() };
    const kept = [await read(sql)];
    const elapsed = performance.now() - before.at;
    const spent = (cpu() - before.cpu) * 1_000;
    // What is there less with it gone is what it took.
    collect();
    const heap = process.memoryUsage().heapUsed;
    const size = kept.pop()?.channels.size;
    collect();
    const freed = (heap - process.memoryUsage().heapUsed) / 1e6;
    console.log(`| ${size} | ${elapsed.toFixed(0)} | ${spent.toFixed(0)} | ${freed.toFixed(1)} |`);
  }
}

async function read(sql: Bench["sql"]) {
  const [rows, options] = await Promise.all([listChannelRows(sql), loadOptions(databaseOf(sql))]);
  const channels = new Map(rows.map((row) => [row.id, readChannel(row)]));
  return { channels, options, abilities: deriveAbilities(channels.values()) };
}
