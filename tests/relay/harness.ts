import type { AddressInfo } from "node:net";
import OpenAI from "openai";
import { channels, options, tokens, users } from "@/db/schema";
import { postLedgerEntry } from "@/lib/billing/ledger";
import { reconcile } from "@/lib/billing/reconcile";
import { randomAlphanumeric, seal, sha256Hex } from "@/lib/crypto";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { type FakeUpstream, startFakeUpstream } from "@/lib/testing/fake-upstream";
import { createGateway, type Gateway, type GatewaySettings } from "@/server/gateway-server";

export type Stack = {
  database: TestDatabase;
  upstream: FakeUpstream;
  gateway: Gateway;
  url: string;
  close: () => Promise<void>;
};

/** A gateway on a database of its own, with a fake upstream beside it. */
export async function startStack(settings: Partial<GatewaySettings> = {}): Promise<Stack> {
  const database = await createTestDatabase();
  const upstream = await startFakeUpstream();
  const gateway = await createGateway({ databaseUrl: database.url, ...settings });
  await new Promise<void>((done) => gateway.server.listen(0, "127.0.0.1", () => done()));
  const url = `http://127.0.0.1:${(gateway.server.address() as AddressInfo).port}`;
  return {
    database,
    upstream,
    gateway,
    url,
    async close() {
      gateway.server.closeAllConnections();
      await gateway.stop();
      await upstream.close();
      await database.drop();
    },
  };
}

let names = 0;

export async function addUser(
  { database: { db } }: Stack,
  values: Partial<typeof users.$inferInsert> & { balance?: number } = {},
): Promise<number> {
  const { balance = 1_000_000, ...columns } = values;
  return await db.transaction(async (tx) => {
    const rows = await tx
      .insert(users)
      .values({ username: `user${++names}`, affCode: `aff${names}`, ...columns })
      .returning({ id: users.id });
    const id = rows[0]?.id ?? 0;
    if (balance !== 0) {
      await postLedgerEntry(tx, { userId: id, amount: balance, kind: "grant", reference: `test:${id}`, actorId: null });
    }
    return id;
  });
}

export async function addToken(
  { database: { db } }: Stack,
  userId: number,
  values: Partial<typeof tokens.$inferInsert> = {},
): Promise<{ id: number; key: string }> {
  const key = randomAlphanumeric(48);
  const rows = await db
    .insert(tokens)
    .values({
      userId,
      keyHash: sha256Hex(key),
      keyCipher: seal(key),
      keyHint: `${key.slice(0, 4)}…${key.slice(-4)}`,
      name: "test",
      unlimitedQuota: true,
      ...values,
    })
    .returning({ id: tokens.id });
  return { id: rows[0]?.id ?? 0, key: `sk-${key}` };
}

export async function addChannel(
  { database: { db }, upstream }: Stack,
  { key = "good-key", ...values }: Partial<typeof channels.$inferInsert> & { key?: string } = {},
): Promise<number> {
  const rows = await db
    .insert(channels)
    .values({ name: `channel${++names}`, keyCipher: seal(key), baseUrl: upstream.url, models: MODELS, ...values })
    .returning({ id: channels.id });
  return rows[0]?.id ?? 0;
}

/** The models that most tests use; a price for each is set by `setPrices`. */
export const MODELS = "fake-gpt,fake-slow,fake-tools,fake-429,fake-error-500,fake-error-400,fake-cut,fake-no-usage";

export async function setOption({ database: { db } }: Stack, key: string, value: unknown): Promise<void> {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  await db
    .insert(options)
    .values({ key, value: text })
    .onConflictDoUpdate({ target: options.key, set: { value: text } });
}

/** One quota per prompt token, two per completion token, for every name that is given. */
export async function setPrices(stack: Stack, names = MODELS): Promise<void> {
  const list = names.split(",");
  await setOption(stack, "ModelRatio", Object.fromEntries(list.map((name) => [name, 1])));
  await setOption(stack, "CompletionRatio", Object.fromEntries(list.map((name) => [name, 2])));
}

export function clientFor(stack: Stack, key: string): OpenAI {
  return new OpenAI({ apiKey: key, baseURL: `${stack.url}/v1`, maxRetries: 0 });
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

/** The log rows of a user, oldest first. */
export async function logsOf({ database: { sql } }: Stack, userId: number): Promise<LogRow[]> {
  return await sql<LogRow[]>`
    select type, quota, prompt_tokens as prompt, completion_tokens as completion, channel_id as channel,
      is_stream as stream, model_name as model, "group", other
    from usage_logs where user_id = ${userId} order by id`;
}

export async function balanceOf(
  { database: { sql } }: Stack,
  userId: number,
): Promise<{ quota: number; used: number }> {
  const rows = await sql<{ quota: number; used: number }[]>`
    select quota, used_quota as used from users where id = ${userId}`;
  return rows[0] ?? { quota: 0, used: 0 };
}

/** The balance columns still add up to the ledger and the metered usage. */
export async function differences({ database: { sql } }: Stack): Promise<unknown[]> {
  return (await reconcile(sql)).differences;
}

/** Waits until the condition holds; throws after the time. */
export async function until(condition: () => boolean | Promise<boolean>, withinMs = 2_000): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`not so within ${withinMs} ms`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** Waits for the gateway to have heard of what was just written. */
export async function settleIn(): Promise<void> {
  await new Promise((done) => setTimeout(done, 200));
}

type Wire = { error: { message: string; type: string; code: unknown; param: unknown } };

/** Sends a chat request as raw as it is given. */
export async function post(
  stack: Stack,
  key: string | null,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; wire: Wire; text: string }> {
  const response = await fetch(`${stack.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...headers,
    },
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
