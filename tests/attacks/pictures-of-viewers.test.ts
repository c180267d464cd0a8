// Who: somebody without a key who knows the address of a task's picture, asks for it often, and leaves or takes nothing.
// What must hold: what viewers cause is bounded apart from the requests of the picture's owner, and is given back whenever
// they leave: while the task is looked up, while the picture is fetched, and when it was sent.
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { chatBody, setUpRelay, until } from "../relay/harness";

const MEGABYTE = 1_048_576;
const relay = setUpRelay({ prices: "fake-gpt", gateway: { bodyBytesMax: MEGABYTE } });
const picture = Buffer.alloc(3.5 * MEGABYTE);
/** Answers that have sent their bytes, and are not ended. */
const held: ServerResponse[] = [];
const pictures = createServer((request, response) => {
  response.writeHead(200, { "content-type": "image/png" });
  if (request.url === "/held.png") held.push(response);
  if (request.url === "/held.png") response.write(picture);
  else response.end(picture);
});
let key: string;

beforeAll(async () => {
  await new Promise<void>((done) => pictures.listen(0, "127.0.0.1", () => done()));
  const baseUrl = `http://127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  await relay.addChannel({ models: "fake-gpt" });
  const channel = await relay.addChannel({ type: CHANNEL_TYPE.midjourney, baseUrl, models: "mj_imagine" });
  await relay.inForce();
  const { user, token } = await relay.addCaller({ balance: 1_000_000_000 });
  key = token.key;
  for (const name of ["whole", "held"]) {
    const results = JSON.stringify([`${baseUrl}/${name}.png`]);
    await relay.database.sql`
      insert into tasks (created_at, updated_at, task_id, platform, wire, action, user_id, channel_id, status, results)
      values (1, 1, ${name}, 'midjourney', 'mj', 'IMAGINE', ${user}, ${channel}, 'SUCCESS', ${results}::text::jsonb)`;
  }
});
afterAll(() => {
  pictures.closeAllConnections();
  pictures.close();
});

const look = async () => {
  const response = await fetch(`${relay.url}/mj/image/whole`);
  return { status: response.status, bytes: (await response.arrayBuffer()).byteLength };
};
/** Nearly all that the owner's requests may hold. */
const askAsOwner = () =>
  relay.post(key, chatBody("fake-gpt", { messages: [{ role: "user", content: "x".repeat(900_000) }] }));

async function view(name: string): Promise<Socket> {
  const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.on("error", () => {}).write(`GET /mj/image/${name} HTTP/1.1\r\nHost: a\r\n\r\n`);
  return socket;
}

async function leave(sockets: Socket[]): Promise<void> {
  await Promise.all(sockets.map((socket) => new Promise((done) => void socket.once("close", done).destroy())));
  // Its answer comes after the gateway has noticed.
  await fetch(`${relay.url}/v1/models`);
}

test("viewers who leave while the task is looked up keep nothing", async () => {
  const { sql } = relay.database;
  await sql.begin(async (holding) => {
    await holding`lock table tasks in access exclusive mode`;
    const viewers = await Promise.all(["whole", "whole", "whole"].map(view));
    await until(async () => {
      const [{ waiting } = { waiting: 0 }] = await holding<{ waiting: number }[]>`
        select count(*)::int as waiting from pg_locks where relation = 'tasks'::regclass and not granted`;
      return waiting === viewers.length;
    });
    await leave(viewers);
  });
  expect((await askAsOwner()).status).toBe(200);
  expect(await look()).toEqual({ status: 200, bytes: picture.length });
});

test("pictures on their way are bounded by themselves, and given back when their viewers leave", async () => {
  const viewers = await Promise.all(["held", "held"].map(view));
  const told = await Promise.race(viewers.map((viewer) => once(viewer, "data")));
  expect(String(told)).toContain(" 429 ");
  expect((await askAsOwner()).status).toBe(200);
  await leave(viewers);
  // Nobody waits for the rest of them.
  await until(() => held.length === 2 && held.every(({ destroyed }) => destroyed));
  await until(async () => (await look()).status === 200);
});
