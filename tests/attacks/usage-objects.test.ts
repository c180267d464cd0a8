// Who: nobody in particular; providers that count caches, thoughts, tools and media each in their own way.
// What must hold: each usage object that a provider documents is charged to the last unit, by the formulas of contract §5.2.
import { expect, test } from "vitest";
import { priceUsage } from "@/lib/billing/price";
import type { PriceRow } from "@/lib/billing/types";
import { readObject } from "@/lib/relay/canonical/json";
import { upstreamFormats } from "@/lib/relay/dialects";
import { rows } from "@/lib/relay/upstreams/rows";
import { CHANNEL_TYPE } from "@/lib/relay/upstreams/rows/channel-type-ids";
import list from "./usage-objects.json" with { type: "json" };

/** Tokens of each kind, apart from each other. */
type Due = { text?: number; cached?: number; written?: number; soundIn?: number; out: number; soundOut?: number };
/** `source`: where the provider documents it. `due`: by the provider's own words. `quirk`: of the channel type. */
type UsageRow = {
  format: string;
  what: string;
  source: string;
  usage: Record<string, unknown>;
  due: Due;
  quirk?: string;
  isBatch?: boolean;
};

const usageRows: readonly UsageRow[] = list;

const price: PriceRow = {
  modelRatio: 1.5,
  completionRatio: 4,
  cacheRatio: 0.1,
  createCacheRatio: 1.25,
  audioRatio: 8,
  audioCompletionRatio: 2,
  modelPrice: null,
  groupRatio: 0.7,
  quotaPerUnit: 500_000,
};
const BATCH_RATIO = 0.5;

/** The formula of contract §5.2 in whole numbers: ratios in hundredths, so that nothing is rounded before the end. */
function formula({ text = 0, cached = 0, written = 0, soundIn = 0, out, soundOut = 0 }: Due, isBatch: boolean): number {
  const hundredths = 100 * text + 10 * cached + 125 * written + 800 * soundIn + 400 * out + 800 * 2 * soundOut;
  // × 1.5 × 0.7, and a half for a batch: in units of 1/10^5.
  const exact = BigInt(hundredths) * 15n * 7n * (isBatch ? 5n : 10n);
  const unit = 100_000n;
  const rounded = (2n * exact + unit) / (2n * unit);
  return Math.max(1, Number(rounded));
}

function charged({ format, usage, quirk, isBatch }: UsageRow): number {
  const upstream = upstreamFormats.get(format);
  const read = upstream?.readUsage(usage) ?? null;
  if (!read) throw new Error("the usage cannot be read");
  const correct = quirk === "xai" ? rows.get(CHANNEL_TYPE.xai)?.quirks.correctUsage : undefined;
  const counts = correct ? correct(readObject(usage), read) : read;
  const groupRatio = price.groupRatio * (isBatch ? BATCH_RATIO : 1);
  return priceUsage({ ...counts, estimated: false }, { ...price, groupRatio }).quota;
}

test("there are at least sixty, of every format that callers speak, each with its source", () => {
  expect(usageRows.length).toBeGreaterThanOrEqual(60);
  expect(usageRows.filter(({ source }) => !URL.canParse(source))).toEqual([]);
  expect(new Set(usageRows.map(({ format, what }) => `${format} ${what}`)).size).toBe(usageRows.length);
});

test.each(usageRows.map((row) => [row.format, row.what, row] as const))(
  "%s, %s: charged to the last unit (B318)",
  (_format, _what, row) => {
    expect(charged(row)).toBe(formula(row.due, row.isBatch === true));
  },
);
