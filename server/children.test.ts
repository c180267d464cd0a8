import { expect, test } from "vitest";
import { type ChildNeverReady, superviseChild } from "./children";
import { planReplacement } from "./drain-limits";

function supervise(env: Record<string, string>) {
  const deaths: string[] = [];
  const child = superviseChild({
    name: "../tests/runtime/failing-process",
    env: { ...process.env, ...env },
    flags: ["--import", "tsx"],
    onDeath: (message) => void deaths.push(message),
  });
  const failure = child.ready.then(
    () => null,
    (error: ChildNeverReady) => error,
  );
  return { child, deaths, failure };
}

test("a process that ends five times at the start ends the start, with its own reason and exit code", async () => {
  const thrown = supervise({ FAILING_REASON: "the port is made of cheese" });
  const left = supervise({ FAILING_CODE: "78" });
  const [withReason, withCode] = await Promise.all([thrown.failure, left.failure]);
  expect(withReason?.message).toContain("ended 5 times without having been ready (code 1): the port is made of cheese");
  expect(withReason?.exitCode).toBe(1);
  expect(withCode?.exitCode).toBe(78);
  expect(withCode?.message).toContain("(code 78)");
  expect([thrown.deaths.length, left.deaths.length]).toEqual([4, 4]);
  await Promise.all([thrown, left].map(({ child }) => child.stop(planReplacement())));
}, 60_000);
