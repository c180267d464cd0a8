import { Worker } from "node:worker_threads";
import { afterEach, expect, test } from "vitest";
import { countTokens } from "./count-tokens";
import { encodingOf, TokenCounter } from "./token-counter";

const HELLO = { encoding: "o200k_base", texts: ["hello world"] } as const;
const started: Worker[] = [];

afterEach(() => Promise.all(started.splice(0).map((thread) => thread.terminate())));

/** A thread that does `code` with each message. */
function threadThat(code: string): () => Worker {
  return () => {
    const source = `const { parentPort } = require("node:worker_threads");
      parentPort.on("message", (request) => { ${code} });`;
    const thread = new Worker(source, { eval: true });
    started.push(thread);
    return thread;
  };
}

const answering = "parentPort.postMessage({ tokens: request.texts[0].length });";

function counterOf(startThread: () => Worker, settings: Partial<ConstructorParameters<typeof TokenCounter>[0]> = {}) {
  const missed: string[] = [];
  const onMissed = (reason: string) => missed.push(reason);
  const given = { startThread, onMissed, countMs: 5_000, countsMax: 8, restMs: 60_000, ...settings };
  return { counter: new TokenCounter(given), missed };
}

test("a thread that is killed in mid-count loses that count only, and another one goes on", async () => {
  const hangsOnX = `if (request.texts[0] !== "x") ${answering}`;
  const { counter, missed } = counterOf(threadThat(hangsOnX));
  expect(await counter.count(HELLO)).toBe(11);
  const lost = counter.count({ ...HELLO, texts: ["x"] });
  const after = counter.count(HELLO);
  await started[0]?.terminate();
  expect(await Promise.all([lost, after])).toEqual([null, 11]);
  expect(missed).toHaveLength(1);
  expect(started).toHaveLength(2);
});

test("a thread that cannot be started is not started again and again", async () => {
  const { counter } = counterOf(threadThat("process.exit(1);"));
  const counts = Array.from({ length: 5 }, () => counter.count(HELLO));
  expect(await Promise.all(counts)).toEqual([null, null, null, null, null]);
  expect(await counter.count(HELLO)).toBeNull();
  expect(started).toHaveLength(1);
});

test("after its rest it is started again", async () => {
  let code = "process.exit(1);";
  const { counter } = counterOf(() => threadThat(code)(), { restMs: 0 });
  expect(await counter.count(HELLO)).toBeNull();
  code = answering;
  expect(await counter.count(HELLO)).toBe(11);
});

test("a thread that hangs is given up after the time of a count, and replaced", async () => {
  const { counter, missed } = counterOf(threadThat(`if (request.texts[0] === "x") for (;;) {} ${answering}`), {
    countMs: 300,
  });
  await expect.poll(() => counter.count(HELLO)).toBe(11);
  missed.length = 0;
  const hanging = counter.count({ ...HELLO, texts: ["x"] });
  expect(await hanging).toBeNull();
  expect(missed).toEqual(["counting took too long"]);
  await expect.poll(() => counter.count(HELLO)).toBe(11);
});

test("a flood of counts is refused at once beyond the bound, and the rest is counted", async () => {
  const { counter, missed } = counterOf(threadThat(answering), { countsMax: 3 });
  const counts = await Promise.all(Array.from({ length: 50 }, () => counter.count(HELLO)));
  expect(counts.filter((tokens) => tokens === 11)).toHaveLength(3);
  expect(missed).toHaveLength(47);
  expect(await counter.count(HELLO)).toBe(11);
});

test("counts that are free neither delay nor crowd out those that somebody is charged by", async () => {
  const slowly = `const until = Date.now() + 20; while (Date.now() < until); ${answering}`;
  const { counter, missed } = counterOf(threadThat(slowly), { countsMax: 16 });
  expect(await counter.count(HELLO)).toBe(11);
  const order: string[] = [];
  const note = (name: string) => (tokens: number | null) => void (tokens === null || order.push(name));
  const free = Array.from({ length: 30 }, () => counter.count(HELLO, true).then(note("free")));
  const charged = Array.from({ length: 16 }, () => counter.count(HELLO).then(note("charged")));
  await Promise.all([...free, ...charged]);
  expect(missed).toHaveLength(28);
  // The first free one was being counted already.
  expect(order).toEqual(["free", ...new Array<string>(16).fill("charged"), "free"]);
});

test("an error in one count is no error of the next", async () => {
  const { counter, missed } = counterOf(
    threadThat(`if (request.texts[0] === "x") parentPort.postMessage({ error: "no" }); else ${answering}`),
  );
  expect(await Promise.all([counter.count({ ...HELLO, texts: ["x"] }), counter.count(HELLO)])).toEqual([null, 11]);
  expect(missed).toEqual(["no"]);
});

test("what is not counted is estimated by its length, also where parts of it stand for the whole", async () => {
  const { counter } = counterOf(threadThat("process.exit(1);"));
  expect(await countTokens(["hello world"], "gpt-4o", counter)).toBe(4);
  const many = await countTokens(["a".repeat(3_000_000)], "gpt-4o", counter);
  expect(many).toBeGreaterThan(995_000);
  expect(many).toBeLessThan(1_005_000);
});

test("a thread that waits for work does not keep the process from ending", async () => {
  const held = () => process.getActiveResourcesInfo().filter((name) => name === "MessagePort" || name === "Worker");
  const before = held().length;
  const { counter } = counterOf(threadThat(answering));
  expect(await counter.count(HELLO)).toBe(11);
  expect(held()).toHaveLength(before);
});

test.each([
  "gpt-4",
  "gpt-4-turbo-2024-04-09",
  "gpt-4-32k",
  "openai/gpt-4",
  "gpt-3.5-turbo",
  "gpt-35-turbo",
  "ft:gpt-3.5-turbo:acme",
  "text-embedding-3-small",
])("%s is counted with the older encoding", (model) => {
  expect(encodingOf(model)).toBe("cl100k_base");
});

test.each([
  "gpt-4o",
  "gpt-4o-mini",
  "gpt-4.1",
  "gpt-4.5-preview",
  "gpt-5",
  "o3",
  "chatgpt-4o-latest",
  "claude-opus-4",
  "",
])("%s is counted with the current encoding", (model) => {
  expect(encodingOf(model)).toBe("o200k_base");
});
