import { expect, test } from "vitest";
import { QUOTA_PRESETS } from "./quota-presets";
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

test("the presets of quota are 1$ to 1000$ (B082, B284)", () => {
  expect(QUOTA_PRESETS.map(({ quota, label }) => [quota, label])).toEqual([
    [500_000, "1$"],
    [5_000_000, "10$"],
    [25_000_000, "50$"],
    [50_000_000, "100$"],
    [250_000_000, "500$"],
    [500_000_000, "1000$"],
  ]);
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
