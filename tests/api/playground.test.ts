import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { POST } from "@/app/pg/chat/completions/route";
import { channels, ledgerEntries, options, usageLogs, users } from "@/db/schema";
import { reconcile } from "@/lib/billing/reconcile";
import { seal } from "@/lib/crypto";
import { relayHost } from "@/lib/playground/relay-host";
import { startFakeUpstream } from "@/lib/testing/fake-upstream";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
let upstream: Awaited<ReturnType<typeof startFakeUpstream>>;

beforeAll(async () => {
  upstream = await startFakeUpstream();
  const { db } = api.database;
  await db.insert(channels).values({
    name: "upstream",
    baseUrl: upstream.url,
    keyCipher: seal("sk-upstream"),
    models: "gpt-4o-mini",
    group: "default,vip",
  });
  await db.insert(options).values([
    { key: "ModelRatio", value: JSON.stringify({ "gpt-4o-mini": 1 }) },
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

function ask(as: Person, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return POST(
    new Request("http://weir.example/pg/chat/completions", {
      method: "POST",
      headers: { cookie: as.cookie, "new-api-user": String(as.id), "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }], ...body }),
    }),
  );
}

describe("POST /pg/chat/completions (B256)", () => {
  test("streams events up to [DONE], charges the signed-in user and names the log after the group", async () => {
    const answer = await ask(api.alice, { stream: true, group: "vip", temperature: 0, max_tokens: 16 });
    expect(answer.status).toBe(200);
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    expect(answer.headers.get("cache-control")).toContain("no-transform");
    const text = await answer.text();
    expect(text.trim().endsWith("data: [DONE]")).toBe(true);
    const [row] = await api.database.db.select().from(usageLogs).where(eq(usageLogs.userId, api.alice.id));
    expect(row).toMatchObject({ tokenName: "playground-vip", group: "vip", isStream: true, type: 2 });
    expect(row?.quota).toBeGreaterThan(0);
    const [user] = await api.database.db.select().from(users).where(eq(users.id, api.alice.id));
    expect(user?.quota).toBe(1_000_000 - (row?.quota ?? 0));
    expect((await reconcile(api.database.sql)).differences).toEqual([]);
  });

  test("a group that the user may not use is refused and nothing is charged", async () => {
    const answer = await ask(api.bob, { group: "staff" });
    expect(await answer.json()).toEqual({ success: false, message: "分组不存在或无权使用" });
    expect(await api.database.db.select().from(usageLogs).where(eq(usageLogs.userId, api.bob.id))).toEqual([]);
  });

  test("the caller's id must stand in the header, and a session in the cookie (B217)", async () => {
    expect((await ask(api.bob, {}, { "new-api-user": String(api.alice.id) })).status).toBe(401);
    expect((await ask(api.bob, {}, { cookie: "" })).status).toBe(401);
    const byToken = await ask(api.bob, {}, { cookie: "", authorization: api.bob.accessToken });
    expect(await byToken.json()).toMatchObject({ success: false });
  });

  test("the relay behind it cannot be used without a pass", async () => {
    const { pool } = await relayHost();
    const answer = await pool.request({
      method: "POST",
      path: "/v1/chat/completions",
      headers: { "content-type": "application/json", "x-weir-playground": "guess" },
      body: "{}",
    });
    await answer.body.dump();
    expect(answer.statusCode).toBe(401);
  });

  test("an error of the upstream arrives with its status in OpenAI's shape", async () => {
    const answer = await ask(api.bob, { model: "not-served" });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: { code: "model_not_found" } });
  });

  test("a refusal is in the language of the console, and names no address of the inside", async () => {
    const read = async (headers: Record<string, string>) => {
      const answer = await ask(api.bob, { model: "not-served" }, headers);
      return `${answer.headers.get("link")} ${await answer.text()}`;
    };
    const chinese = await read({ "accept-language": "en", cookie: `${api.bob.cookie}; locale=zh` });
    const english = await read({ "accept-language": "en-GB,en;q=0.9" });
    expect(chinese).toContain("模型 not-served 不存在");
    expect(english).toContain("the model not-served does not exist");
    for (const text of [chinese, english]) expect(text).not.toMatch(/127\.0\.0\.1|localhost/);
  });
});
