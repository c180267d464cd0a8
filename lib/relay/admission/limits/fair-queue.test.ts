import { expect, test } from "vitest";
import { FairQueue } from "./fair-queue";

type Waiter = { owner: number; name: string };

function filled(...names: string[]): FairQueue<Waiter> {
  const queue = new FairQueue<Waiter>();
  for (const name of names) queue.push({ owner: Number(name[0]), name });
  return queue;
}

function emptied(queue: FairQueue<Waiter>): string[] {
  const names: string[] = [];
  for (let one = queue.shift(); one; one = queue.shift()) names.push(one.name);
  return names;
}

test("owners take turns, each one's own in their order", () => {
  expect(emptied(filled("1a", "1b", "1c", "2a", "3a", "3b"))).toEqual(["1a", "2a", "3a", "1b", "3b", "1c"]);
});

test("the position told is the turn that comes, if nobody else joins", () => {
  const queue = filled("1a", "1b", "1c", "2a");
  expect([queue.positionOf(1), queue.positionOf(2), queue.positionOf(3)]).toEqual([5, 4, 3]);
  queue.push({ owner: 3, name: "3a" });
  expect(emptied(queue).indexOf("3a")).toBe(2);
});

test("whoever is taken out is waited for no more", () => {
  const queue = filled("1a", "2a", "2b", "3a");
  expect(queue.remove(({ name }) => name === "2a" || name === "3a").map(({ name }) => name)).toEqual(["2a", "3a"]);
  expect([queue.size, queue.owners]).toEqual([2, 2]);
  expect(emptied(queue)).toEqual(["1a", "2b"]);
  expect([queue.size, queue.shift()]).toEqual([0, undefined]);
});
