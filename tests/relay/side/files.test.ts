import OpenAI, { toFile } from "openai";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay } from "../harness";

const MODEL = "gpt-4.1";
const relay = setUpRelay({ prices: `${MODEL},fake-gpt`, options: { RetryTimes: "3" } });
let storage: FakeStorage;
let user: number;
let key: string;
let openai: OpenAI;

beforeAll(async () => {
  storage = await startFakeStorage();
});
afterAll(() => storage.close());

beforeEach(async () => {
  await relay.reset();
  storage.calls.length = 0;
  storage.faults.clear();
  ({ user, key, openai } = await newCaller());
});

async function newCaller(balance = 1_000_000) {
  const { user, token } = await relay.addCaller({ balance });
  return { user, key: token.key, openai: new OpenAI({ apiKey: token.key, baseURL: `${relay.url}/v1`, maxRetries: 0 }) };
}

async function addChannel(of: string, more: Record<string, unknown> = {}): Promise<number> {
  const setting = '{"speaks_responses":true}';
  const id = await relay.addChannel({ baseUrl: storage.url, setting, models: MODEL, key: of, ...more });
  await relay.inForce();
  return id;
}

const upload = async (text: string, name = "notes.txt", client = openai) =>
  client.files.create({ file: await toFile(Buffer.from(text), name), purpose: "user_data" });
const askedKeys = () => storage.calls.map((call) => call.key);
const unknown = { status: 404, message: expect.stringContaining("No such File object") };

describe("a file", () => {
  test("is uploaded, listed, read, fetched and deleted at the account that took it, for nothing", async () => {
    await addChannel("key-a");
    const made = await upload("one two three");
    expect(made).toMatchObject({ object: "file", bytes: 13, filename: "notes.txt", purpose: "user_data" });
    await addChannel("key-b", { priority: 10 });
    // The next one goes to the same account, so that a request can name both.
    const next = await upload("four", "ü.txt");
    expect(next.filename).toBe("ü.txt");
    const { sql } = relay.database;
    await sql`update upstream_objects set created_at = created_at - 9 where object_id = ${made.id}`;
    const listed = await openai.files.list({ order: "asc", limit: 1 });
    expect(listed.data.map(({ id }) => id)).toEqual([made.id]);
    expect(listed.hasNextPage()).toBe(true);
    expect((await listed.getNextPage()).data.map(({ id }) => id)).toEqual([next.id]);
    expect((await openai.files.list({ purpose: "batch" })).data).toEqual([]);
    expect((await openai.files.retrieve(made.id)).id).toBe(made.id);
    const content = await openai.files.content(made.id);
    expect(content.headers.get("content-type")).toBe("application/octet-stream");
    expect(await content.text()).toBe("one two three");
    expect(await openai.files.delete(made.id)).toMatchObject({ deleted: true });
    await expect(openai.files.retrieve(made.id)).rejects.toMatchObject(unknown);
    expect((await openai.files.list()).data.map(({ id }) => id)).toEqual([next.id]);
    expect(new Set(askedKeys())).toEqual(new Set(["key-a"]));
    expect(await relay.balanceOf(user)).toMatchObject({ quota: 1_000_000, used: 0 });
  });

  test("of another user is unknown, and stands in no list but its owner's", async () => {
    await addChannel("key-a");
    const { id } = await upload("mine");
    const other = await newCaller();
    const theirs = await upload("theirs", "t.txt", other.openai);
    for (const ask of [
      () => other.openai.files.retrieve(id),
      () => other.openai.files.content(id),
      () => other.openai.files.delete(id),
    ])
      await expect(ask()).rejects.toMatchObject({ status: 404 });
    expect((await other.openai.files.list()).data.map((file) => file.id)).toEqual([theirs.id]);
    // Both are in one account, whose own list has both.
    expect([...storage.account("key-a").files.keys()]).toEqual(expect.arrayContaining([id, theirs.id]));
    expect(storage.calls).toHaveLength(2);
  });

  test("is fetched in pieces: a large one passes unchanged, and one that breaks off never looks whole", async () => {
    await addChannel("key-a");
    const large = "0123456789abcdef".repeat(400_000);
    const { id } = await upload(large, "large.bin");
    const fetched = await (await openai.files.content(id)).text();
    expect([storage.account("key-a").files.get(id)?.content.length, fetched.length]).toEqual([
      large.length,
      large.length,
    ]);
    expect(fetched === large).toBe(true);
    storage.faults.set("GET", "cut");
    const broken = async () => (await openai.files.content(id)).text();
    await expect(broken()).rejects.toThrow();
    storage.faults.set("GET", 500);
    await expect(openai.files.content(id)).rejects.toMatchObject({ status: 500 });
  });

  test("is never given as a page of this site", async () => {
    await addChannel("key-a");
    const { id } = await upload("<script>alert(1)</script>", "page.html");
    const headers = { authorization: `Bearer ${key}` };
    const reply = await fetch(`${relay.url}/v1/files/${id}/content`, { headers });
    expect(reply.headers.get("content-type")).toBe("application/octet-stream");
  });

  test("whose upload fails leaves nothing behind, and the upstream's error is its caller's", async () => {
    await addChannel("key-a-very-secret");
    storage.faults.set("POST", 500);
    await expect(upload("x")).rejects.toMatchObject({ status: 500 });
    storage.faults.set("POST", "quote");
    await expect(upload("x")).rejects.toMatchObject({ message: expect.not.stringContaining("very-secret") });
    storage.faults.set("POST", "cut");
    await expect(upload("x")).rejects.toMatchObject({ status: 502 });
    expect((await openai.files.list()).data).toEqual([]);
  });
});

