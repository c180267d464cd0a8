import { expect, test } from "vitest";
import { createKeyRotation } from "./key-rotation";

const holder = (keyMode: "polling" | "random", ids = [1, 2, 3]) => ({
  id: 7,
  keys: ids.map((id) => ({ id, key: `k${id}` })),
  setting: { keyMode },
});
const never = () => 0;

test("keys take turns, and a channel with one key has none to choose", () => {
  const rotation = createKeyRotation();
  const asked = Array.from({ length: 5 }, () => rotation.next(holder("polling"), never)?.id);
  expect(asked).toEqual([1, 2, 3, 1, 2]);
  expect(rotation.next({ ...holder("polling"), keys: null }, never)).toBeNull();
});

test("random draws by lot", () => {
  const rotation = createKeyRotation();
  const drawn = [0.99, 0, 0.4].map((number) => rotation.next(holder("random"), () => number)?.id);
  expect(drawn).toEqual([3, 1, 2]);
});

test("a key that rests is passed over until its time is up, and asked when no other is awake", () => {
  let now = 0;
  const rotation = createKeyRotation(() => now);
  rotation.rest(2, 1_000);
  expect([1, 2, 3].map(() => rotation.next(holder("polling"), never)?.id)).toEqual([1, 3, 1]);
  rotation.rest(1, 1_000);
  rotation.rest(3, 1_000);
  expect(rotation.hasAwake(holder("polling"))).toBe(false);
  expect(rotation.next(holder("polling"), never)?.id).toBeDefined();
  now = 1_001;
  expect(rotation.hasAwake(holder("polling"))).toBe(true);
});

test("a key that is taken away meanwhile does not break the turns", () => {
  const rotation = createKeyRotation();
  for (let i = 0; i < 3; i++) rotation.next(holder("polling"), never);
  rotation.next(holder("polling"), never);
  expect(rotation.next(holder("polling", [9]), never)?.id).toBe(9);
});

test("a rest is not shortened by a request that was on its way", () => {
  let now = 0;
  const rotation = createKeyRotation(() => now);
  rotation.rest(1, 60_000);
  rotation.rest(1, 10_000);
  now = 11_000;
  expect(rotation.hasAwake(holder("polling", [1]))).toBe(false);
  now = 60_000;
  expect(rotation.hasAwake(holder("polling", [1]))).toBe(true);
});
