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
import { SOUND, startMediaUpstream, TRANSCRIPT } from "@/lib/testing/fake-media";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
let upstream: Awaited<ReturnType<typeof startDocumentUpstream>>;
let media: Awaited<ReturnType<typeof startMediaUpstream>>;

const MODEL = "text-embedding-3-small";
const MEDIA = "dall-e-3,gpt-image-1,tts-1,tts-1-429,whisper-1";

beforeAll(async () => {
  upstream = await startDocumentUpstream();
  media = await startMediaUpstream();
  const { db } = api.database;
  const base = { baseUrl: `${upstream.url}/openai`, keyCipher: seal("good-key"), group: "default,vip" };
  await db.insert(channels).values([
    {
      ...base,
      name: "vectors",
      models: `${MODEL},gpt-4o-mini,drawer`,
      modelMapping: '{"drawer":"dall-e-3"}',
    },
    { ...base, name: "media", baseUrl: media.url, models: MEDIA },
    { ...base, name: "of others", models: "gpt-secret", group: "staff" },
  ]);
  await db.insert(options).values([
    { key: "ModelRatio", value: JSON.stringify({ [MODEL]: 10 }) },
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
  await Promise.all([upstream.close(), media.close()]);
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

async function settled(as: Person, answer: Response) {
  const id = answer.headers.get("x-oneapi-request-id");
  await expect.poll(() => chargeOf(as, id), { interval: 20 }).toMatchObject({ data: expect.any(Object) });
  const [row] = await api.database.db
    .select()
    .from(usageLogs)
    .where(eq(usageLogs.requestId, id ?? ""));
  return row;
}

describe("pictures and sound in the playground", () => {
  test("a picture is streamed with its sketches and charged by its tokens", async () => {
    const asked = { model: "gpt-image-1", prompt: "a weir", stream: true, partial_images: 2 };
    const answer = await send(api.alice, "POST", "images/generations", { body: JSON.stringify(asked) });
    expect(answer.headers.get("content-type")).toContain("text/event-stream");
    const text = await answer.text();
    expect(text.match(/event: image_generation\.partial_image/g)).toHaveLength(2);
    expect(text).toContain("event: image_generation.completed");
    const row = await settled(api.alice, answer);
    expect(row).toMatchObject({ tokenName: "playground-default", modelName: "gpt-image-1", completionTokens: 1_056 });
    expect(row?.quota).toBeGreaterThan(0);
  });

  test("speech arrives as the bytes that the upstream sent, charged by its characters", async () => {
    const asked = { model: "tts-1", input: "ten chars!", voice: "alloy" };
    const answer = await send(api.alice, "POST", "audio/speech", { body: JSON.stringify(asked) });
    expect(answer.headers.get("content-type")).toBe("audio/mpeg");
    expect(SOUND.equals(Buffer.from(await answer.arrayBuffer()))).toBe(true);
    // 10 characters at $0.000015, with 500,000 to the dollar.
    expect((await settled(api.alice, answer))?.quota).toBe(75);
  });

  test("a picture that was sent whole is changed, charged like one that is drawn", async () => {
    const form = new FormData();
    form.set("model", "gpt-image-1");
    form.set("prompt", "more water");
    form.set("image", new File([Buffer.alloc(300_000, 7)], "weir.png", { type: "image/png" }));
    const { body, headers } = new Response(form);
    const type = { "content-type": headers.get("content-type") ?? "" };
    const answer = await send(api.alice, "POST", "images/edits", { body: body ?? "", headers: type });
    expect(await answer.json()).toMatchObject({ data: [{ b64_json: media.picture }] });
    expect(media.seen.at(-1)).toMatchObject({
      path: "/v1/images/edits",
      fields: { prompt: "more water" },
      files: [{ name: "image", fileName: "weir.png", bytes: 300_000 }],
    });
    expect((await settled(api.alice, answer))?.quota).toBeGreaterThan(0);
  });

  test("a file is transcribed whole, charged by its seconds", async () => {
    const form = new FormData();
    form.set("model", "whisper-1");
    form.set("file", new File([new Uint8Array(3_000_000).fill(7)], "talk.mp3", { type: "audio/mpeg" }));
    const packed = new Response(form);
    const headers = { "content-type": packed.headers.get("content-type") ?? "" };
    const answer = await send(api.alice, "POST", "audio/transcriptions", { body: await packed.arrayBuffer(), headers });
    expect(await answer.json()).toMatchObject({ text: TRANSCRIPT });
    expect(media.seen.at(-1)?.files).toMatchObject([{ fileName: "talk.mp3", bytes: 3_000_000 }]);
    // 3 seconds at $0.0001.
    expect((await settled(api.alice, answer))?.quota).toBe(150);
    expect((await reconcile(api.database.sql)).differences).toEqual([]);
  });

  test("a busy upstream costs nothing and says so in words", async () => {
    const asked = { model: "tts-1-429", input: "hello", voice: "alloy" };
    const answer = await send(api.bob, "POST", "audio/speech", { body: JSON.stringify(asked) });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(await answer.json()).toMatchObject({ error: { message: expect.any(String) } });
    expect((await logsOf(api.bob)).filter(({ quota }) => quota > 0)).toEqual([]);
  });
});

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
    const row = await settled(api.alice, answer);
    expect(row).toMatchObject({ requestId: id, tokenName: "playground-vip", group: "vip", quota: 280, type: 2 });
    expect((await reconcile(api.database.sql)).differences).toEqual([]);
    expect(await chargeOf(api.bob, id), "the charge of another user").toMatchObject({ success: true, data: null });
  });

  test("a model that nobody serves costs nothing and says why", async () => {
    const unknown = await embed(api.bob, { model: "not-served" });
    expect(await unknown.json()).toMatchObject({ error: { code: "model_not_found" } });
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
    expect(own?.models).toMatchObject({ chat: ["gpt-4o-mini"], embeddings: [MODEL] });
    expect(own?.models.images, "also by the name it is mapped to").toEqual(["dall-e-3", "drawer", "gpt-image-1"]);
    expect(own?.models.speech).toEqual(["tts-1", "tts-1-429"]);
    expect(own?.models.transcriptions).toEqual(["whisper-1"]);
    expect(JSON.stringify(groups)).not.toContain("gpt-secret");
  });
});
