import { join } from "node:path";
import { createDatabase } from "@/db/client";
import { channels } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { startEmbeddedPostgres } from "@/server/embedded-postgres";
import { startGateway, startProgram, stopAll } from "./alternatives";
import { answerAloneUs } from "./answer-alone";
import { type BenchFormat, formats } from "./formats";
import { runLoad } from "./load";
import { cpuMs } from "./proc";
import { prepareDatabase } from "./weir";

export type TranslationSettings = {
  /** An empty folder for the database. */
  directory: string;
  /** The gateway's bundle. */
  bundle: string;
  rounds: number;
  seconds: number;
  /** Seconds of each pair that are not counted. */
  warm: number;
  streams: number;
};

/** µs per chunk, of each round. `alone`: without sockets. */
type Cell = { caller: BenchFormat; upstream: BenchFormat; gateway: number[]; alone: number[]; failures: number };

/** What a chunk may cost that is translated, as a multiple of one of chat completions that is passed through. */
const RATIO_MAX = 3;
const ALONE_MS = 500;

/**
 * Measures what a chunk costs for callers of every format at upstreams of every format, and prints it beside the
 * pass-through of chat completions. Returns how many pairs cost too much in the gateway, or failed.
 */
export async function reportTranslation(settings: TranslationSettings): Promise<number> {
  const cells = formats.flatMap((upstream) =>
    formats.map((caller): Cell => ({ caller, upstream, gateway: [], alone: [], failures: 0 })),
  );
  await measureGateway(cells, settings);
  for (let round = 0; round <= settings.rounds; round++) {
    for (const { caller, upstream, alone } of cells) {
      const us = answerAloneUs(caller.id, upstream.id, ALONE_MS);
      if (round > 0) alone.push(us);
    }
  }
  return print(cells, settings);
}

async function measureGateway(cells: readonly Cell[], settings: TranslationSettings): Promise<void> {
  const { directory, bundle, rounds, seconds, warm, streams: callers } = settings;
  const postgres = await startEmbeddedPostgres({ directory: join(directory, "translation") });
  try {
    const upstream = await startProgram("format-upstream.ts", {});
    const key = await prepareDatabase(postgres.url, null, formats.map(({ model }) => model).join(","));
    await addChannels(postgres.url, `http://127.0.0.1:${upstream.port}`);
    const { port, pid } = await startGateway(bundle, {
      DATABASE_URL: postgres.localUrl,
      WEIR_JOURNAL_DIR: join(directory, "translation-journal"),
    });
    for (let round = 0; round <= rounds; round++) {
      for (const cell of cells) {
        const { model } = cell.upstream;
        const asked = { url: `http://127.0.0.1:${port}${cell.caller.path(model)}`, body: cell.caller.body(model) };
        const before = cpuMs(pid);
        const load = { ...asked, key, callers, seconds: round === 0 ? warm : seconds, isStream: true };
        const { chunks, failures } = await runLoad(load);
        if (round > 0) cell.gateway.push(((cpuMs(pid) - before) * 1_000) / chunks);
        cell.failures += failures;
      }
    }
  } finally {
    await stopAll();
    await postgres.stop();
  }
}

async function addChannels(url: string, baseUrl: string): Promise<void> {
  const { db, end } = createDatabase({ url, max: 1, applicationName: "weir-bench" });
  const values = formats.map(({ id, model: models, type, setting }) => {
    return { name: id, keyCipher: seal("bench"), baseUrl, models, type, setting };
  });
  await db.insert(channels).values(values);
  await end();
}

const least = (values: readonly number[]): number => Math.min(...values);

function print(cells: readonly Cell[], { streams, rounds, seconds }: TranslationSettings): number {
  const base = cells[0];
  if (!base) return 0;
  console.log(`\n## Translation, ${streams} callers, ${rounds} rounds of ${seconds} s, the least of each\n`);
  console.log(
    "| caller | upstream | gateway: CPU µs per chunk | × chat passed through | answer alone: µs | × | failed |",
  );
  console.log("|---|---|---|---|---|---|---|");
  let broken = 0;
  for (const { caller, upstream, gateway, alone, failures } of cells) {
    const ratio = least(gateway) / least(base.gateway);
    if (!(ratio <= RATIO_MAX) || failures > 0) broken += 1;
    const figures = [least(gateway).toFixed(1), ratio.toFixed(2), least(alone).toFixed(2)];
    figures.push((least(alone) / least(base.alone)).toFixed(2), String(failures));
    console.log(`| ${caller.id} | ${upstream.id} | ${figures.join(" | ")} |`);
  }
  return broken;
}
