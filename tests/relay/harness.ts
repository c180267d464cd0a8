import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { isDeepStrictEqual } from "node:util";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { createDatabase, type Sql } from "@/db/client";
import { channels, options } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import { reconcileHours } from "@/lib/billing/reconcile-hours";
import { loadOptions } from "@/lib/option/queries";
import { readChannel } from "@/lib/snapshot/build";
import { listChannelRows } from "@/lib/snapshot/queries";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { until } from "@/lib/testing/until";
import { createGateway, type Gateway, type GatewaySettings } from "@/server/gateway-server";
import { type ChannelValues, createSeed } from "./seed";

export { until } from "@/lib/testing/until";
export { MODELS, type TokenValues, type UserValues } from "./seed";

export type RelaySetUp = {
  /** The models with a price, comma-separated: one quota per prompt token, two per completion token. */
  prices?: string;
  options?: Record<string, unknown>;
  /** Channels that exist from the start. `{}` = a channel to the fake upstream for all MODELS. */
  channels?: ChannelValues[];
  gateway?: Partial<GatewaySettings>;
  /** What stands between the gateways and their database. */
  through?: (databaseUrl: string) => Promise<string>;
};

export type Relay = Awaited<ReturnType<typeof startRelay>>;

/** One gateway for the whole test file. After every test it checks that the balances match the ledger and the metered usage. */
export function setUpRelay(setUp: RelaySetUp = {}): Relay {
  const relay = {} as Relay;
  beforeAll(async () => void Object.assign(relay, await startRelay(setUp)));
  afterEach(async () => expect(await relay.differences()).toEqual([]));
  afterAll(() => relay.close());
  return relay;
}

/** A gateway with its own database and a fake upstream. The caller closes it. */
export async function startRelay(setUp: RelaySetUp = {}) {
  const database = await createTestDatabase();
  const upstream = await startFakeUpstream();
  const seed = createSeed(database, upstream.url);
  const checks = createDatabase({ url: checksUrl(database.url), max: 1, applicationName: "weir-test checks" });
  const databaseUrl = setUp.through ? await setUp.through(database.url) : database.url;
  const channelIds: number[] = [];
  const gateways = new Set<Gateway>();

  async function seedSetUp(): Promise<void> {
    await seed.setPrices(setUp.prices);
    for (const [key, value] of Object.entries(setUp.options ?? {})) await seed.setOption(key, value);
    for (const values of setUp.channels ?? []) channelIds.push(await seed.addChannel(values));
  }

  async function startGateway() {
    const created = await createGateway({ databaseUrl, ...setUp.gateway });
    const gateway: Gateway = {
      ...created,
      stop(plan) {
        gateways.delete(gateway);
        return created.stop(plan);
      },
    };
    gateways.add(gateway);
    await new Promise<void>((done) => gateway.server.listen(0, "127.0.0.1", () => done()));
    const url = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
    return { gateway, url, ...callsTo(url) };
  }

  /** Waits until every gateway has loaded the current state of the database. */
  async function inForce(): Promise<void> {
    let loaded = "";
    let looks = 0;
    await until(async () => {
      const snapshots = [...gateways].map(({ snapshot }) => snapshot());
      const versions = snapshots.map(({ version }) => version).join();
      // Reading everything costs more than waiting. What did not load anew meanwhile is looked at every tenth time.
      if (versions === loaded && ++looks % 10 !== 0) return false;
      loaded = versions;
      const wanted = await readDatabase(database);
      return snapshots.every(({ options, channels }) => isDeepStrictEqual({ options, channels }, wanted));
    }, 10_000);
  }

  await seedSetUp();
  return {
    database,
    upstream,
    ...seed,
    ...readingsOf(database, checks.sql),
    ...(await startGateway()),
    /** The channels of the set-up, in its order. */
    channelIds,
    inForce,
    /** Starts another gateway process of the same system. */
    startBeside: startGateway,
    /** Restores the channels and options of the start and clears the upstream's record of requests. */
    async reset(): Promise<void> {
      await database.db.delete(channels);
      await database.db.delete(options);
      upstream.forget();
      channelIds.length = 0;
      await seedSetUp();
      await inForce();
    },
    async close(): Promise<void> {
      for (const { server } of gateways) server.closeAllConnections();
      await Promise.all([...gateways].map(({ stop }) => stop({ pauseMs: 0, drainMs: 5_000, isReplaced: false })));
      await Promise.all([upstream.close(), checks.end()]);
      await database.drop();
    },
  };
}