describe("a request that names a file", () => {
  const asking = (id: string) => ({
    model: MODEL,
    input: [{ role: "user" as const, content: [{ type: "input_file" as const, file_id: id }] }],
  });
  const chatting = (id: string) => ({
    model: MODEL,
    messages: [{ role: "user" as const, content: [{ type: "file" as const, file: { file_id: id } }] }],
  });

  test("goes to the account that has it", async () => {
    await addChannel("key-a");
    const { id } = await upload("mine");
    await addChannel("key-b", { priority: 10 });
    expect((await openai.responses.create(asking(id))).status).toBe("completed");
    await openai.chat.completions.create(chatting(id)).catch(() => {});
    expect(new Set(askedKeys())).toEqual(new Set(["key-a"]));
  });

  test("of another user, or of nobody, reaches no upstream", async () => {
    await addChannel("key-a");
    const { id } = await upload("mine");
    const other = await newCaller();
    const asked = storage.calls.length;
    for (const name of [id, "file-nobody"]) {
      const gone = { status: 400, code: "file_not_found" };
      await expect(other.openai.responses.create(asking(name))).rejects.toMatchObject(gone);
      await expect(other.openai.chat.completions.create(chatting(name))).rejects.toMatchObject(gone);
    }
    expect(storage.calls).toHaveLength(asked);
  });
});

describe("an upload is refused, and no upstream is asked", () => {
  async function post(form: FormData | string, of = key) {
    const headers: Record<string, string> = { authorization: `Bearer ${of}` };
    if (typeof form === "string") headers["content-type"] = "application/json";
    const reply = await fetch(`${relay.url}/v1/files`, { method: "POST", headers, body: form });
    return { status: reply.status, text: await reply.text() };
  }
  function form(values: Record<string, string | Blob>) {
    const made = new FormData();
    for (const [name, value] of Object.entries(values)) made.append(name, value);
    return made;
  }
  const file = new Blob(["x"]);

  test.each([
    ["JSON", () => JSON.stringify({ purpose: "user_data" }), 400],
    ["no file", () => form({ purpose: "user_data" }), 400],
    ["two files", () => form({ purpose: "user_data", file, other: file }), 400],
    ["no purpose", () => form({ file }), 400],
    ["another purpose", () => form({ file, purpose: "fun" }), 400],
    ["an unknown field", () => form({ file, purpose: "user_data", more: "x" }), 400],
  ])("%s", async (_, made, status) => {
    await addChannel("key-a");
    expect((await post(made())).status).toBe(status);
    expect(storage.calls).toEqual([]);
  });

  test("without a channel whose upstream takes files, whose files those are, or a key", async () => {
    await relay.addChannel({ models: "fake-gpt" });
    await relay.inForce();
    const good = () => form({ file, purpose: "user_data" });
    expect((await post(good())).status).toBe(503);
    expect((await post(good(), "sk-wrong")).status).toBe(401);
  });

  test("from a caller with a thousand files", async () => {
    const channel = await addChannel("key-a");
    await relay.database.sql`
      insert into upstream_objects (user_id, kind, object_id, channel_id, key_hash, created_at, expires_at, details)
      select ${user}, 'file', 'file-' || n, ${channel}, 'x', 1, 9999999999, '{"shown":{}}' from generate_series(1, 1000) n`;
    expect(await post(form({ file, purpose: "user_data" }))).toMatchObject({ status: 400 });
    expect(storage.calls).toEqual([]);
  });

  test("with a limit for a list that is none", async () => {
    for (const limit of ["0", "x", "99999", "1.5"]) {
      const reply = await fetch(`${relay.url}/v1/files?limit=${limit}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      expect(reply.status).toBe(400);
    }
  });
});
