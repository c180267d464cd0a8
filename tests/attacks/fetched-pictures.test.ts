// Who: a caller whose requests of some hundred bytes name large pictures, which Weir fetches for upstreams that cannot.
// What must hold: pictures are in the memory budget before they are in memory, bounded per caller and process, until the
// request is over; who goes beyond is told why.
import { readFileSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { createRunFolder } from "@/lib/testing/run-folder";
import { chatBody, setUpRelay, until } from "../relay/harness";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process";

const MEGABYTE = 1_048_576;
const MODEL = "gemini-2.5-flash";
const relay = setUpRelay({ prices: MODEL });
const entry = setUpBundle(["gateway"]);
const journal = createRunFolder("journal");
const picture = Buffer.alloc(20 * MEGABYTE);
/** Answers that the upstream holds back. */
const held: ServerResponse[] = [];
/** Pictures that were asked for and are sent later. */
const later: ServerResponse[] = [];
let pictures: Server;
let upstream: Server;
let gateway: GatewayProcess;
const portOf = (server: Server): number => (server.address() as AddressInfo).port;

beforeAll(async () => {
  pictures = createServer((request, response) => {
    if (request.url?.includes("later")) return void later.push(response);
    const bytes = request.url?.includes("huge") ? Buffer.concat([picture, Buffer.alloc(1)]) : picture;
    response.writeHead(200, { "content-type": "image/png" }).end(bytes);
  });
  upstream = createServer((request, response) => {
    request.resume().on("end", () => held.push(response));
  });
  for (const server of [pictures, upstream])
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${portOf(upstream)}`;
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, baseUrl, models: MODEL });
  const env = { WEIR_EGRESS_ALLOW: "127.0.0.1" };
  gateway = await startGatewayProcess(entry("gateway"), relay.database.url, journal, env);
});
afterAll(async () => {
  await gateway.kill();
  for (const server of [pictures, upstream]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(journal, { recursive: true });
});

const memory = (field: "VmHWM" | "VmRSS"): number =>
  Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8"))?.[1]) / 1_024;

async function ask(key: string, paths: string[], signal: AbortSignal | null = null) {
  const content = paths.map((path) => ({
    type: "image_url",
    image_url: { url: `http://127.0.0.1:${portOf(pictures)}/${path}.png` },
  }));
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  const body = chatBody(MODEL, { messages: [{ role: "user", content }] });
  const response = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body, signal });
  return { status: response.status, text: await response.text() };
}

function answerHeld(): void {
  const candidates = [{ content: { role: "model", parts: [{ text: "A weir." }] }, finishReason: "STOP", index: 0 }];
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 3, totalTokenCount: 8 };
  for (const response of held.splice(0)) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ candidates, usageMetadata }));
  }
}

/** Runs requests together, and lets the upstream answer when all that were let through have arrived there. */
async function together(asking: ReturnType<typeof ask>[]): Promise<Awaited<ReturnType<typeof ask>>[]> {
  let done = 0;
  for (const one of asking) one.finally(() => done++);
  await until(async () => done + held.length === asking.length, 30_000);
  answerHeld();
  return Promise.all(asking);
}

describe("pictures that are fetched for requests", () => {
  test("twelve requests of one caller take no more memory than its budget, and the others are told to wait", async () => {
    const { token } = await relay.addCaller({ balance: 1_000_000_000 });
    const before = memory("VmRSS");
    const answers = await together(Array.from({ length: 12 }, () => ask(token.key, ["a"])));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, text } of refused)
      expect([status, text]).toEqual([429, expect.stringContaining("body_limit_exceeded")]);
    expect(memory("VmHWM") - before).toBeLessThan(450);
  }, 60_000);

  test("what a request held is free when it is over; a picture that is too large is 413", async () => {
    const { token } = await relay.addCaller({ balance: 1_000_000_000 });
    const answers = await together([ask(token.key, ["a", "b"])]);
    expect(answers.map(({ status }) => status)).toEqual([200]);
    const [large] = await together([ask(token.key, ["huge"])]);
    expect([large?.status, large?.text]).toEqual([413, expect.stringContaining("is too large")]);
  }, 60_000);

  test("a picture that is still on its way when its caller leaves holds nothing afterwards, and no other one is asked for", async () => {
    const { user, token } = await relay.addCaller({ balance: 1_000_000_000 });
    for (let at = 1; at <= 3; at++) {
      const leaving = new AbortController();
      const left = ask(token.key, ["later", "later-still"], leaving.signal).catch(() => "left");
      await until(async () => later.length === 1);
      leaving.abort();
      expect(await left).toBe("left");
      // Its request is over.
      await until(async () => (await relay.logsOf(user)).length === at);
      const [response] = later.splice(0);
      const isOver = new Promise((done) => response?.once("close", done));
      response?.writeHead(200, { "content-type": "image/png" }).end(picture);
      await isOver;
    }
    const answers = await together([ask(token.key, ["a"])]);
    expect(answers.map(({ status }) => status)).toEqual([200]);
    expect(later).toHaveLength(0);
  }, 60_000);
});
