import { expect, test } from "vitest";
import { BUCKET_COUNT } from "@/lib/health/buckets";
import { fillPoints } from "./health-points";

const noon = Math.floor(new Date(2026, 0, 5, 12).getTime() / 1000);
const latency = Array.from({ length: BUCKET_COUNT }, (_, i) => (i === 3 ? 4 : 0));

test("every hour and every day of a window is there, also those without a request", () => {
  expect(fillPoints([], noon, noon + 2 * 3_600, "hour").map(({ label }) => label)).toEqual([
    "01-05 12:00",
    "01-05 13:00",
    "01-05 14:00",
  ]);
  expect(fillPoints([], noon, noon + 86_400, "day").map(({ label }) => label)).toEqual(["01-05", "01-06"]);
});

test("the hours of a day add up, and their times are of all of its requests", () => {
  const point = { hour: noon, succeeded: 2, failed: 1, quota: 5, latency };
  const [day, next] = fillPoints([point, { ...point, hour: noon + 3_600 }], noon, noon + 86_400, "day");
  expect(day).toMatchObject({ succeeded: 4, failed: 2, quota: 10 });
  expect(day?.p50Ms).toBeGreaterThan(0);
  expect(next).toMatchObject({ succeeded: 0, p50Ms: null, p95Ms: null });
});
