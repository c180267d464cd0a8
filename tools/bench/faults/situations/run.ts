import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "@/db/client";
import { channels } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { callOnce, type Got } from "../caller";
import { type Situation, situations } from "./list";
import { answer, type Pace, quickPace, startUpstream, type Upstream } from "./upstream";
import { judge, type Verdict } from "./verdict";

/**
 * Who else can answer. "channel": a second channel of the model, of lower priority; nothing is configured. "models": another
 * model, which the caller names.
 */
export type Way = "channel" | "models";
const WAYS: readonly Way[] = ["channel", "models"];

export type OpenSituation = Situation & {
  way: Way;
  pace: Pace;
  model: string;
  otherModel: string;
  first: Upstream;
  second: Upstream;
};

export type SituationResult = {
  id: string;
  title: string;
  way: Way;
  verdict: Verdict;
  broken: string[];
  numbers: string;
};

const HEALTHY = "fb-ok";

/** Starts an upstream of its own for each channel of every situation. */
export async function openSituations(pace: Pace): Promise<OpenSituation[]> {
  const wanted = situations.filter(({ isSlow }) => pace !== quickPace || !isSlow);
  const rows = wanted.flatMap((situation) => WAYS.map((way) => ({ situation, way })));
  return Promise.all(
    rows.map(async ({ situation, way }) => {
      const model = `fb-${situation.id.toLowerCase()}-${way}`;
      const otherModel = `${HEALTHY}-${model}`;
      const first = await startUpstream(situation.primary, pace);
      const second = await startUpstream(situation.other ?? answer, pace);
      return { ...situation, way, pace, model, otherModel, first, second };
    }),
  );
}

export async function closeSituations(rows: readonly OpenSituation[]): Promise<void> {
  await Promise.all(rows.flatMap(({ first, second }) => [first.close(), second.close()]));
}

export function situationModels(rows: readonly OpenSituation[]): string[] {
  return rows.flatMap(({ model, otherModel }) => [model, otherModel]);
}

/** The primary is asked first. The second channel serves the model, and by its own name what the caller may name. */
export async function addSituations(db: Database, rows: readonly OpenSituation[]): Promise<void> {
  const keyCipher = seal("fault-key");
  await db.insert(channels).values(
    rows.flatMap(({ model, otherModel, way, first, second }) => [
      { name: model, keyCipher, baseUrl: first.url, models: model, priority: 10 },
      {
        name: otherModel,
        keyCipher,
        baseUrl: second.url,
        models: way === "channel" ? `${model},${otherModel}` : otherModel,
        modelMapping: JSON.stringify({ [model]: otherModel }),
        // It is asked for the rest of an answer, whether or not it takes one.
        setting: JSON.stringify({ takes_prefill: true }),
        priority: 0,
      },
    ]),
  );
}

/** Runs all at the same time: each has a model and upstreams of its own. In the order of `rows`. */
export function runSituations(
  rows: readonly OpenSituation[],
  gateway: { url: string; key: string },
): Promise<SituationResult[]> {
  return Promise.all(rows.map((row) => runOne(row, gateway)));
}

async function runOne(row: OpenSituation, { url, key }: { url: string; key: string }): Promise<SituationResult> {
  const { id, title, way, pace, model, otherModel, mostMs, first, second } = row;
  const models = way === "models" ? { models: [otherModel] } : {};
  const ask = (name: string) => callOnce({ url, key, model: name, ...models, isStream: true, leaveAfterMs: mostMs });
  const { count, everyMs } = seriesOf(row);
  const got: Got[] = [];
  const begunAt = performance.now();
  for (let nth = 0; nth < count; nth++) {
    await delay(Math.max(0, begunAt + nth * everyMs - performance.now()));
    got.push(await ask(model));
  }
  const other = [...second.seen];
  const after = await ask(otherModel);
  const ran = { ideal: row.ideal ?? "answer", mostMs, got, after, primary: first.seen, other, otherModel } as const;
  const { verdict, broken } = judge(ran, row.checks(pace));
  const longest = Math.max(...got.map(({ ms }) => ms));
  return {
    id,
    title,
    way,
    verdict,
    broken,
    numbers: `${first.seen.length} + ${other.length}, ${longest.toFixed(0)} ms`,
  };
}

function seriesOf({ series, pace }: OpenSituation): { count: number; everyMs: number } {
  if (!series) return { count: 1, everyMs: 0 };
  return pace === quickPace ? { count: 12, everyMs: 800 } : series;
}

/** As Markdown. */
export function describeSituations(results: readonly SituationResult[]): string {
  const lines = results.map(({ id, title, way, verdict, broken, numbers }) => {
    const said = verdict === "pass" ? "pass" : `**${verdict}: ${broken.join(", ") || "no answer"}**`;
    return `| ${id} | ${title} | ${way} | ${numbers} | ${said} |`;
  });
  return [
    "| | situation | who else can answer | asked, longest | verdict |",
    "| --- | --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}
