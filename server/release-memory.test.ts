// Who: an operator of a small machine, whose console keeps what opening a page took for as long as nobody comes back.
import { getHeapSpaceStatistics } from "node:v8";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { releaseMemory, releaseWhenQuiet } from "./release-memory";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const heapBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space")?.space_size ?? 0;

/** Some 20 MB of the heap, of which little is needed: a few objects on each of V8's pages. Returns these. */
function scatter(): object[] {
  const made = Array.from({ length: 20_000 }, () => Array.from({ length: 120 }, (_, index) => index));
  return made.filter((_, index) => index % 200 === 0);
}

test("memory that the heap holds between what is needed is given back", async () => {
  releaseMemory();
  const before = heapBytes();
  const kept = scatter();
  const scattered = heapBytes();
  // What other tests of this worker have left may go at the next collection only, and holds whole pages until then.
  const held = () => {
    releaseMemory();
    return heapBytes() - before;
  };
  await vi.waitFor(() => expect(held()).toBeLessThan((scattered - before) / 5));
  expect(kept).toHaveLength(100);
});

test("a process that nobody uses gives memory back ten seconds after the last request", async () => {
  releaseMemory();
  const use = releaseWhenQuiet();
  const kept = scatter();
  const scattered = heapBytes();
  await vi.advanceTimersByTimeAsync(9_000);
  use.begin();
  // A long download.
  await vi.advanceTimersByTimeAsync(20_000);
  use.end();
  await vi.advanceTimersByTimeAsync(9_000);
  expect(heapBytes()).toBeGreaterThanOrEqual(scattered);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(heapBytes()).toBeLessThan(scattered);
  expect(kept).toHaveLength(100);
});
