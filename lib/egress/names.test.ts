import { createSocket, type Socket } from "node:dgram";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createCallersNames, createChannelNames } from "./names";

/** A lookup that is answered by hand. */
function setUpNames() {
  let now = 0;
  const asked: { host: string; answer: (addresses: string[]) => void; fail: () => void }[] = [];
  const resolve = createChannelNames(
    (host) => new Promise((answer, reject) => asked.push({ host, answer, fail: () => reject(new Error("ENOTFOUND")) })),
    () => now,
  );
  const settled = () => new Promise<void>((done) => setImmediate(done));
  const pass = (ms: number) => {
    now += ms;
  };
  return { resolve, asked, settled, pass };
}

describe("names of channels", () => {
  test("are asked for once at a time, and remembered", async () => {
    const { resolve, asked, pass } = setUpNames();
    const first = [resolve("a"), resolve("a"), resolve("b")];
    expect(asked.map(({ host }) => host)).toEqual(["a", "b"]);
    asked[0]?.answer(["1.1.1.1"]);
    asked[1]?.answer(["2.2.2.2"]);
    expect(await Promise.all(first)).toEqual([["1.1.1.1"], ["1.1.1.1"], ["2.2.2.2"]]);
    pass(19_000);
    expect(await resolve("a")).toEqual(["1.1.1.1"]);
    expect(asked).toHaveLength(2);
  });

  test("a changed address is used within a minute, and nobody waits for it", async () => {
    const { resolve, asked, pass, settled } = setUpNames();
    const first = resolve("a");
    asked[0]?.answer(["1.1.1.1"]);
    await first;
    pass(21_000);
    expect(await resolve("a")).toEqual(["1.1.1.1"]);
    asked[1]?.answer(["9.9.9.9"]);
    await settled();
    expect(await resolve("a")).toEqual(["9.9.9.9"]);
    // Where nobody asked for a while, the connection waits for the answer.
    pass(60_000);
    const next = resolve("a");
    asked[2]?.answer(["8.8.8.8"]);
    expect(await next).toEqual(["8.8.8.8"]);
  });

  test("the last good address stays where the name cannot be resolved, or is not answered", async () => {
    const { resolve, asked, pass } = setUpNames();
    const first = resolve("a");
    asked[0]?.answer(["1.1.1.1"]);
    await first;
    pass(60_000);
    const failing = resolve("a");
    asked[1]?.fail();
    expect(await failing).toEqual(["1.1.1.1"]);
    // It rests for a while, and then one connection asks again.
    expect(await resolve("a")).toEqual(["1.1.1.1"]);
    expect(asked).toHaveLength(2);
    pass(6_000);
    expect(await resolve("a")).toEqual(["1.1.1.1"]);
    expect(asked).toHaveLength(3);
    pass(3_700_000);
    const gone = resolve("a");
    asked[2]?.fail();
    await expect(gone).rejects.toThrow("ENOTFOUND");
  });
});

const HELD = "held.weir.example";
let server: Socket;
let questions: { name: string; answer: () => void }[] = [];

/** The answer to a question for an A record; others are answered without a record. */
function answerTo(question: Buffer): Buffer {
  const type = question.readUInt16BE(question.length - 4);
  const end = question.indexOf(0, 12) + 5;
  const isA = question.readUInt16BE(end - 4) === 1 || type === 1;
  const header = Buffer.from(question.subarray(0, 12));
  header.writeUInt16BE(0x8180, 2);
  header.writeUInt16BE(isA ? 1 : 0, 6);
  header.writeUInt16BE(0, 8);
  header.writeUInt16BE(0, 10);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 93, 184, 215, 14]);
  return Buffer.concat([header, question.subarray(12, end), ...(isA ? [record] : [])]);
}

describe("names that callers give", () => {
  beforeAll(async () => {
    server = createSocket("udp4");
    server.on("message", (message, from) => {
      const name = message.subarray(12).toString("latin1");
      const answer = () => server.send(answerTo(message), from.port, from.address);
      if (/\bheld\b/.test(name)) questions.push({ name, answer });
      else answer();
    });
    await new Promise<void>((done) => server.bind(0, "127.0.0.1", done));
    vi.stubEnv("WEIR_EGRESS_DNS", `127.0.0.1:${server.address().port}`);
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    server.close();
  });

  test("are asked of the name servers, and of the hosts file before", async () => {
    const resolve = createCallersNames();
    expect(await resolve("pictures.weir.example")).toEqual(["93.184.215.14"]);
    expect(await resolve("localhost")).toContain("127.0.0.1");
  });

  test("a name that is never answered ends by itself", async () => {
    const resolve = createCallersNames({ limitMs: 60 });
    await expect(resolve(HELD)).rejects.toMatchObject({ code: "ETIMEOUT" });
  });

  test("a name whose time runs out before the first question is not asked for", async () => {
    const resolve = createCallersNames({ atOnce: 200, limitMs: 1 });
    const startedAt = performance.now();
    const ends = await Promise.allSettled(Array.from({ length: 200 }, (_, at) => resolve(`${at}.early.${HELD}`)));
    expect(ends.every(({ status }) => status === "rejected")).toBe(true);
    // A question that nobody cancels takes six seconds.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  test("no more than so many are asked at once, and who waits has the same limit", async () => {
    questions = [];
    const resolve = createCallersNames({ atOnce: 2, limitMs: 2_000 });
    const held = [resolve(HELD), resolve(`1.${HELD}`)];
    const third = resolve("pictures.weir.example");
    await vi.waitFor(() => expect(new Set(questions.map(({ name }) => name)).size).toBe(4));
    for (const { answer } of questions) answer();
    expect(await Promise.all(held)).toEqual([["93.184.215.14"], ["93.184.215.14"]]);
    expect(await third).toEqual(["93.184.215.14"]);
    const full = createCallersNames({ atOnce: 1, limitMs: 500 });
    const startedAt = performance.now();
    const ends = await Promise.allSettled([full(HELD), full(`2.${HELD}`)]);
    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    // One after the other would take twice the limit.
    expect(performance.now() - startedAt).toBeLessThan(950);
  });
});
