import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { WebSocket } from "ws";
import { DELTA_MS, delayBounds, every, type Histogram } from "./realtime-terms";

export type SessionEnd = {
  tag: string;
  frames: number;
  hash: string;
  sentFrames: number;
  sentHash: string;
  done: number;
  code: number;
};

export type TalkSettings = {
  port: number;
  key: string;
  sessions: number;
  seconds: number;
  /** Not counted. */
  warmSeconds: number;
  name: string;
};

export type Talk = { delays: Histogram; ends: SessionEnd[] };

const SOUND = Buffer.alloc(4_800, 3).toString("base64");
const STAMP = /"event_id":"t(\d+)"/;

/** Sessions side by side in which both sides talk all the time. */
export async function talk(settings: TalkSettings): Promise<Talk> {
  const delays = delayBounds();
  const countFrom = performance.now() + settings.warmSeconds * 1_000;
  const running = Array.from({ length: settings.sessions }, async (_, at) => {
    // Not all speak in the same millisecond.
    await delay((at * DELTA_MS) / settings.sessions);
    return talkOnce(settings, `${settings.name}-${at}`, delays, countFrom);
  });
  return { delays, ends: await Promise.all(running) };
}

function talkOnce(
  { port, key, seconds }: TalkSettings,
  tag: string,
  delays: Histogram,
  countFrom: number,
): Promise<SessionEnd> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/realtime?model=bench-voice`, {
    headers: { authorization: `Bearer ${key}` },
    perMessageDeflate: false,
  });
  const end: SessionEnd = { tag, frames: 0, hash: "", sentFrames: 0, sentHash: "", done: 0, code: 0 };
  const hash = createHash("md5");
  const sentHash = createHash("md5");
  let until = Number.POSITIVE_INFINITY;
  let hush = (): void => {};
  const send = (text: string): void => {
    if (socket.readyState !== socket.OPEN) return;
    end.sentFrames += 1;
    sentHash.update(text);
    socket.send(text);
  };
  const respond = (): void => send('{"type":"response.create"}');
  const speak = (): void =>
    send(`{"event_id":"t${process.hrtime.bigint()}","type":"input_audio_buffer.append","audio":"${SOUND}"}`);
  const onEvent = (head: string): void => {
    if (head.includes('"session.created"')) {
      send(JSON.stringify({ type: "session.update", session: { instructions: tag } }));
      respond();
      hush = every(DELTA_MS, speak);
      until = performance.now() + seconds * 1_000;
    } else if (head.includes('"response.done"')) {
      end.done += 1;
      if (performance.now() < until) return void respond();
      hush();
      // What was sent last arrives before the end.
      setTimeout(() => socket.close(), 500);
    }
  };
  return new Promise((resolve) => {
    socket.on("message", (data: Buffer) => {
      const now = process.hrtime.bigint();
      end.frames += 1;
      hash.update(data);
      const head = data.toString("latin1", 0, 120);
      const stamp = STAMP.exec(head)?.[1];
      if (!stamp) onEvent(head);
      else if (performance.now() >= countFrom) delays.add(Number(now - BigInt(stamp)) / 1e6);
    });
    socket.on("error", () => {});
    socket.on("close", (code) => {
      hush();
      resolve({ ...end, code, hash: hash.digest("hex"), sentHash: sentHash.digest("hex") });
    });
  });
}
