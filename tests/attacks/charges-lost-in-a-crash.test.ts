// Who: somebody who gets answers and then sees the gateway or its database fall over: by kill -9, by a deploy while the
// database is away, by a disk that fills up; or an operator who wants to know what such a moment cost.
// What must hold: what was delivered is charged, once, at most a second of a stream excepted; where neither the database
// nor the disk can keep a charge, nothing new is admitted.
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { createJournal } from "@/lib/billing/journal";
import { type JournalFolder, openJournalFolder } from "@/lib/billing/journal-folder";
import { listPending } from "@/lib/billing/pending-queries";
import { listJournals, readJournal } from "@/lib/billing/read-journal";
import { encodeSettlement } from "@/lib/billing/settlement-row";
import { settlementOf, startBillingProcess } from "@/lib/testing/billing";
import { setUpBundle } from "@/lib/testing/bundled-server";
import { startDatabaseProxy } from "@/lib/testing/database-proxy";
import { startFakeRealtime } from "@/lib/testing/fake-realtime";
import { createRunFolder } from "@/lib/testing/run-folder";
import { startTroubledProxy } from "@/lib/testing/troubled-proxy";
import { chatBody, setUpRelay, until } from "../relay/harness";
import { openSession, MODEL as VOICE } from "../relay/realtime-harness";
import { type GatewayProcess, readJournals, startGatewayProcess } from "./gateway-process";

const SLOW_STREAM = "fake-gpt:chunks=400:pace=20";
const SLOW_ANSWER = "fake-gpt:chunks=10:delay=1500";
const models = `fake-gpt,${SLOW_STREAM},${SLOW_ANSWER}`;
const relay = setUpRelay({
  prices: `${models},${VOICE}`,
  options: { AudioRatio: { [VOICE]: 20 } },
  channels: [{ models }],
});
const entry = setUpBundle(["gateway"]);
const journal = createRunFolder("journal");
const processes: GatewayProcess[] = [];

const settled = (requestId: string, userId: number, quota: number) =>
  encodeSettlement(settlementOf({ requestId, userId, quota }));

afterEach(async () => {
  for (const process of processes.splice(0)) await process.kill();
});
afterAll(() => rmSync(journal, { recursive: true }));

async function startGateway(
  databaseUrl = relay.database.url,
  env: Record<string, string> = {},
): Promise<GatewayProcess> {
  const started = await startGatewayProcess(entry("gateway"), databaseUrl, journal, env);
  processes.push(started);
  return started;
}

function ask(gateway: GatewayProcess, key: string, body: string): Promise<Response> {
  const headers = { "content-type": "application/json", authorization: `Bearer ${key}` };
  return fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
}

/** Reads a stream until it has that many frames, and does not leave it then. */
async function readFrames({ body }: Response, frames: number): Promise<void> {
  const reader = body?.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; text.split("\n\n").length <= frames; ) {
    const piece = await reader?.read();
    if (!piece?.value) throw new Error(`the stream ended: ${text.slice(-200)}`);
    text += decoder.decode(piece.value, { stream: true });
  }
}

test("kill -9 in the middle of a stream and of a session: what was delivered is charged at the next start, once, and what was charged stays", async () => {
  const fake = await startFakeRealtime();
  await relay.addChannel({ baseUrl: fake.url, models: VOICE });
  await relay.inForce();
  const [streaming, speaking] = [await relay.addCaller(), await relay.addCaller()];
  const gateway = await startGateway();
  const session = await openSession(gateway.url, speaking.token.key);
  session.respond();
  await session.next("response.done");
  await until(async () => (await relay.logsOf(speaking.user)).length === 1, 5_000);
  const response = await ask(gateway, streaming.token.key, chatBody(SLOW_STREAM, { stream: true, max_tokens: 400 }));
  session.respond({ deltas: "400", pace: "20" });
  await Promise.all([readFrames(response, 100), session.next("response.output_audio.delta", 102)]);
  await gateway.kill();
  expect(await relay.logsOf(streaming.user)).toEqual([]);
  await Promise.all([startGateway(), startGateway()]);
  await until(async () => (await relay.logsOf(streaming.user)).length > 0, 15_000);
  await until(async () => (await relay.logsOf(speaking.user)).length > 1, 15_000);
  const rows = await relay.logsOf(streaming.user);
  expect(rows).toMatchObject([
    { type: 2, stream: true, model: SLOW_STREAM, other: { outcome: "lost", estimated: true } },
  ]);
  // 100 frames in 2 s, each a word of about a token; the last second may be missing.
  expect(rows[0]?.completion).toBeGreaterThan(40);
  expect(rows[0]?.completion).toBeLessThan(220);
  const spoken = await relay.logsOf(speaking.user);
  expect(spoken).toMatchObject([
    { quota: 2_130 },
    { type: 2, model: VOICE, other: { outcome: "lost", estimated: true } },
  ]);
  // 100 pieces of a tenth of a second in 2 s, two tokens each; the last second may be missing.
  expect(spoken[1]?.completion).toBeGreaterThan(80);
  expect(spoken[1]?.completion).toBeLessThan(220);
  await until(() => readdirSync(journal).filter((name) => !name.endsWith(".claim")).length === 0, 15_000);
  await fake.close();
}, 90_000);

