import { connect } from "node:net";
import { beforeAll, expect, test } from "vitest";
import { chatBody, setUpRelay } from "../harness";

const WAIT_MS = 300;
const SLOW = `fake-gpt:delay=${WAIT_MS}`;
/** Timers may fire a little early. */
const SLACK_MS = 5;

const models = `${SLOW},fake-gpt,fake-error-500`;
const relay = setUpRelay({ prices: models, channels: [{ models }] });
let key: string;
beforeAll(async () => {
  ({ key } = (await relay.addCaller()).token);
});

const OVERHEAD = "x-weir-overhead-ms";

test.each([true, false])("the wait for an upstream is not counted as Weir's own time (stream: %s)", async (stream) => {
  const startedAt = performance.now();
  const { status, headers } = await relay.post(key, chatBody(SLOW, { stream }));
  const tookMs = performance.now() - startedAt;
  expect(status).toBe(200);
  const overheadMs = Number(headers.get(OVERHEAD) ?? Number.NaN);
  expect(overheadMs).toBeGreaterThan(0);
  expect(overheadMs).toBeLessThan(tookMs - WAIT_MS + SLACK_MS);
});

test.each([
  ["fake-error-500", 500],
  ["unheard-of", 404],
])("an error tells Weir's own time too (%s)", async (model, status) => {
  const answer = await relay.post(key, chatBody(model));
  expect(answer.status).toBe(status);
  expect(answer.headers.get(OVERHEAD)).toMatch(/^\d+\.\d$/);
});

test("the time that a caller takes to send its body is not counted as Weir's own", async () => {
  const body = chatBody("fake-gpt");
  const { hostname, port } = new URL(relay.url);
  const startedAt = performance.now();
  const head = await new Promise<string>((done, fail) => {
    const socket = connect(Number(port), hostname);
    socket.once("error", fail);
    socket.once("data", (bytes) => {
      socket.destroy();
      done(bytes.toString("latin1"));
    });
    const headers = ["host: weir", `authorization: Bearer ${key}`, `content-length: ${body.length}`];
    const start = ["POST /v1/chat/completions HTTP/1.1", ...headers, "", body.slice(0, 10)].join("\r\n");
    socket.write(start, () => setTimeout(() => socket.write(body.slice(10)), WAIT_MS));
  });
  expect(head).toMatch(/^HTTP\/1.1 200/);
  const overheadMs = Number(/x-weir-overhead-ms: ([\d.]+)/i.exec(head)?.[1] ?? Number.NaN);
  expect(overheadMs).toBeLessThan(performance.now() - startedAt - WAIT_MS + SLACK_MS);
});
