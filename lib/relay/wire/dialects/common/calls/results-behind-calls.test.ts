import { expect, test } from "vitest";
import { resultsBehindCalls } from "./results-behind-calls";

type Item = { name: string; calls?: readonly string[]; result?: string };

const behind = (items: readonly Item[]) =>
  resultsBehindCalls(items, { calls: ({ calls }) => calls ?? [], result: ({ result }) => result ?? null });
const namesOf = (items: readonly Item[]) => items.map(({ name }) => name).join(" ");
const call = (name: string, ...calls: string[]): Item => ({ name, calls });
const result = (name: string, of: string): Item => ({ name, result: of });
const text = (name: string): Item => ({ name });

test.each<[string, Item[], string]>([
  ["a result that is late", [call("c", "1"), text("t"), result("r", "1")], "c r t"],
  ["a result before its call", [result("r", "1"), text("t"), call("c", "1")], "t c r"],
  [
    "results in the order in which they came",
    [call("c", "1", "2"), text("t"), result("b", "2"), result("a", "1")],
    "c b a t",
  ],
  [
    "an id that is used again",
    [call("c", "1"), result("r", "1"), call("d", "1"), text("t"), result("s", "1")],
    "c r d s t",
  ],
  ["a result without a call", [text("t"), result("r", "9"), call("c", "1")], "t r c"],
  ["a call with an empty id", [call("c", ""), text("t"), result("r", "")], "c r t"],
])("%s", (_case, items, expected) => {
  expect(namesOf(behind(items))).toBe(expected);
});

test("what is in order stays the same list", () => {
  const items = [text("t"), call("c", "1"), result("r", "1")];
  expect(behind(items)).toBe(items);
});

test.each([
  ["calls with one id", (at: number) => call("c", at === 0 ? "2" : "1")],
  ["results of one call", (at: number) => (at === 0 ? call("c", "1") : result("r", "1"))],
  ["calls and results of one id in turn", (at: number) => (at % 2 ? result("r", "1") : call("c", "1"))],
  ["results before calls of one id", (at: number) => (at < 15_000 ? result("r", "1") : call("c", "1"))],
])("30,000 %s take no more than a moment", (_case, item) => {
  const items = [...Array.from({ length: 30_000 }, (_, at) => item(at)), text("t"), result("r", "1")];
  const before = process.cpuUsage();
  behind(items);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(1_000);
});
