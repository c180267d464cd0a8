import { expect, test } from "vitest";
import type { UnknownKeyCount } from "./unknown-key-commands";
import { UnknownKeys } from "./unknown-keys";

function setUp() {
  const written: UnknownKeyCount[] = [];
  const state = { now: 7_300, isAway: false };
  const keys = new UnknownKeys({
    store: async (counts) => {
      if (state.isAway) throw new Error("away");
      written.push(...counts);
    },
    nowSeconds: () => state.now,
  });
  return { keys, written, state };
}

test("random addresses make few counts, and all requests are counted", async () => {
  const { keys, written, state } = setUp();
  for (let i = 0; i < 20_000; i++) keys.note(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`);
  for (let i = 0; i < 100; i++) keys.note(`2001:db8::${i.toString(16)}`);
  await keys.flush();
  expect(written).toHaveLength(201);
  expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(20_100);
  state.now += 3_600;
  for (let i = 0; i < 5; i++) keys.note(`2001:db8::${i.toString(16)}`);
  await keys.flush();
  expect(written.at(-1)).toMatchObject({ hour: 10_800, address: "2001:db8:0:0::/64", count: 5 });
});

test("counts wait for the database, within bounds", async () => {
  const { keys, written, state } = setUp();
  state.isAway = true;
  for (let hour = 0; hour < 20; hour++) {
    state.now += 3_600;
    for (let i = 0; i < 300; i++) keys.note(`10.0.${i >> 8}.${i & 255}`);
    await keys.flush();
  }
  state.isAway = false;
  await keys.flush();
  expect(written).toHaveLength(2_000);
});
