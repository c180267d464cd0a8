import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { GET, POST } from "@/app/pg/[...path]/route";
import { channels, ledgerEntries, options, usageLogs, users } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import type { ServiceContext } from "@/lib/context";
import { seal } from "@/lib/crypto";
import { listPlaygroundChoices } from "@/lib/playground/queries";
import { relayHost } from "@/lib/playground/relay-host";
import { startDocumentUpstream } from "@/lib/testing/fake-documents";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
let upstream: Awaited<ReturnType<typeof startDocumentUpstream>>;

const MODEL = "text-embedding-3-small";

beforeAll(async () => {
  upstream = await startDocumentUpstream();
  const { db } = api.database;
  const base = { baseUrl: `${upstream.url}/openai`, keyCipher: seal("good-key"), group: "default,vip" };
  await db.insert(channels).values([
    {
      ...base,
      name: "vectors",
      models: `${MODEL},${MODEL}-429,gpt-4o-mini,drawer`,
      modelMapping: '{"drawer":"dall-e-3"}',
    },
    { ...base, name: "of others", models: "gpt-secret", group: "staff" },
  ]);
  await db.insert(options).values([
    { key: "ModelRatio", value: JSON.stringify({ [MODEL]: 10, [`${MODEL}-429`]: 10 }) },
    { key: "UserUsableGroups", value: JSON.stringify({ default: "all", vip: "paying" }) },
    { key: "GroupRatio", value: JSON.stringify({ default: 1, vip: 2, staff: 1 }) },
  ]);
  for (const person of [api.alice, api.bob]) {
    await db.update(users).set({ quota: 1_000_000 }).where(eq(users.id, person.id));
    await db
      .insert(ledgerEntries)
      .values({ userId: person.id, amount: 1_000_000, kind: "grant", reference: `test:${person.id}` });
  }
});
afterAll(async () => {
  await (await relayHost()).stop();
  await upstream.close();
});

type Sent = { body?: BodyInit; headers?: Record<string, string>; query?: string };

function send(as: Person, method: "GET" | "POST", path: string, { body, headers = {}, query = "" }: Sent) {
  const request = new Request(`http://weir.example/pg/${path}${query}`, {
    method,
    headers: { cookie: as.cookie, "new-api-user": String(as.id), "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body }),
    // Node asks for it where the body is a stream.
    ...{ duplex: "half" },
  });
  return (method === "GET" ? GET : POST)(request, { params: Promise.resolve({ path: path.split("/") }) });
}

const embed = (as: Person, sent: Sent & { model?: string } = {}) =>
  send(as, "POST", "embeddings", { body: JSON.stringify({ model: sent.model ?? MODEL, input: ["a", "bb"] }), ...sent });

async function chargeOf(as: Person, requestId: string | null) {
  const answer = await send(as, "GET", "charge", { query: `?request=${requestId}` });
  return (await answer.json()) as { success: boolean; data: object | null };
}

const logsOf = (as: Person) => api.database.db.select().from(usageLogs).where(eq(usageLogs.userId, as.id));

describe("the playground's operations", () => {
  test("a call is answered, charged in the chosen group, and its charge found by the answer's id", async () => {
    const answer = await embed(api.alice, { query: "?group=vip" });
    expect(answer.status).toBe(200);
    expect(((await answer.json()) as { data: unknown[] }).data).toHaveLength(2);
    const id = answer.headers.get("x-oneapi-request-id");
    await expect
      .poll(() => chargeOf(api.alice, id), { interval: 20 })
      .toMatchObject({
        data: { quota: 280, prompt_tokens: 14, completion_tokens: 0 },
      });
    const [row] = await logsOf(api.alice);
    expect(row).toMatchObject({ requestId: id, tokenName: "playground-vip", group: "vip", quota: 280, type: 2 });
    expect((await reconcile(api.database.sql)).differences).toEqual([]);
    expect(await chargeOf(api.bob, id), "the charge of another user").toMatchObject({ success: true, data: null });
  });

  test("a failing upstream and an unknown model cost nothing and say why", async () => {
    const busy = await embed(api.bob, { model: `${MODEL}-429` });
    expect(busy.status).toBe(429);
    expect(await busy.json()).toMatchObject({ error: { message: expect.any(String) } });
    const unknown = await embed(api.bob, { model: "not-served" });
    expect(await unknown.json()).toMatchObject({ error: { code: "no_available_channel" } });
    expect((await logsOf(api.bob)).filter(({ quota }) => quota > 0)).toEqual([]);
  });

  test("strangers, access tokens and groups of others are refused before anything is sent", async () => {
    const before = upstream.seen.length;
    const byToken = { cookie: "", authorization: api.bob.accessToken };
    expect((await embed(api.bob, { headers: { cookie: "" } })).status).toBe(401);
    expect(await (await embed(api.bob, { headers: byToken })).json()).toMatchObject({ success: false });
    expect(await (await embed(api.bob, { query: "?group=staff" })).json()).toMatchObject({ success: false });
    expect((await send(api.bob, "POST", "files", { body: "{}" })).status).toBe(404);
    expect(upstream.seen.length).toBe(before);
  });

  test("a body is passed on in pieces and refused as soon as it is too large, with or without a length", async () => {
    const before = upstream.seen.length;
    let pieces = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pieces += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(32));
      },
    });
    const answer = await send(api.bob, "POST", "embeddings", { body: endless });
    expect(await answer.json()).toMatchObject({ success: false });
    expect(pieces * 64).toBeLessThan(3 * 1024);
    const told = await embed(api.bob, { headers: { "content-length": "3000000" } });
    expect(await told.json()).toMatchObject({ success: false });
    expect(upstream.seen.length).toBe(before);
  });

  test("models are offered by what they are for, only where a channel serves it, also by the name they are mapped to", async () => {
    const { db, sql } = api.database;
    const actor = { type: "user", id: api.bob.id, role: 1, group: "default", via: "session" } as const;
    const ctx = { db, sql, clientIp: "", actor } as unknown as ServiceContext;
    const { groups } = await listPlaygroundChoices(ctx);
    expect(groups.map(({ name }) => name)).toEqual(["default", "vip"]);
    const [own] = groups;
    expect(own?.models).toMatchObject({ chat: ["gpt-4o-mini"], embeddings: [MODEL, `${MODEL}-429`] });
    expect(JSON.stringify(groups)).not.toContain("gpt-secret");
  });
});
