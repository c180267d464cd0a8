import { describe, expect, test } from "vitest";
import type { LeaseBook, Reservation } from "@/lib/billing/lease";
import { EMPTY_REPORT } from "../answers/answer";
import { type Quote, quoteNeed } from "./quote";
import { StreamBudget } from "./stream-budget";

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

function quote(thinks: "never" | "always" = "never", output = 100_000): Quote {
  return quoteNeed(need, true, { price, limits: { output, thinks, isKnown: true } }, 0);
}

type Answer = number | Promise<number>;

/** A budget over 10 + 1,000 quota, at one quota a token. */
function budgetWith(answers: Answer[], given = quote()): StreamBudget {
  const reservation: Reservation = { userId: 1, tokenId: null, amount: 1_010 };
  const extend = (): Answer => answers.shift() ?? 0;
  return new StreamBudget({ extend } as unknown as LeaseBook, reservation, given, "request");
}

const noResume = (): void => {
  throw new Error("resumed");
};

describe("the budget of a stream", () => {
  test("asks for more when half is delivered, and the stream goes on meanwhile", async () => {
    let grant: (amount: number) => void = noResume;
    const asked = new Promise<number>((done) => {
      grant = done;
    });
    const budget = budgetWith([asked]);
    expect(budget.checkAt).toBe(500);
    expect(budget.check(600, noResume)).toBe("go");
    grant(1_000);
    await Promise.resolve();
    expect(budget.checkAt).toBe(1_000);
    expect(budget.check(1_500, noResume)).toBe("go");
  });

  test("at its limit a stream waits for the answer, and goes on or ends with it", async () => {
    for (const [granted, verdict] of [
      [1_000, "go"],
      [0, "end"],
    ] as const) {
      const budget = budgetWith([Promise.resolve(granted)]);
      const resumed = new Promise((done) => expect(budget.check(1_001, done)).toBe("wait"));
      expect(await resumed).toBe(verdict);
      expect(budget.isSpent).toBe(verdict === "end");
    }
  });

  test("a first refusal leaves what is reserved, and at the limit more is asked for once again", async () => {
    const budget = budgetWith([Promise.resolve(0), Promise.resolve(500)]);
    expect(budget.check(600, noResume)).toBe("go");
    await new Promise(setImmediate);
    expect(budget.check(900, noResume)).toBe("go");
    const resumed = new Promise((done) => expect(budget.check(1_000, done)).toBe("wait"));
    expect(await resumed).toBe("go");
  });

  test("where nothing more can be had, what was really used decides, until next to nothing is left", async () => {
    const answer = { report: () => EMPTY_REPORT };
    // Of 1,010 quota ten are the prompt's; each token that was estimated is half a token really.
    let used = 0;
    const asked: number[] = [];
    const reservation: Reservation = { userId: 1, tokenId: null, amount: 1_010 };
    const chargeSoFar = async (): Promise<number> => {
      asked.push(used);
      return 10 + used / 2;
    };
    const budget = new StreamBudget({ extend: () => 0 }, reservation, quote(), "request", chargeSoFar);
    for (used = 1_000; ; used = budget.checkAt + 1) {
      const verdict = await new Promise((done) => expect(budget.check(used, done, answer)).toBe("wait"));
      if (verdict === "end") break;
    }
    expect(asked).toEqual([1_000, 1_500, 1_750, 1_875]);
    expect(budget.isSpent).toBe(true);
  });

  test("one piece that is longer than the usual step ends no stream that can be paid for", () => {
    const budget = budgetWith([]);
    const amounts: number[] = [];
    const extend = (_: Reservation, { amount }: { amount: number }): number => {
      amounts.push(amount);
      return amount;
    };
    Object.assign(budget, { leaseBook: { extend } });
    expect(budget.check(30_000, noResume)).toBe("go");
    expect(amounts).toEqual([29_064]);
  });

  test("a database that is away ends no stream", async () => {
    const budget = budgetWith([Promise.reject(new Error("away"))]);
    const resumed = new Promise((done) => expect(budget.check(1_200, done)).toBe("wait"));
    expect(await resumed).toBe("go");
  });

  test("where the reservation covers the whole answer, only an upstream that ignores the limit is stopped", () => {
    const covered = budgetWith([], quote("always"));
    expect(covered.check(3_000, noResume)).toBe("go");
    expect(covered.check(4_001, noResume)).toBe("end");
    expect(budgetWith([], quote("never", 500)).checkAt).toBeGreaterThanOrEqual(1_000);
  });

  test("nothing is asked for where tokens cost nothing", () => {
    for (const free of [{ groupRatio: 0 }, { completionRatio: 0 }, { modelPrice: 0.01 }]) {
      expect(budgetWith([], { ...quote(), price: { ...price, ...free } }).checkAt).toBe(Number.POSITIVE_INFINITY);
    }
  });
});
