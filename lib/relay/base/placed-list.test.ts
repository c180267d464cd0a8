import { expect, test } from "vitest";
import { PlacedList } from "./placed-list";

test("each thing knows its place, in whatever order others leave", () => {
  const list = new PlacedList<{ place: number; name: string }>();
  const all = [..."abcde"].map((name) => ({ place: -1, name }));
  for (const one of all) list.add(one);
  for (const at of [1, 4, 0, 1, 2, 3]) {
    const one = all[at];
    if (one) list.remove(one);
    expect(list.items.map(({ place }) => place)).toEqual([...list.items.keys()]);
    expect(one?.place).toBe(-1);
  }
  expect(list.items).toEqual([]);
});
