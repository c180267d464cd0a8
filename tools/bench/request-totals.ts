import { RequestTotals } from "@/lib/metrics/request-totals";
import { defaultDialect } from "@/lib/relay/wire";

/**
 * What counting a request for /metrics costs, in nanoseconds of CPU time: `npx tsx tools/bench/request-totals.ts`. Compare it with
 * the CPU time of an answer in README.md.
 */
const ROUNDS = 5;
const AT_ONCE = 200_000;

type Ended = Parameters<RequestTotals["ended"]>[0];
type Snapshot = ReturnType<ConstructorParameters<typeof RequestTotals>[0]["current"]>;

const models = Array.from({ length: 20 }, (_, index) => `model-${index}`);
const snapshot = {
  options: { QuotaPerUnit: 500_000, CurrencySymbol: "$" },
  channels: new Map(),
  abilities: new Map([["default", new Map(models.map((model) => [model, []]))]]),
} as unknown as Snapshot;

const requests = models.map((model, index) => {
  const settlement = {
    type: 2,
    modelName: model,
    channelId: (index % 5) + 1,
    usage: { promptTokens: 500, completionTokens: 200, cachedTokens: 100 },
    quota: 900,
    cost: { quota: 700 },
    firstTokenMs: 400,
    other: {},
  };
  return {
    startedAt: performance.now() - 1_500,
    model,
    isGone: false,
    overheadMs: 1.5,
    failure: null,
    settled: { settlement, delivery: { outcome: "answered", attempts: null } },
    response: { statusCode: 200, headersSent: true },
  } as unknown as Ended;
});

const endpoint = { kind: "operation", clientDialect: defaultDialect.client, operation: { id: "chat" } };
const totals = new RequestTotals({ current: () => snapshot });
const results: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const before = process.cpuUsage();
  for (let index = 0; index < AT_ONCE; index++) totals.ended(requests[index % requests.length] as Ended, endpoint);
  const { user, system } = process.cpuUsage(before);
  results.push(((user + system) * 1_000) / AT_ONCE);
}
const at = performance.now();
const series = totals.read().reduce((sum, { values }) => sum + values.length, 0);
console.log(
  `${Math.min(...results).toFixed(0)} ns a request (best of ${ROUNDS}: ${results.map(Math.round).join(", ")})`,
);
console.log(`${series} series read in ${(performance.now() - at).toFixed(1)} ms`);
