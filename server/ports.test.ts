import { createServer } from "node:net";
import { expect, test } from "vitest";
import { listenProblem } from "./ports";

test("a port that is taken and an address of another machine are told apart, each with what to do", async () => {
  const other = createServer();
  await new Promise<void>((done) => other.listen(0, "127.0.0.1", () => done()));
  const address = other.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const taken = await listenProblem(port, "127.0.0.1");
  expect(taken).toEqual({
    text: `Port ${port} is in use.`,
    advice: `Stop the other program, or choose another port: PORT=${port + 1}`,
  });
  const metrics = await listenProblem(port, "127.0.0.1", { port: "WEIR_METRICS_PORT", host: "WEIR_METRICS_HOST" });
  expect(metrics?.advice).toContain(`WEIR_METRICS_PORT=${port + 1}`);
  await new Promise((done) => other.close(done));
  expect(await listenProblem(port, "127.0.0.1")).toBeNull();
  // Of the range for documentation: no machine has it.
  const elsewhere = await listenProblem(0, "192.0.2.1");
  expect(elsewhere?.text).toContain("Weir cannot listen on 192.0.2.1");
  expect(elsewhere?.advice).toContain("HOST");
});
