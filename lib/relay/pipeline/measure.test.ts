import { describe, expect, test } from "vitest";
import { boundUsage, costedUsage } from "@/lib/billing/bound-usage";
import { priceUsage } from "@/lib/billing/price";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { quoteNeed } from "../admission/quote";
import { EMPTY_REPORT } from "../answers/answer";
import type { Delivery } from "../http/delivery";
import type { Intake } from "../operations/operation";
import { measureDelivery, withinReserved } from "./measure";

const price = {
  modelRatio: 1,
  completionRatio: 1,
  cacheRatio: 1,
  createCacheRatio: 1,
  audioRatio: 1,
  audioCompletionRatio: 1,
  modelPrice: null,
  groupRatio: 1,
  quotaPerUnit: 500_000,
};
const need = {
  prompt: { promptTokens: 10, audioPromptTokens: 0, writesAudio: false },
  completionTokensMax: null,
  choices: 1,
  asksToThink: false,
};

type Left = Partial<Delivery & { outcome: "gone" }>;

/** The completion that a caller pays who left; it had been shown 7 tokens where there is a report. */
async function completionOf(left: Left, isStream: boolean, thinks: "never" | "always", reserved = 1_000_000) {
  const quote = quoteNeed(need, isStream, { price, limits: { output: 100_000, thinks, isKnown: true } }, 0);
  const measure: Intake["measure"] = (report): BilledUsage => ({
    ...NO_USAGE,
    promptTokens: 10,
    completionTokens: report === null ? 0 : 7,
    estimated: true,
  });
  const intake = { isStream, need, measure } as unknown as Intake;
  const ended = { used: [], attempts: null, upstream: null, firstTokenMs: null, report: null, drained: null };
  const delivery = { ...ended, outcome: "gone", wasSent: true, isOurWait: false, unseenMs: 0, ...left } as Delivery;
  const { usage } = await measureDelivery(intake, quote, delivery, reserved);
  return usage.completionTokens;
}

describe("an upstream that was aborted because its caller had left", () => {
  test("has written 100 tokens in each second after the first, where nobody could see them", async () => {
    expect(await completionOf({ unseenMs: 4_000 }, false, "never")).toBe(300);
    expect(await completionOf({ unseenMs: 4_000 }, true, "always")).toBe(300);
    expect(await completionOf({ unseenMs: 900 }, false, "never")).toBe(0);
  });

  test("has written what it has shown, where all of it shows", async () => {
    expect(await completionOf({ unseenMs: 4_000 }, true, "never")).toBe(0);
    expect(await completionOf({ unseenMs: 4_000, report: EMPTY_REPORT }, true, "never")).toBe(7);
    expect(await completionOf({ unseenMs: 1_050, report: EMPTY_REPORT }, true, "always")).toBe(7);
    expect(await completionOf({ unseenMs: 4_000, report: EMPTY_REPORT }, true, "always")).toBe(300);
  });

  test("has written no more than was reserved", async () => {
    expect(await completionOf({ unseenMs: 60_000 }, false, "never", 510)).toBe(500);
  });

  test("has written nothing for a caller who was sent away, or waited too long", async () => {
    expect(await completionOf({ unseenMs: 60_000, isCutOff: true }, false, "never")).toBe(0);
    expect(await completionOf({ unseenMs: 60_000, isOurWait: true }, false, "never")).toBe(0);
  });
});

describe("a stream that was ended because its balance was used up", () => {
  const quote = quoteNeed(need, true, { price, limits: { output: 100_000, thinks: "never", isKnown: true } }, 0);
  const counted = { ...NO_USAGE, promptTokens: 10, completionTokens: 800, estimated: true };
  type Given = Parameters<typeof withinReserved>;
  const charged = (usage: BilledUsage, amount: number): BilledUsage => {
    const begun = { operation: { charge: priceUsage }, quote, reservation: { amount } } as unknown as Given[0];
    return withinReserved(begun, { usage, delivery: { outcome: "spent" } } as unknown as Given[1]).usage;
  };

  test("is charged what is reserved where its text was counted by length", () => {
    for (const [amount, completionTokens] of [
      [1_000, 800],
      [810, 800],
      [500, 490],
      [10, 0],
      [3, 0],
    ] as const)
      expect(charged(counted, amount)).toEqual({ ...counted, completionTokens });
  });

  test("is charged what the upstream reported", () => {
    const reported = { ...counted, estimated: false };
    expect(charged(reported, 500)).toBe(reported);
  });
});

describe("a stream that was drained to its end, and reported what cannot be true", () => {
  const reported = { ...NO_USAGE, promptTokens: 10, completionTokens: 90_000 };

  /** The upstream reported 90,000 tokens, of which 500 can be true; the caller had been shown 7, or nothing. */
  async function usageOf(report: typeof EMPTY_REPORT | null, tokens: number) {
    const quote = quoteNeed(need, true, { price, limits: { output: 100_000, thinks: "never", isKnown: true } }, 0);
    const measure: Intake["measure"] = (_report, sent): BilledUsage =>
      sent?.isAnswered
        ? boundUsage(reported, { promptTokens: 10, completionTokens: 500 })
        : { ...NO_USAGE, promptTokens: 10, completionTokens: 7, estimated: true };
    const intake = { isStream: true, need, measure } as unknown as Intake;
    const drained = { report: EMPTY_REPORT, isWhole: true, ms: 1 };
    const ended = { used: [], attempts: null, upstream: null, firstTokenMs: null, isOurWait: false, unseenMs: 0 };
    const delivery = { ...ended, outcome: "gone", wasSent: true, report, drained } as Delivery;
    return measureDelivery(intake, quote, delivery, 10 + tokens);
  }

  test("is charged up to its bound, and no further than was reserved; it cost what was reported", async () => {
    for (const [tokens, charged] of [
      [1_000, 500],
      [100, 100],
    ] as const) {
      const { usage, drained } = await usageOf(EMPTY_REPORT, tokens);
      expect(usage).toMatchObject({ completionTokens: charged, rejected: { completionTokens: 90_000 } });
      expect(costedUsage(drained ?? usage).completionTokens).toBe(90_000);
    }
  });

  test("is charged as if its caller had stayed, where nothing had reached it", async () => {
    expect((await usageOf(null, 100)).usage).toMatchObject({
      completionTokens: 500,
      rejected: { completionTokens: 90_000 },
    });
  });
});
