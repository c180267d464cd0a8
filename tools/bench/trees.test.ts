import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { answersTable, type Row } from "./answers-table";
import { parseFlags } from "./flags";
import { lowerQuartile, median, seededRandom, shuffled, upperQuartile } from "./statistics";
import { parseTrees } from "./trees";

describe("--trees", () => {
  test("a tree is a folder, a commit or a bundle, with a name of its own or without", () => {
    expect(parseTrees("../old,mid=82ed8aa7,new one=dist/gateway.js")).toEqual([
      { name: "../old", place: "../old" },
      { name: "mid", place: "82ed8aa7" },
      { name: "new one", place: "dist/gateway.js" },
    ]);
  });

  test.each([
    ["old,,new", "a place is empty"],
    ["floor=.", "the name floor is taken"],
    ["a=x,a=y", "the name a is given twice"],
  ])("%s is refused", (text, reason) => {
    expect(() => parseTrees(text)).toThrow(reason);
  });
});

describe("options", () => {
  const parsed = (...args: string[]) => {
    const flags = parseFlags(args);
    if (flags === "help") throw new Error("help");
    return flags;
  };

  test("the core of its own can be asked for and refused", () => {
    expect(parsed("--pin").pin).toBe(true);
    expect(parsed("--no-pin").pin).toBe(false);
    // Another's gateway runs where it does, and is compared with what may run there as well.
    expect(parsed("--against", "other=http://127.0.0.1:1,key").pin).toBe(false);
  });

  test("callers may be several numbers; what is none is refused", () => {
    expect(parsed("--callers", "8,64").callers).toBe("8,64");
    expect(() => parsed("--callers", "8,many")).toThrow("--callers must be numbers");
    expect(() => parsed("--callers", "0")).toThrow("--callers must be numbers");
    expect(() => parsed("--seed", "x")).toThrow("--seed must be a number");
  });
});

describe("rounds", () => {
  const alternatives = ["floor", "a", "b", "c"];

  test("the order follows from the seed, and everybody has every place", () => {
    const orders = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 200 }, () => shuffled(alternatives, random));
    };
    expect(orders(7)).toEqual(orders(7));
    expect(orders(7)).not.toEqual(orders(8));
    for (const name of alternatives)
      for (const place of alternatives.keys()) {
        const times = orders(7).filter((order) => order[place] === name).length;
        expect(times).toBeGreaterThan(25);
        expect(times).toBeLessThan(75);
      }
    expect(orders(7).every((order) => order.toSorted().join() === "a,b,c,floor")).toBe(true);
  });

  test("quartiles lie between values, and unknown values do not count", () => {
    expect([lowerQuartile, median, upperQuartile].map((of) => of([5, Number.NaN, 1, 3, 2]))).toEqual([1.75, 2.5, 3.5]);
    expect(median([Number.NaN])).toBeNaN();
    expect(median([])).toBeNaN();
  });

  test("the ratio is that within each round, so what slows a whole round down does not change it", () => {
    const row = (round: number, name: string, cpuUs: number, p50Ms: number): Row => ({
      ...{ round, name, cpuUs, p50Ms, answers: 1, chunks: 0, failures: 0, perSecond: 1, reasons: new Map() },
      ...{ databaseUs: Number.NaN, allocatedBytes: Number.NaN, memoryMib: Number.NaN },
      ...{ p99Ms: 1, firstByteP50Ms: 1, firstByteP99Ms: 1 },
    });
    // Round 2 has a busy machine: everything takes four times as long.
    const slowdowns = [1, 4, 1.5];
    const rows = slowdowns.flatMap((factor, index) => [
      row(index, "floor", 50 * factor, 2),
      row(index, "weir", 100 * factor, 2 + factor),
    ]);
    const [line = ""] = answersTable(rows, "answer").split("\n").slice(-1);
    const cells = line.split(" | ");
    expect(cells.slice(3, 7)).toEqual(["150.0", "125.0–275.0", "2.00", "2.00–2.00"]);
    expect(cells.slice(9, 11)).toEqual(["3.50", "1.50"]);
  });
});

describe("what a measured process allocates", () => {
  const reporter = pathToFileURL(join(import.meta.dirname, "report-memory.mjs")).href;
  // A megabyte and a half in small objects, whenever it is asked to; what it made before is garbage.
  const program = `let kept; process.on("message", ({ type }) => {
    if (type !== "make") return;
    for (let index = 0; index < 40_000; index++) kept = { index, more: index + 0.5, list: [index] };
    process.send({ made: kept.index });
  });`;

  test("is counted across collections, and asking alone costs little", async () => {
    const flags = ["--max-semi-space-size=1", "--import", reporter, "--input-type=module", "-e", program];
    const child = spawn(process.execPath, flags, { stdio: ["ignore", "inherit", "inherit", "ipc"] });
    const ask = async <Value>(type: string, answer: string): Promise<Value> => {
      child.send({ type });
      for (;;) {
        const [message] = await once(child, "message");
        if (answer in message) return message[answer];
      }
    };
    const allocated = () => ask<number>("allocated", "allocated");
    expect(await allocated()).toBe(0);
    await allocated();
    // The least of three: what else the process does meanwhile is not what asking costs.
    let asking = Number.POSITIVE_INFINITY;
    for (let turn = 0; turn < 3; turn++) {
      const before = await allocated();
      asking = Math.min(asking, (await allocated()) - before);
    }
    const start = await allocated();
    for (let turn = 0; turn < 20; turn++) await ask("make", "made");
    const made = (await allocated()) - start;
    child.disconnect();
    await once(child, "exit");
    expect(asking).toBeLessThan(100_000);
    // Each object has three fields and a list: between 50 and 200 bytes.
    expect(made / (20 * 40_000)).toBeGreaterThan(50);
    expect(made / (20 * 40_000)).toBeLessThan(200);
  });
});
