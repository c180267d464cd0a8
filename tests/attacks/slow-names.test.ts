// Who: a caller whose requests name pictures at hosts whose name servers never answer. The system resolves two names at a
// time, and nothing can end it.
// What must hold: names that callers give take no place from those of channels, and end by themselves.
import { createSocket, type Socket } from "node:dgram";
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { chatBody, setUpRelay } from "../relay/harness";

const PICTURES = "gemini-2.5-flash";
const relay = setUpRelay({ prices: `fake-gpt,${PICTURES}` });
const systemLookup = dns.lookup;
/** Those that the system works on, and those that wait for them. */
let working = 0;
const waiting: (() => void)[] = [];
const release: (() => void)[] = [];
let silent: Socket;
const questions: { message: Buffer; port: number }[] = [];

/** Says of all names that they do not exist. */
function denyAll(): void {
  for (const { message, port } of questions.splice(0)) {
    const answer = Buffer.from(message);
    answer.writeUInt16BE(0x8183, 2);
    silent.send(answer, port, "127.0.0.1");
  }
}

/** As getaddrinfo in libuv's pool: two at a time. Names of callers are never answered. */
async function lookup(host: string): Promise<object[]> {
  if (working === 2) await new Promise<void>((go) => waiting.push(go));
  working += 1;
  if (host.endsWith(".caller.example")) await new Promise<void>((go) => release.push(go));
  working -= 1;
  waiting.shift()?.();
  return [{ address: "127.0.0.1", family: 4 }];
}

beforeAll(async () => {
  dns.lookup = lookup as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  silent = createSocket("udp4");
  silent.on("message", (message, { port }) => questions.push({ message, port }));
  await new Promise<void>((done) => silent.bind(0, "127.0.0.1", done));
  vi.stubEnv("WEIR_EGRESS_DNS", `127.0.0.1:${silent.address().port}`);
});
afterAll(() => {
  for (const go of release) go();
  dns.lookup = systemLookup;
  syncBuiltinESMExports();
  vi.unstubAllEnvs();
  silent.close();
});

test("ten requests with pictures at hosts that are never resolved stop no connection to an upstream", async () => {
  const port = new URL(relay.upstream.url).port;
  await relay.addChannel({ type: CHANNEL_TYPE.gemini, models: PICTURES });
  await relay.addChannel({ models: "fake-gpt", baseUrl: `http://upstream.weir.example:${port}` });
  await relay.inForce();
  const { token } = await relay.addCaller();
  const asked = new Promise<void>((done) => silent.once("message", () => done()));
  const attacks = Array.from({ length: 10 }, (_, at) => {
    const image_url = { url: `https://host-${at}.caller.example/a.png` };
    const content = [{ type: "image_url", image_url }];
    return relay.post(token.key, chatBody(PICTURES, { messages: [{ role: "user", content }] }));
  });
  let ended = 0;
  for (const attack of attacks) attack.then(() => ended++);
  await asked;
  const { token: other } = await relay.addCaller();
  expect((await relay.post(other.key, chatBody("fake-gpt"))).status).toBe(200);
  expect(ended).toBe(0);
  silent.on("message", denyAll);
  denyAll();
  const answers = await Promise.all(attacks);
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 400));
}, 15_000);
