// Captured requests as an attack: what is kept must not be a leak of keys, another user's reading, or a way to take the
// gateway's memory or time.
import { beforeEach, describe, expect, test } from "vitest";
import { deleteCapture, deleteCaptures, setKeyCapture } from "@/lib/capture/commands";
import {
  countLosses,
  findCapture,
  listCapturedRequests,
  listCaptureKeys,
  listCaptures,
  listUserCaptureKeys,
  readCapture,
} from "@/lib/capture/queries";
import { createCaptureQueue } from "@/lib/capture/queue";
import { type CapturedRequest, purgeCaptures } from "@/lib/capture/store-commands";
import type { ServiceContext } from "@/lib/context";
import { Capturing } from "@/lib/relay/http/capture";
import { chatBody, setUpRelay, until } from "../relay/harness";

const relay = setUpRelay({ options: { CaptureEnabled: true }, channels: [{}] });
const SECRET = `sk-${"aB3".repeat(12)}`;

const as = (id: number, role = 1): ServiceContext => ({
  db: relay.database.db,
  sql: relay.database.sql,
  clientIp: "::1",
  actor: { type: "user", id, username: "u", role, group: "default", via: "session" },
});

let user = 0;
let token = { id: 0, key: "" };
beforeEach(async () => {
  await relay.database.sql`truncate captures, capture_losses, audit_entries`;
  ({ user, token } = await relay.addCaller({}, { captureUntil: -1 }));
});

const kept = (count: number) => expect.poll(async () => (await listCaptures(as(user))).length).toBe(count);

async function capturedOne() {
  await kept(1);
  const [row] = await listCaptures(as(user));
  return readCapture(as(user), { id: row?.id ?? 0 });
}

describe("what is kept", () => {
  test("nothing, unless the site allows it and the key's user wants it", async () => {
    const plain = await relay.addToken(user);
    const over = await relay.addToken(user, { captureUntil: 1 });
    for (const { key } of [plain, over]) expect((await relay.post(key, chatBody("fake-gpt"))).status).toBe(200);
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(200);
    await kept(1);
    await relay.setOption("CaptureEnabled", false);
    await relay.inForce();
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(200);
    await relay.setOption("CaptureEnabled", true);
    await relay.inForce();
    expect(await listCaptures(as(user))).toMatchObject([{ tokenId: token.id, status: 200, modelName: "fake-gpt" }]);
    await expect(setKeyCapture(as(user), { tokenId: plain.id, seconds: 3_600 })).resolves.toBeUndefined();
    await until(async () => {
      await relay.post(plain.key, chatBody("fake-gpt"));
      return (await listCaptures(as(user))).length >= 2;
    }, 5_000);
  });

  test("request and stream, without secrets, and sealed in the database", async () => {
    const body = chatBody("fake-gpt", {
      stream: true,
      user: `${SECRET} jane@example.org`,
      metadata: { api_key: "short" },
    });
    const { text } = await relay.post(token.key, body);
    const capture = await capturedOne();
    expect(capture.request.json).toMatchObject({
      model: "fake-gpt",
      user: "[redacted] [e-mail]",
      metadata: { api_key: "[redacted]" },
    });
    const content = capture.answer.parts.find(({ path }) => path === "choices[0].delta.content");
    expect(content?.text).toBe("The river runs through the weir, evenly and without a sound.");
    expect(capture.answerBytes).toBe(Buffer.byteLength(text));
    const [row] = await relay.database.sql<{ all: string }[]>`select captures::text as all from captures`;
    expect(row?.all).not.toMatch(/aB3aB3|jane@|the river|hello/i);
  });

  test("a whole answer, an answer without channel, and one that is refused", async () => {
    await relay.post(token.key, chatBody("fake-gpt"));
    const whole = await capturedOne();
    expect(whole.answer.json).toMatchObject({ choices: [{ finish_reason: "stop" }] });
    await relay.database.sql`truncate captures`;
    await relay.post(token.key, chatBody("fake-error-400"));
    expect(await capturedOne()).toMatchObject({ status: 400, answer: { json: { error: {} } } });
    await relay.database.sql`truncate captures`;
    await relay.post(token.key, chatBody("no-such-model"));
    expect((await capturedOne()).answer.json).toMatchObject({ error: { message: expect.any(String) } });
  });

  test("bodies that are too large are cut, bytes that are no text are not kept, and hostile text stays text", async () => {
    const long = chatBody("fake-gpt", { user: "word ".repeat(300_000) });
    await relay.post(token.key, long);
    const cut = await capturedOne();
    expect(cut.request.isCut).toBe(true);
    expect(cut.request.text.length).toBeLessThanOrEqual(65_536);
    expect(cut.requestBytes).toBe(long.length);
    await relay.database.sql`truncate captures`;
    const hostile = '<script>alert("\u202e\u0000")</script>';
    await relay.post(token.key, chatBody("fake-gpt", { user: hostile }));
    expect((await capturedOne()).request.json).toMatchObject({ user: hostile });
  });

  test("a stream of 100 MB is kept up to its limit, and its bytes are not held", () => {
    const ends: CapturedRequest["answer"][] = [];
    const capturing = new Capturing(65_536, (answer) => ends.push(answer));
    const chunk = Buffer.alloc(16_384, "a");
    for (let i = 0; i < 6_400; i++) capturing.add(chunk);
    capturing.ended({ outcome: "cut" } as never);
    capturing.ended({ outcome: "cut" } as never);
    expect(ends).toHaveLength(1);
    expect(ends[0]).toMatchObject({ isCut: true, total: 6_400 * 16_384 });
    expect(ends[0]?.bytes).toHaveLength(65_536);
  });
});

