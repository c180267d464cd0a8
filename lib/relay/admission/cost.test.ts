import { describe, expect, test } from "vitest";
import { type BilledUsage, NO_USAGE, type PriceOptions } from "@/lib/billing/types";
import { readSetting } from "@/lib/snapshot/channel-setting";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { type CostedRequest, costRequest } from "./cost";

const options: PriceOptions = {
  ModelRatio: { m: 1, dear: 10 },
  CompletionRatio: {},
  ModelPrice: {},
  CacheRatio: {},
  QuotaPerUnit: 500_000,
  SelfUseModeEnabled: false,
};
const usage = (promptTokens: number): BilledUsage => ({ ...NO_USAGE, promptTokens });
const channel = (id: number, setting: object, mapping: Record<string, string> = {}) =>
  ({
    id,
    setting: readSetting({ ...setting }),
    modelMapping: new Map(Object.entries(mapping)),
  }) as unknown as SnapshotChannel;

const cheap = channel(1, { cost_factor: 0.5 });
const dear = channel(2, { cost_factor: 2 });
const base: CostedRequest = {
  model: "m",
  options,
  used: [cheap],
  upstreamModel: "m",
  attempts: null,
  delivered: usage(100),
  billed: null,
};
const failed = (given: object) => ({ channel: 1, outcome: "failed" as const, ...given });
const ok = { channel: 2, outcome: "ok" as const, status: 200 };

describe("the cost of a request's attempts", () => {
  test("one attempt: its channel's own price", () => {
    expect(costRequest(base)).toMatchObject({ quota: 50, unbilled: 0, unknown: 0 });
    expect(costRequest({ ...base, used: [dear] })).toMatchObject({ quota: 200 });
  });

  test("an upstream that said no bills nothing, and the one that answered bills its own price", () => {
    const attempts = [failed({ status: 500 }), { ...failed({ status: 429 }), outcome: "limited" as const }, ok];
    const request = { ...base, used: [cheap, dear], attempts };
    expect(costRequest(request)).toMatchObject({ quota: 200, unbilled: 0, unknown: 0 });
    expect(request.attempts).toMatchObject([{ cost: 0 }, { cost: 0 }, { cost: 200 }]);
  });

  test.each([
    ["did not answer in time", failed({ outcome: "timeout" })],
    ["broke off", failed({})],
    ["was left waiting by something in between", failed({ status: 524 })],
    ["was too slow with its first token", failed({ status: 200, cause: "timeout_first_token" })],
  ])("an upstream that %s may bill: that is unknown, and what is known stays known", (_name, first) => {
    const attempts = [first, { ...ok }];
    expect(costRequest({ ...base, used: [cheap, dear], attempts })).toMatchObject({
      quota: 200,
      unbilled: 0,
      unknown: 1,
    });
    expect(attempts).toMatchObject([{ cost: null }, { cost: 200 }]);
  });

  test.each(["dns", "tls", "setup", "timeout_connect", "overload"])("%s: the upstream did nothing", (cause) => {
    expect(costRequest({ ...base, attempts: [failed({ cause })], delivered: null })).toMatchObject({
      quota: 0,
      unknown: 0,
    });
  });

  test("an attempt that was cancelled for another one may be billed, unless the upstream never got the request", () => {
    const hedged = failed({ outcome: "hedged" });
    const attempts = [hedged, { ...ok }];
    expect(costRequest({ ...base, used: [cheap, dear], attempts })).toMatchObject({ quota: 200, unknown: 1 });
    expect(attempts[0]).toMatchObject({ cost: null });
    const unsent = [{ ...hedged, cost: 0 }, { ...ok }];
    expect(costRequest({ ...base, used: [cheap, dear], attempts: unsent })).toMatchObject({ quota: 200, unknown: 0 });
  });

  test("what a failed attempt delivered unseen is paid at its own channel and billed to nobody", () => {
    const attempts = [failed({ cause: "timeout_first_token", used: usage(30) }), { ...ok }];
    expect(costRequest({ ...base, used: [cheap, dear], attempts })).toMatchObject({
      quota: 215,
      unbilled: 15,
      unknown: 0,
    });
  });

  test("of a stream that was drained after its caller left, what the caller is not charged for is billed to nobody", () => {
    expect(costRequest({ ...base, billed: usage(40) })).toMatchObject({ quota: 50, unbilled: 30, unknown: 0 });
  });

  test("what was delivered before another channel went on with it is billed too", () => {
    const attempts = [failed({ outcome: "cut", used: usage(30) }), { ...ok }];
    const request = { ...base, used: [cheap, dear], attempts, billed: usage(105) };
    expect(costRequest(request)).toMatchObject({ quota: 215, unbilled: 5, unknown: 0 });
  });

  test("nothing known at all is null, never 0", () => {
    expect(costRequest({ ...base, attempts: [failed({})], delivered: null }).quota).toBeNull();
    expect(costRequest({ ...base, delivered: "unknown" })).toMatchObject({ quota: null, unknown: 1 });
    expect(costRequest({ ...base, model: "unlisted", upstreamModel: "unlisted" })).toMatchObject({
      quota: null,
      unknown: 1,
    });
  });

  test("no upstream was asked: nothing", () => {
    expect(costRequest({ ...base, used: [], attempts: null, delivered: null })).toMatchObject({ quota: 0, unknown: 0 });
  });

  test("a mapped model costs what the upstream's model costs", () => {
    expect(costRequest({ ...base, used: [dear], upstreamModel: "dear" })).toMatchObject({ quota: 2_000 });
  });
});