/** What a snapshot loaded now would contain. */
async function readDatabase({ sql, db }: TestDatabase) {
  const rows = await listChannelRows(sql);
  return { options: await loadOptions(db), channels: new Map(rows.map((row) => [row.id, readChannel(row)])) };
}

export type LogRow = {
  type: number;
  quota: number;
  prompt: number;
  completion: number;
  channel: number;
  stream: boolean;
  model: string;
  group: string;
  other: Record<string, unknown>;
};

/** The checks after every test are the same large statements: one connection that plans each once. */
function checksUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set("options", "-cplan_cache_mode=force_generic_plan");
  return url.href;
}

function readingsOf({ sql }: TestDatabase, checks: Sql) {
  return {
    /** The log rows of a user's requests, oldest first, but for those that were refused before a channel was asked. */
    async logsOf(userId: number): Promise<LogRow[]> {
      return await sql<LogRow[]>`
        select type, quota, prompt_tokens as prompt, completion_tokens as completion, channel_id as channel,
          is_stream as stream, model_name as model, "group", other
        from usage_logs
        where user_id = ${userId} and not (type = 5 and channel_id = 0 and other ->> 'outcome' = 'refused') order by id`;
    },
    async balanceOf(userId: number): Promise<{ quota: number; used: number }> {
      const rows = await sql<{ quota: number; used: number }[]>`
        select quota, used_quota as used from users where id = ${userId}`;
      return rows[0] ?? { quota: 0, used: 0 };
    },
    /** Empty if the balance columns match the ledger and the metered usage. */
    async differences(): Promise<unknown[]> {
      const hour = Math.floor(Date.now() / 3_600_000) * 3_600;
      const [{ cleared } = { cleared: 0 }] = await checks<{ cleared: number }[]>`
        select coalesce(max(position), 0)::float8 as cleared from job_positions where job = 'logs-cleared'`;
      // As the nightly check does, only hours whose rows are all there.
      const from = Math.max(hour - 3_600, Math.ceil(cleared / 3_600) * 3_600);
      const hours = await reconcileHours(checks, [{ from, until: Math.max(from, hour + 3_600) }]);
      return [...(await reconcile(checks)).differences, ...hours.differences];
    },
  };
}

/** A gateway before a console that answers everything with a page of this status, and the key of a caller. */
export async function startRelayBeforePages(status: number) {
  const pages = createServer((_request, response) =>
    response.writeHead(status, { "content-type": "text/html" }).end("<html>"),
  );
  await new Promise<void>((done) => pages.listen(0, "127.0.0.1", () => done()));
  const consolePort = (pages.address() as AddressInfo).port;
  const relay = await startRelay({ channels: [{}], gateway: { consolePort } });
  const close = async () => {
    await relay.close();
    pages.closeAllConnections();
    pages.close();
  };
  return { relay, key: (await relay.addCaller()).token.key, close };
}

type Wire = { error: { message: string; type: string; code: unknown; param: unknown } };
export type Answer = { status: number; headers: Headers; wire: Wire; text: string };

function callsTo(url: string) {
  return {
    clientFor: (key: string) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 }),
    /** Sends a chat request with this raw body. Where its test has failed already, nobody is left to hear of its error. */
    post(key: string | null, body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
      const answer = send(url, key, body, headers);
      answer.catch(() => {});
      return answer;
    },
  };
}

async function send(
  url: string,
  key: string | null,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<Answer> {
  const authorization: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...authorization, ...headers },
    body: typeof body === "string" ? body : new Uint8Array(body),
  });
  const text = await response.text();
  let wire = { error: { message: "", type: "", code: "", param: "" } } as Wire;
  if (text.startsWith("{")) wire = JSON.parse(text) as Wire;
  return { status: response.status, headers: response.headers, wire, text };
}

export function chatBody(model: string, more: Record<string, unknown> = {}): string {
  return JSON.stringify({ model, messages: [{ role: "user", content: "Say hello" }], ...more });
}
