import type { Sql } from "./client";
import { connectLike } from "./connect";

export type Listener = { stop: () => Promise<void> };

export type ListenSettings = {
  /** Whose server and account are used; the listener has a connection of its own. */
  sql: Sql;
  channel: string;
  applicationName: string;
  onNotice: (text: string) => void;
  /** Runs on each connect and reconnect: what was announced meanwhile is lost. */
  onConnect: () => void;
} & Partial<ListenPatience>;

export type ListenPatience = {
  /** How often the connection is asked for a sign of life. */
  pingMs: number;
  /** A connection that does not answer for this long is thrown away. */
  silenceMs: number;
};

const PING_MS = 2_000;
const SILENCE_MS = 5_000;
const CONNECT_SECONDS = 10;
/** At least. Longer than that of others, because all that was announced meanwhile is read again afterwards. */
const LIFE_SECONDS = 600;
/** Short and fixed, because revoked keys go unnoticed until the connection is back. */
const RETRY_MS = 250;

/**
 * Listens to a PostgreSQL channel. A server that went away without a word sends no notices either, so the connection is
 * asked for a sign of life from time to time. Rejects when it cannot connect at first.
 */
export async function listenOn(settings: ListenSettings): Promise<Listener> {
  const { sql, channel, applicationName, onNotice, onConnect, pingMs = PING_MS, silenceMs = SILENCE_MS } = settings;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let isListening = false;
  let losses = 0;
  const own = connectLike(sql, {
    max: 1,
    idle_timeout: 0,
    max_lifetime: LIFE_SECONDS * (1 + Math.random()),
    connect_timeout: CONNECT_SECONDS,
    silence_timeout: silenceMs / 1_000,
    applicationName,
    onnotify: (from, text) => {
      if (from === channel) onNotice(text);
    },
    onclose: () => {
      losses += 1;
      isListening = false;
      schedule(RETRY_MS);
    },
  });

  async function check(): Promise<void> {
    if (isListening) {
      await own`select`;
      return;
    }
    const before = losses;
    await own`listen ${own(channel)}`;
    if (losses !== before) throw new Error("the connection was lost as it began to listen");
    isListening = true;
    onConnect();
  }

  function schedule(afterMs: number): void {
    clearTimeout(timer);
    if (stopped) return;
    timer = setTimeout(() => {
      check().then(
        () => schedule(pingMs),
        () => schedule(RETRY_MS),
      );
    }, afterMs);
    timer.unref();
  }

  async function stop(): Promise<void> {
    stopped = true;
    clearTimeout(timer);
    await own.end({ timeout: 1 });
  }

  await check().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  schedule(pingMs);
  return { stop };
}
