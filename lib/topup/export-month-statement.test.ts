import { expect, test } from "vitest";
import { createRateWindow } from "@/lib/rate-window";
import { countPdf, PDFS_OF_ALL_PER_MINUTE, PDFS_PER_MINUTE } from "./export-month-statement";

test("an account gets a year's PDFs a minute and no more, and one's many keep no other out (attack)", () => {
  let now = 0;
  const rate = createRateWindow(() => now);
  for (let i = 0; i < PDFS_PER_MINUTE; i++) countPdf(1, rate);
  for (let i = 0; i < 1_000; i++)
    expect(() => countPdf(1, rate)).toThrow(expect.objectContaining({ code: "rate_limited", params: { seconds: 60 } }));
  countPdf(2, rate);
  now += 120_000;
  countPdf(1, rate);
});

test("many accounts together leave the process time for pages (attack)", () => {
  const rate = createRateWindow(() => 0);
  let made = 0;
  for (let user = 1; user <= 1_000; user++) {
    try {
      countPdf(user, rate);
      made += 1;
    } catch (error) {
      expect(error).toMatchObject({ code: "rate_limited" });
    }
  }
  expect(made).toBe(PDFS_OF_ALL_PER_MINUTE);
});