describe("who reads it", () => {
  test("nobody else, by whatever id, and administrators only where the option allows it, in the audit log", async () => {
    await relay.post(token.key, chatBody("fake-gpt"));
    const { id, requestId } = await capturedOne();
    const other = await relay.addUser();
    const admin = await relay.addUser({ role: 10 });
    const missing = { code: "not_found", messageKey: "captureNotFound" };
    for (const ctx of [as(other), as(admin, 10)]) {
      await expect(readCapture(ctx, { id })).rejects.toMatchObject(missing);
      await expect(deleteCapture(ctx, { id })).rejects.toMatchObject(missing);
      expect(await findCapture(ctx, requestId)).toBe(null);
      await deleteCaptures(ctx);
      expect(await listCaptures(ctx)).toEqual([]);
    }
    await relay.setOption("CaptureAdminAccess", true);
    expect((await readCapture(as(admin, 10), { id })).requestId).toBe(requestId);
    await expect(readCapture(as(other), { id })).rejects.toMatchObject(missing);
    const rows = await relay.database.sql`select actor_id, action, subject from audit_entries`;
    expect(rows).toEqual([{ actor_id: admin, action: "capture.read", subject: `capture:${id}` }]);
    await relay.database.sql`update users set role = 100 where id = ${user}`;
    await expect(readCapture(as(admin, 10), { id })).rejects.toMatchObject(missing);
    await relay.setOption("CaptureAdminAccess", false);
  });

  test("a key is switched by its user, or for a time by an administrator, never by others", async () => {
    const other = await relay.addUser();
    const admin = await relay.addUser({ role: 10 });
    const tokenId = token.id;
    await expect(setKeyCapture(as(other), { tokenId, seconds: 3_600 })).rejects.toMatchObject({ code: "not_found" });
    await expect(setKeyCapture(as(admin, 10), { tokenId, seconds: -1 })).rejects.toMatchObject({ code: "invalid" });
    await expect(setKeyCapture(as(user), { tokenId, seconds: 5 })).rejects.toMatchObject({ code: "invalid" });
    await setKeyCapture(as(user), { tokenId, seconds: 0 });
    expect(await listCaptureKeys(as(user))).toMatchObject([{ id: tokenId, captureUntil: 0 }]);
    await setKeyCapture(as(admin, 10), { tokenId, seconds: 3_600 });
    expect((await listCaptureKeys(as(user)))[0]?.captureUntil).toBeGreaterThan(1_000_000_000);
    expect(await listCaptureKeys(as(other))).toEqual([]);
  });

  test("administrators see and switch the keys of accounts below them alone, and the user sees who did it", async () => {
    const admin = await relay.addUser({ role: 10 });
    const peer = await relay.addUser({ role: 10 });
    await setKeyCapture(as(admin, 10), { tokenId: token.id, seconds: 3_600 });
    const [seen] = await listCaptureKeys(as(user));
    expect(seen).toMatchObject({ id: token.id, isByAdmin: true });
    expect(await listUserCaptureKeys(as(admin, 10), user)).toEqual([seen]);
    const rows = await relay.database.sql`select actor_id, subject from audit_entries where action = 'capture.switch'`;
    expect(rows).toEqual([{ actor_id: admin, subject: `token:${token.id}` }]);
    await setKeyCapture(as(user), { tokenId: token.id, seconds: 3_600 });
    expect((await listCaptureKeys(as(user)))[0]).toMatchObject({ isByAdmin: false });
    expect(await listUserCaptureKeys(as(admin, 10), peer)).toBe(null);
    expect(await listUserCaptureKeys(as(admin, 100), peer)).toEqual([]);
    await expect(listUserCaptureKeys(as(user), user)).rejects.toMatchObject({ code: "forbidden" });
    await relay.setOption("CaptureEnabled", false);
    expect(await listUserCaptureKeys(as(admin, 10), user)).toBe(null);
    await relay.setOption("CaptureEnabled", true);
    await relay.inForce();
  });

  test("the log links to captures that its reader may open, and to no others", async () => {
    await relay.post(token.key, chatBody("fake-gpt"));
    const { requestId } = await capturedOne();
    const admin = await relay.addUser({ role: 10 });
    const asked = [requestId, "event:1", ""];
    expect(await listCapturedRequests(as(user), asked)).toEqual([requestId]);
    expect(await listCapturedRequests(as(await relay.addUser()), asked)).toEqual([]);
    expect(await listCapturedRequests(as(admin, 10), asked)).toEqual([]);
    await relay.setOption("CaptureAdminAccess", true);
    expect(await listCapturedRequests(as(admin, 10), asked)).toEqual([requestId]);
    await relay.setOption("CaptureAdminAccess", false);
  });

  test("what is over its time is not shown, and is deleted; its user deletes it before", async () => {
    await relay.post(token.key, chatBody("fake-gpt"));
    await relay.post(token.key, chatBody("fake-gpt"));
    await kept(2);
    const [last] = await listCaptures(as(user));
    await deleteCapture(as(user), { id: last?.id ?? 0 });
    await kept(1);
    await relay.database.sql`update captures set expires_at = extract(epoch from now())::bigint - 1`;
    expect(await listCaptures(as(user))).toEqual([]);
    expect(await purgeCaptures(relay.database.sql, Math.floor(Date.now() / 1_000))).toBe(1);
  });
});