test("an answer ends as soon as its charge is on the disk: the database need not answer, and kill -9 right after it loses nothing", async () => {
  const proxy = await startTroubledProxy(relay.database.url);
  const { user, token } = await relay.addCaller();
  const gateway = await startGateway(proxy.url);
  // The first request gets the process its part of the balance.
  await (await ask(gateway, token.key, chatBody("fake-gpt"))).text();
  await until(async () => (await relay.logsOf(user)).length === 1, 5_000);
  proxy.pause();
  const answer = await ask(gateway, token.key, chatBody("fake-gpt"));
  expect(await answer.json()).toMatchObject({ choices: [{ finish_reason: "stop" }] });
  const stream = await (await ask(gateway, token.key, chatBody("fake-gpt", { stream: true }))).text();
  expect(stream).toContain("[DONE]");
  await gateway.kill();
  await proxy.close();
  expect(await relay.logsOf(user)).toHaveLength(1);
  await startGateway();
  await until(async () => (await relay.logsOf(user)).length === 3, 15_000);
  expect(await relay.logsOf(user)).toMatchObject(Array(3).fill({ type: 2, other: { lines: expect.any(Array) } }));
}, 90_000);

test("where the operator wants it, an answer ends only when its charge is in the database", async () => {
  const proxy = await startTroubledProxy(relay.database.url);
  const { user, token } = await relay.addCaller();
  const gateway = await startGateway(proxy.url, { WEIR_DURABLE_CHARGE: "database" });
  await (await ask(gateway, token.key, chatBody("fake-gpt"))).text();
  expect(await relay.logsOf(user)).toHaveLength(1);
  proxy.pause();
  let hasEnded = false;
  const text = ask(gateway, token.key, chatBody("fake-gpt"))
    .then((response) => response.text())
    .finally(() => {
      hasEnded = true;
    });
  // The journal has it meanwhile.
  await until(() => readJournals(journal).some(({ length }) => length > 500), 5_000);
  expect(hasEnded).toBe(false);
  proxy.resume();
  expect(await text).toContain("stop");
  expect(await relay.logsOf(user)).toHaveLength(2);
  await proxy.close();
}, 90_000);

test("with an Idempotency-Key an answer ends only when its charge is in the database, and a repeat after an outage gets it", async () => {
  const proxy = await startTroubledProxy(relay.database.url);
  const { user, token } = await relay.addCaller();
  const gateway = await startGateway(proxy.url);
  const headers = { "idempotency-key": "once", authorization: `Bearer ${token.key}` };
  const request = { method: "POST", headers, body: chatBody(SLOW_ANSWER) };
  const asked = relay.upstream.requests.length;
  let hasEnded = false;
  const first = fetch(`${gateway.url}/v1/chat/completions`, request)
    .then((response) => response.text())
    .finally(() => {
      hasEnded = true;
    });
  await until(() => relay.upstream.requests.length > asked, 5_000);
  proxy.goAway();
  await until(() => readJournals(journal).some(({ length }) => length > 500), 10_000);
  // Long enough for an answer whose store had failed to end.
  await delay(3_000);
  expect(hasEnded).toBe(false);
  proxy.comeBack();
  const text = await first;
  const again = await fetch(`${gateway.url}/v1/chat/completions`, request);
  expect([again.status, await again.text()]).toEqual([200, text]);
  expect(await relay.logsOf(user)).toHaveLength(1);
  await gateway.kill();
  await proxy.close();
}, 90_000);

