import { expect, test } from "vitest";
import { until } from "@/lib/testing/until";
import { type Ticking, unwatch, watch } from "./ticker";

class Counted implements Ticking {
  place = -1;
  ticks = 0;
  private readonly leavesAfter: number;

  constructor(leavesAfter = Number.POSITIVE_INFINITY) {
    this.leavesAfter = leavesAfter;
  }

  onTick(): void {
    this.ticks += 1;
    if (this.ticks === this.leavesAfter) unwatch(this);
  }
}

test("all that are watched are looked at in every tick, also when some leave in it", async () => {
  const all = [new Counted(), new Counted(1), new Counted(1), new Counted(), new Counted(1)];
  for (const one of all) watch(one);
  await until(() => (all[0]?.ticks ?? 0) === 2);
  expect(all.map(({ ticks }) => ticks)).toEqual([2, 1, 1, 2, 1]);
  for (const one of all) unwatch(one);
  expect(all.map(({ place }) => place)).toEqual([-1, -1, -1, -1, -1]);
});
