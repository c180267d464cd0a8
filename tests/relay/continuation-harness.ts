import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { setUpRelay, until } from "./harness";
import { type Side, upstreamSides } from "./stream-sides";

export type Ask = { name: string; body: Record<string, unknown> & { messages: { role: string; content: unknown }[] } };
export type Play = (response: ServerResponse, body: Ask["body"]) => void | Promise<void>;

export const TEXT = 'The river runs "through" the wéir 🌊, evenly and slowly.\nIt ends.';
export const PIECES = TEXT.match(/.{1,7}/gsu) ?? [];
/** What the first upstream says before it breaks off. */
export const SAID = PIECES.slice(0, 4);
export const PROMPT_TOKENS = 14;

export function write(response: ServerResponse, text: string): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream" });
  return new Promise((done) => void response.write(text, () => done()));
}

export const start = (side: Side): string => upstreamSides[side].start;
export const textOf = (side: Side, pieces: readonly string[]): string => pieces.map(upstreamSides[side].text).join("");

/** Says the beginning of the answer, then breaks off. */
export const breaksOff =
  (side: Side, how: (response: ServerResponse) => void, said: readonly string[] = SAID): Play =>
  async (response) => {
    await write(response, start(side) + textOf(side, said));
    how(response);
  };

export const whole =
  (side: Side, pieces: readonly string[] = PIECES): Play =>
  async (response) => {
    const tokens = { prompt: PROMPT_TOKENS, completion: pieces.length };
    await write(response, start(side) + textOf(side, pieces) + upstreamSides[side].end(tokens));
    response.end();
  };

export const reset = (response: ServerResponse): void => void response.socket?.resetAndDestroy();

export type ChannelOf = { name: string; play: Play; side?: Side; type?: number; takesPrefill?: boolean };

/** A gateway, and upstreams that answer as the play of their name says. */
export function setUpContinuation() {
  const relay = setUpRelay({
    prices: "m,claude-3-haiku",
    options: { UpstreamIdleSeconds: 1, UpstreamFirstTokenSeconds: 1, UnseenDrainSeconds: 0 },
  });
  const plays: Record<string, Play> = {};
  const asked: Ask[] = [];
  let upstream: Server;
  let user: number;
  let key: string;

  beforeAll(async () => {
    upstream = createServer(async (request, response) => {
      let text = "";
      for await (const part of request) text += part;
      const name = (request.url ?? "").split("/")[1] ?? "";
      const body = JSON.parse(text) as Ask["body"];
      asked.push({ name, body });
      await plays[name]?.(response, body);
    });
    await new Promise<void>((done) => upstream.listen(0, "127.0.0.1", done));
  });
  afterAll(async () => {
    upstream.closeAllConnections();
    await new Promise((done) => upstream.close(done));
  });
  beforeEach(async () => {
    asked.length = 0;
    for (const name of Object.keys(plays)) delete plays[name];
    await relay.reset();
    const caller = await relay.addCaller({ balance: 1_000_000 });
    user = caller.user;
    key = caller.token.key;
  });

  /** Channels in the order in which they are asked. Returns their ids. */
  async function addChannels(list: readonly ChannelOf[], model = "m"): Promise<number[]> {
    const base = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    const ids: number[] = [];
    for (const [at, { name, play, side = "openai", type, takesPrefill }] of list.entries()) {
      plays[name] = play;
      const values = { type: type ?? upstreamSides[side].type, baseUrl: `${base}/${name}`, models: model };
      const setting = JSON.stringify({ takes_prefill: takesPrefill === true });
      ids.push(await relay.addChannel({ ...values, setting, priority: 10 - at }));
    }
    await relay.inForce();
    return ids;
  }

  function post(caller: Side, more: object = {}, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${relay.url}${upstreamSides[caller].path}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${key}`, "x-api-key": key, ...headers },
      body: JSON.stringify({
        model: "m",
        max_tokens: 100,
        stream: true,
        ...(caller === "openai" ? { stream_options: { include_usage: true } } : {}),
        messages: [{ role: "user", content: "What does the river do?" }],
        ...more,
      }),
    });
  }

  async function logged() {
    await until(async () => (await relay.logsOf(user)).length === 1, 10_000);
    const [row] = await relay.logsOf(user);
    if (!row) throw new Error("no row");
    const info = row.other.admin_info as { attempts?: Record<string, unknown>[] };
    return { ...row, attempts: info.attempts ?? [] };
  }

  async function ask(caller: Side, more: object = {}) {
    const answer = await post(caller, more);
    const text = await answer.text();
    return { status: answer.status, text, ...upstreamSides[caller].read(text), log: await logged() };
  }

  return { relay, plays, asked, addChannels, post, logged, ask };
}