test("SIGTERM while the database is away: the answer arrives, the process ends promptly, and the charge is booked later", async () => {
  const proxy = await startDatabaseProxy(relay.database.url);
  const { user, token } = await relay.addCaller();
  const gateway = await startGateway(proxy.url);
  const slowOnes = () => relay.upstream.requests.filter(({ body }) => body.model === SLOW_ANSWER).length;
  const before = slowOnes();
  const answer = ask(gateway, token.key, chatBody(SLOW_ANSWER)).then((response) => response.json());
  await until(() => slowOnes() > before, 5_000);
  await proxy.close();
  const { code, tookMs } = await gateway.terminate();
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(15_000);
  expect(await answer).toMatchObject({ usage: { completion_tokens: 10 } });
  expect(await relay.logsOf(user)).toEqual([]);
  const [left] = readdirSync(journal);
  expect(statSync(join(journal, left ?? "")).mode & 0o777).toBe(0o600);
  // What was asked is not in it.
  expect(readFileSync(join(journal, left ?? ""), "utf8")).not.toContain("Say hello");
  await startGateway();
  await until(async () => (await relay.logsOf(user)).length > 0, 15_000);
  expect(await relay.logsOf(user)).toMatchObject([{ type: 2, completion: 10, other: { lines: expect.any(Array) } }]);
  // It goes once the charge is committed.
  await until(() => !existsSync(join(journal, left ?? "")), 5_000);
}, 90_000);

test("neither the database nor the disk takes a charge: nothing new is admitted until one does", async () => {
  const proxy = await startDatabaseProxy(relay.database.url);
  const user = await relay.addUser();
  const disk = { isFull: true };
  const errors: unknown[] = [];
  const folder = createRunFolder("full");
  const nodeId = randomUUID();
  const full = createJournal({
    folder: fillable(openJournalFolder(folder), disk),
    nodeId,
    owner: "",
    onError: (error) => errors.push(error),
  });
  const gateway = await startBillingProcess(proxy.url, { journal: full });
  await proxy.close();
  void gateway.settler.settle(settlementOf({ userId: user, quota: 5 }));
  await until(() => errors.length > 0 && !gateway.settler.hasRoom());
  disk.isFull = false;
  await until(() => gateway.settler.hasRoom(), 5_000);
  // What can be listed while it waits is listed as not booked.
  expect((await listPending(relay.database.sql, folder)).journal).toMatchObject([{ userId: user, quota: 5 }]);
  await gateway.die();
  rmSync(folder, { recursive: true });
});

test("a torn or damaged file gives what is whole in it, and says that something is missing", async () => {
  const path = createRunFolder("torn");
  const folder = openJournalFolder(path);
  const nodeId = randomUUID();
  const written = createJournal({ folder, nodeId, owner: "o" });
  for (const name of ["first", "second", "third"]) {
    written.add(settled(name, 1, 7));
    await written.sync();
  }
  const [file = ""] = folder.list();
  const bytes = readFileSync(join(path, file));
  const read = (damaged: Buffer) => {
    writeFileSync(join(path, file), damaged);
    const { settlements, damaged: files } = readJournal(folder, nodeId, listJournals(folder).get(nodeId) ?? []);
    return { ids: settlements.map((row) => row.requestId), count: files[0]?.places ?? 0 };
  };
  expect(read(bytes)).toEqual({ ids: ["first", "second", "third"], count: 0 });
  // Its last byte only marks the end of the third.
  expect(read(bytes.subarray(0, -2))).toEqual({ ids: ["first", "second"], count: 1 });
  const flipped = Buffer.from(bytes);
  // Still a line that can be read: only the checksum tells.
  flipped[bytes.indexOf("second")] = "t".charCodeAt(0);
  expect(read(flipped)).toEqual({ ids: ["first", "third"], count: 1 });
  for (let length = 0; length < bytes.length; length += 7)
    expect(read(bytes.subarray(0, Math.min(length, bytes.length - 2))).ids.length).toBeLessThan(3);
  rmSync(path, { recursive: true });
});

/** A folder on a disk that is full when the test says so. */
function fillable(folder: JournalFolder, disk: { isFull: boolean }): JournalFolder {
  return {
    ...folder,
    create(name) {
      if (disk.isFull) throw new Error("ENOSPC: no space left on device");
      return folder.create(name);
    },
  };
}
