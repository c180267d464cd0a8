import { expect, test } from "vitest";
import { quotaPresets } from "@/components/form/quota-presets";
import { toDraft, toTokenInput } from "./token-draft";

test("a new token starts with a quota of 500000, never expires, and is one (B283)", () => {
  const draft = toDraft(null);
  expect(draft).toMatchObject({ quota: "500000", expires: "", unlimited: false, count: "1", limitModels: false });
  expect(toTokenInput({ ...draft, name: " n " })).toMatchObject({ name: "n", remainQuota: 500_000, expiredTime: -1 });
});

test("what is no whole number reaches the server as it was typed, never as 0 (B191, B192)", () => {
  const draft = toDraft(null);
  expect(toTokenInput({ ...draft, quota: "1.5" })?.remainQuota).toBe(1.5);
  expect(toTokenInput({ ...draft, quota: "-5" })?.remainQuota).toBe(-5);
  expect(toTokenInput({ ...draft, quota: "" })?.remainQuota).toBeNaN();
  expect(toTokenInput({ ...draft, quota: "", unlimited: true })?.remainQuota).toBe(0);
});

test("an expiry that is no date makes no input (B190)", () => {
  expect(toTokenInput({ ...toDraft(null), expires: "soon" })).toBeNull();
});

test("the presets of quota are 1 to 1000 units of the site's currency (B082, B284, T3)", () => {
  const display = { inCurrency: true, quotaPerUnit: 500_000, symbol: "€" };
  expect(quotaPresets(display)).toEqual([
    { quota: 500_000, label: "€1" },
    { quota: 5_000_000, label: "€10" },
    { quota: 25_000_000, label: "€50" },
    { quota: 50_000_000, label: "€100" },
    { quota: 250_000_000, label: "€500" },
    { quota: 500_000_000, label: "€1000" },
  ]);
  expect(quotaPresets({ ...display, quotaPerUnit: 1_000 })[1]).toEqual({ quota: 10_000, label: "€10" });
  expect(quotaPresets({ ...display, inCurrency: false, quotaPerUnit: 1_000 })[1]).toEqual({
    quota: 5_000_000,
    label: "5,000,000",
  });
});

test("a switched-off rate limit is sent as none, a switched-on one with its window and text (B143)", () => {
  const draft = { ...toDraft(null), rateCount: "5", rateSeconds: "10", rateMessage: "slow down" };
  expect(toTokenInput(draft)?.rateLimitCount).toBe(0);
  expect(toTokenInput({ ...draft, limitRate: true })).toMatchObject({
    rateLimitCount: 5,
    rateLimitSeconds: 10,
    rateLimitMessage: "slow down",
  });
});
