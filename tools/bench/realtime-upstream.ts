import { createHash, type Hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { type WebSocket, WebSocketServer } from "ws";
import {
  DELTA_MS,
  DELTAS,
  delayBounds,
  every,
  type Histogram,
  type SessionSum,
  THINKING_MS,
  USAGE,
} from "./realtime-terms";

// A fake Realtime API: every response begins after a time for thinking and is five seconds of speech, in pieces of a tenth of a second that carry the time at
// which they were sent. It answers with what it sent and got when it is asked over IPC.

const SOUND = Buffer.alloc(4_800, 7).toString("base64");
const server = createServer((_request, response) => response.writeHead(426).end());
const sockets = new WebSocketServer({ server, perMessageDeflate: false });
const sums = new Map<string, SessionSum>();
const toUpstream: Histogram = delayBounds();

type Live = { socket: WebSocket; sum: SessionSum; sent: Hash; received: Hash };

function send({ socket, sum, sent }: Live, text: string): void {
  sum.sentFrames += 1;
  sent.update(text);
  socket.send(text);
}

/** Without a pause of its own each answer would begin in the turn in which the gateway passed several on, and sessions would fall into step. */
async function think(): Promise<void> {
  const { least, most } = THINKING_MS;
  await delay(least + Math.random() * (most - least));
}

function speak(live: Live, id: string): void {
  send(
    live,
    JSON.stringify({ type: "response.created", response: { id, conversation_id: "c", status: "in_progress" } }),
  );
  let count = 0;
  const hush = every(DELTA_MS, () => {
    if (live.socket.readyState !== live.socket.OPEN) return void hush();
    count += 1;
    if (count <= DELTAS) {
      const at = process.hrtime.bigint();
      send(live, `{"type":"response.output_audio.delta","event_id":"t${at}","response_id":"${id}","delta":"${SOUND}"}`);
      return;
    }
    hush();
    const response = { id, conversation_id: "c", status: "completed", output: [], usage: USAGE };
    send(live, JSON.stringify({ type: "response.done", response }));
    live.sum.done += 1;
  });
}

sockets.on("connection", (socket) => {
  const sum: SessionSum = { sentFrames: 0, sent: "", receivedFrames: 0, received: "", done: 0 };
  const live: Live = { socket, sum, sent: createHash("md5"), received: createHash("md5") };
  let responses = 0;
  socket.on("message", (data: Buffer) => {
    const now = process.hrtime.bigint();
    sum.receivedFrames += 1;
    live.received.update(data);
    const head = data.toString("latin1", 0, 100);
    const stamp = /"event_id":"t(\d+)"/.exec(head)?.[1];
    if (stamp) toUpstream.add(Number(now - BigInt(stamp)) / 1e6);
    else if (head.includes("session.update")) {
      const { session } = JSON.parse(data.toString("utf8")) as { session: { instructions: string } };
      sums.set(session.instructions, sum);
    } else if (head.includes("response.create")) {
      responses += 1;
      const id = `resp_${responses}_${process.hrtime.bigint()}`;
      void think().then(() => speak(live, id));
    }
  });
  socket.on("close", () => {
    sum.sent = live.sent.digest("hex");
    sum.received = live.received.digest("hex");
  });
  socket.on("error", () => {});
  send(live, JSON.stringify({ type: "session.created", session: { type: "realtime" } }));
});

server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on("message", async () => {
  // The last sessions may still be closing.
  for (let waits = 0; sockets.clients.size > 0 && waits < 500; waits++) await delay(10);
  process.send?.({ sums: [...sums] });
});
process.on("disconnect", () => process.exit(0));
