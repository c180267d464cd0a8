import { describe, expect, test } from "vitest";
import { type BilledUsage, NO_USAGE } from "@/lib/billing/types";
import { EMPTY_REPORT } from "../answers/empty-report";
import type { Intake } from "../operations/operation";
import type { Delivery } from "./delivery";
import { measureDelivery } from "./measure";
import { quoteNeed } from "./quote";

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
