import { afterAll, beforeAll, expect, test } from "vitest";
import { situations } from "@/tools/bench/faults/situations/list";
import {
  addSituations,
  closeSituations,
  type OpenSituation,
  openSituations,
  runSituations,
  situationModels,
} from "@/tools/bench/faults/situations/run";
import { quickPace } from "@/tools/bench/faults/situations/upstream";
import { setUpRelay } from "../harness";

const relay = setUpRelay({
  options: { UpstreamFirstByteSeconds: "2", UpstreamFirstTokenSeconds: "2", UpstreamIdleSeconds: "2" },
});
let rows: OpenSituation[];

beforeAll(async () => {
  rows = await openSituations(quickPace);
  await relay.setPrices(situationModels(rows).join(","));
  await addSituations(relay.database.db, rows);
  await relay.inForce();
});
afterAll(() => closeSituations(rows));

test("FailoverBench's sixteen situations pass, with a second channel and with models that the caller names", async () => {
  const { token } = await relay.addCaller({ balance: 1_000_000_000 });
  const results = await runSituations(rows, { url: relay.url, key: token.key });
  expect(results).toHaveLength(32);
  expect(results.filter(({ verdict }) => verdict !== "pass")).toEqual([]);
}, 60_000);

test("the list has all sixteen, and slow traffic", () => {
  const ids = Array.from({ length: 16 }, (_, at) => `S${String(at + 1).padStart(2, "0")}`);
  expect(situations.map(({ id }) => id)).toEqual([...ids, "slow"]);
});