describe("what it costs others", () => {
  test("running requests hold no more than their room, give it back once, and are not kept without an answer", () => {
    const ends: CapturedRequest["answer"][] = [];
    const room = { left: 100_000 };
    const running = Array.from({ length: 10 }, () => new Capturing(65_536, (answer) => ends.push(answer), room, 1_000));
    for (const capturing of running) capturing.add(Buffer.alloc(65_536, "a"));
    expect(room.left).toBe(0);
    running[0]?.ended({ outcome: "cut" } as never);
    for (const capturing of running) {
      capturing.leave();
      capturing.leave();
      capturing.add(Buffer.alloc(10));
    }
    expect(room.left).toBe(100_000);
    expect(ends).toHaveLength(1);
  });

  test("a user has a thousand captures at most, whatever the pace, and a run of the job deletes all that is over", async () => {
    const { sql } = relay.database;
    const fill = (count: number, expiresIn: number) => sql`
      insert into captures (request_id, user_id, token_id, expires_at, path, model_name, status, request_bytes, answer_bytes, sealed)
      select 'x' || g || ${String(expiresIn)}, ${user}, 1, extract(epoch from now())::bigint + ${expiresIn}, '', '', 200, 0, 0, ''
      from generate_series(1, ${count}) g`;
    await fill(2_500, 3_600);
    await relay.post(token.key, chatBody("fake-gpt"));
    await expect.poll(async () => (await sql`select 1 from captures`).length).toBe(1_000);
    await fill(2_500, -1);
    expect(await purgeCaptures(sql, Math.floor(Date.now() / 1_000))).toBe(2_500);
  });

  const request = (bytes = 10): CapturedRequest => {
    const body = { bytes: Buffer.alloc(bytes), isCut: false, total: bytes };
    const row = {
      requestId: "r",
      userId: 1,
      tokenId: 1,
      path: "",
      modelName: "",
      status: 200,
      createdAt: 0,
      expiresAt: 0,
    };
    return { ...row, request: body, answer: body };
  };

  test("while its table refuses them captures are dropped and counted, and requests go on", async () => {
    const { sql } = relay.database;
    // A sequence counts what is rolled back, too.
    await sql.unsafe(`
      create sequence refused;
      create function refuse() returns trigger language plpgsql as
        $$ begin perform nextval('refused'); raise exception 'refused'; end $$;
      create trigger refuse before insert on captures for each row execute function refuse()`);
    const ask = async () => expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(200);
    await ask();
    await until(async () => (await sql`select 1 from refused where is_called`).length > 0, 5_000);
    await sql.unsafe("drop function refuse cascade; drop sequence refused");
    // What was refused is told with the next that is stored.
    await ask();
    await expect.poll(() => countLosses(as(user))).toBe(1);
    await kept(1);
  });

  test("the queue is bounded in number, bytes and pace, and never waits for the database", async () => {
    let release = () => {};
    const away = new Promise<void>((done) => {
      release = done;
    });
    const stored: number[] = [];
    const queue = createCaptureQueue({
      prepare: ({ request: _request, answer: _answer, ...row }) => ({
        ...row,
        requestBytes: 0,
        answerBytes: 0,
        sealed: "",
      }),
      store: async (captures, lost) => {
        await away;
        stored.push(captures.length, lost);
      },
      onError: () => undefined,
      itemsMax: 5,
      bytesMax: 1_000,
      perSecond: 50,
    });
    const taken = Array.from({ length: 30 }, () => queue.offer(request()));
    expect(taken.filter(Boolean)).toHaveLength(6);
    expect(queue.offer(request(501))).toBe(false);
    expect(queue.lost()).toBe(25);
    release();
    await queue.idle();
    expect(stored).toEqual([6, 25]);
    expect(queue.lost()).toBe(0);
    for (let i = 0; i < 60; i++) {
      queue.offer(request());
      await queue.idle();
    }
    expect(queue.lost() + stored.reduce((sum, count, at) => (at % 2 === 1 ? sum + count : sum), 0)).toBeGreaterThan(25);
  });
});
