import { connect } from "node:net";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { chatBody, MODELS, setUpRelay, type TokenValues, type UserValues, until } from "../harness";

const messages = [{ role: "user" as const, content: "Say hello" }];
const relay = setUpRelay({
  options: {
    GroupRatio: { default: 1, vip: 2 },
    UserUsableGroups: { default: "default", vip: "vip", retired: "retired" },
  },
  channels: [{ models: `${MODELS},fake-unpriced` }],
  gateway: { bodyBytesMax: 1_048_576 },
});
let user: number;
let key: string;

beforeAll(async () => {
  const caller = await relay.addCaller();
  user = caller.user;
  key = caller.token.key;
});
afterEach(async () => {
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
});

async function refusal(values: TokenValues, owner: UserValues = {}) {
  const own = await relay.addUser(owner);
  const token = await relay.addToken(own, values);
  const answer = await relay.post(token.key, chatBody("fake-gpt"));
  expect(await relay.logsOf(own)).toEqual([]);
  expect((await relay.balanceOf(own)).used).toBe(0);
  return { ...answer, token };
}

const past = Math.floor(Date.now() / 1000) - 10;

describe("a caller who may not", () => {
  test("no key and a wrong key are 401 in OpenAI's error shape with the request's id", async () => {
    for (const wrong of [null, "sk-nothing", `sk-${"x".repeat(48)}`, "sk-", "ключ".repeat(3).replace(/./g, "%")]) {
      const { status, wire, headers } = await relay.post(wrong, chatBody("fake-gpt"));
      expect(status).toBe(401);
      const id = headers.get("x-oneapi-request-id");
      expect(wire.error).toMatchObject({
        type: expect.any(String),
        message: expect.stringContaining(`(request id: ${id})`),
      });
    }
    const client = relay.clientFor(`sk-${"y".repeat(48)}`);
    await expect(client.chat.completions.create({ model: "fake-gpt", messages })).rejects.toMatchObject({
      status: 401,
      code: "invalid_api_key",
    });
  });

  test("an expired key is 401 and its row becomes expired (B161, B276)", async () => {
    const { status, wire, token } = await refusal({ expiredTime: past });
    expect([status, wire.error.message]).toEqual([401, expect.stringContaining("expired")]);
    await until(async () => {
      const rows = await relay.database.sql<{ status: number }[]>`select status from tokens where id = ${token.id}`;
      return rows[0]?.status === 3;
    });
  });

  test("a used-up key is 401 and its row becomes used up; one with too little is 429 (B161, B276)", async () => {
    const { status, wire, token } = await refusal({ unlimitedQuota: false, remainQuota: 0 });
    expect([status, wire.error.message]).toEqual([401, expect.stringContaining("used up")]);
    const rows = await relay.database.sql`select status from tokens where id = ${token.id}`;
    expect(rows).toEqual([{ status: 4 }]);
    const short = await refusal({ unlimitedQuota: false, remainQuota: 5 });
    expect([short.status, short.wire.error.code]).toEqual([429, "pre_consume_token_quota_failed"]);
  });

  test("states of the key: used up, expired, switched off are 401", async () => {
    expect((await refusal({ status: 4 })).wire.error.message).toContain("used up");
    expect((await refusal({ status: 3 })).wire.error.message).toContain("expired");
    expect((await refusal({ status: 2 })).status).toBe(401);
  });

  test("a banned user is 403, a user without balance 429 insufficient_quota (B276)", async () => {
    expect((await refusal({}, { status: 2 })).status).toBe(403);
    const { status, wire } = await refusal({}, { balance: 0 });
    expect([status, wire.error.code]).toEqual([429, "insufficient_quota"]);
  });

  test("a model outside the key's limits is 403 (B311), before any channel is looked for", async () => {
    const { status, wire } = await refusal({ modelLimitsEnabled: true, modelLimits: "gpt-4o, fake-slow" });
    expect([status, wire.error.code]).toEqual([403, "model_not_allowed"]);
  });

  test("an address outside the key's list is 403; ranges are understood (B312)", async () => {
    expect((await refusal({ allowIps: "10.0.0.0/8\n192.168.1.1" })).status).toBe(403);
    expect((await refusal({ denyIps: "127.0.0.0/8" })).status).toBe(403);
    const own = await relay.addToken(await relay.addUser(), { allowIps: "10.0.0.1, 127.0.0.0/8" });
    expect((await relay.post(own.key, chatBody("fake-gpt"))).status).toBe(200);
    const forged = await relay.post((await relay.addToken(user, { allowIps: "10.0.0.1" })).key, chatBody("fake-gpt"), {
      "x-forwarded-for": "10.0.0.1",
    });
    expect(forged.status).toBe(403);
  });

  test("the key's group must be usable and have a ratio; it decides channel and price (B313)", async () => {
    expect((await refusal({ group: "svip" })).wire.error.code).toBe("group_disabled");
    expect((await refusal({ group: "retired" })).wire.error.code).toBe("group_retired");
    const { status, wire } = await refusal({ group: "vip" });
    expect([status, wire.error.message]).toEqual([404, expect.stringContaining("the group vip")]);
    const vipChannel = await relay.addChannel({ group: "vip", models: "fake-gpt" });
    await relay.inForce();
    const own = await relay.addUser();
    await relay.post((await relay.addToken(own, { group: "vip" })).key, chatBody("fake-gpt"));
    expect(await relay.logsOf(own)).toMatchObject([{ group: "vip", quota: 76, channel: vipChannel }]);
  });

  test("an ordinary user may not name a channel, an administrator may (B211, B278)", async () => {
    const [channel] = relay.channelIds;
    const ordinary = await relay.post(`${key}-${channel}`, chatBody("fake-gpt"));
    expect([ordinary.status, ordinary.wire.error.code]).toEqual([403, "channel_not_allowed"]);
    const admin = await relay.addUser({ role: 10 });
    const own = await relay.addToken(admin, { modelLimitsEnabled: true, modelLimits: "fake-gpt" });
    const disabled = await relay.addChannel({ status: 2 });
    await relay.inForce();
    const codes = [];
    for (const id of ["nothing", "999", disabled, channel]) {
      const { status, wire } = await relay.post(`${own.key}-${id}`, chatBody("fake-gpt"));
      codes.push([status, wire.error?.code, wire.error?.message.split(" (")[0]]);
    }
    expect(codes).toEqual([
      [400, "invalid_channel_id", "invalid channel id"],
      [400, "invalid_channel_id", "the channel 999 does not exist"],
      [403, "channel_disabled", "the channel is disabled"],
      [200, undefined, undefined],
    ]);
    // Model limits also apply to a request that names a channel.
    expect((await relay.post(`${own.key}-${channel}`, chatBody("fake-slow"))).status).toBe(403);
  });

  test("a prompt with a word of the operator's list is 400 while both switches are on (B320)", async () => {
    const own = await relay.addToken(await relay.addUser());
    const body = chatBody("fake-gpt", {
      messages: [{ role: "user", content: [{ type: "text", text: "a TEST_sensitive b" }] }],
    });
    const { status, wire } = await relay.post(own.key, body);
    expect([status, wire.error.code]).toEqual([400, "sensitive_words_detected"]);
    await relay.setOption("CheckSensitiveOnPromptEnabled", "false");
    await relay.inForce();
    expect((await relay.post(own.key, body)).status).toBe(200);
  });

  test("where words are not to stop a request they are replaced in all its texts, and nowhere else (contract §4.8)", async () => {
    const own = await relay.addToken(await relay.addUser());
    for (const [name, value] of [
      ["SensitiveWords", "weir gate\ngate keeper\nfake-gpt"],
      ["CheckSensitiveOnPromptEnabled", "true"],
      ["StopOnSensitiveEnabled", "false"],
    ] as const)
      await relay.setOption(name, value);
    await relay.inForce();
    const messages = [
      { role: "system", content: "Speak of FAKE-GPT." },
      { role: "user", content: [{ type: "text", text: "The Weir Gate keeper, the gate." }] },
      { role: "user", content: "fake-gpt" },
    ];
    expect((await relay.post(own.key, chatBody("fake-gpt", { messages, user: "weir gate" }))).status).toBe(200);
    expect(relay.upstream.requests.at(-1)?.body).toMatchObject({
      model: "fake-gpt",
      user: "weir gate",
      messages: [
        { content: "Speak of ***." },
        { content: [{ type: "text", text: "The ***, the gate." }] },
        { content: "***" },
      ],
    });
    const long = [{ role: "user", content: "İ weir gate" }];
    const refused = await relay.post(own.key, chatBody("fake-gpt", { messages: long }));
    expect(refused.wire.error.code).toBe("sensitive_words_detected");
    await relay.setOption("StopOnSensitiveEnabled", "true");
    await relay.inForce();
    expect((await relay.post(own.key, chatBody("fake-gpt", { messages }))).status).toBe(400);
  });

  test("a model that no channel has or that is switched off by hand is 404, one whose channels failed 503 (B278), one without a price is refused", async () => {
    const none = await relay.post(key, chatBody("gpt-none"));
    expect([none.status, none.wire.error.message]).toEqual([404, expect.stringContaining("gpt-none")]);
    await relay.addChannel({ models: "gpt-off,gpt-resting", status: 2 });
    await relay.addChannel({ models: "gpt-resting", status: 3 });
    await relay.inForce();
    const off = await relay.post(key, chatBody("gpt-off"));
    expect([off.status, off.wire.error.code]).toEqual([404, "model_not_found"]);
    expect(off.wire.error.message).toContain("the model gpt-off is switched off");
    const resting = await relay.post(key, chatBody("gpt-resting"));
    expect([resting.status, resting.wire.error.message]).toEqual([503, expect.stringContaining("gpt-resting")]);
    expect((await relay.post(key, chatBody("fake-unpriced"))).wire.error.code).toBe("model_price_error");
  });

  test("a model without a price is charged at ratio 37.5 to who agreed to it, from the moment they did, and to nobody else", async () => {
    const own = await relay.addUser();
    const token = await relay.addToken(own);
    const ask = () => relay.post(token.key, chatBody("fake-unpriced"));
    expect((await ask()).status).toBe(400);
    await relay.database.sql`
      update users set setting = setting || '{"accept_unset_model_ratio_model":true}' where id = ${own}`;
    await until(async () => (await ask()).status === 200, 1_000);
    const bill = (await relay.logsOf(own)).at(-1);
    expect(bill).toMatchObject({ other: { model_ratio: 37.5 } });
    expect((await relay.post(key, chatBody("fake-unpriced"))).status).toBe(400);
  });
});

describe("bad input", () => {
  test.each([
    ["not JSON", "{", 400],
    ["empty", "", 400],
    ["a list", "[]", 400],
    ["a number", "1", 400],
    ["null", "null", 400],
    ["a model that is a number", '{"model":1,"messages":[{}]}', 400],
    ["a model that is missing", '{"messages":[{}]}', 400],
    ["a model with control characters", JSON.stringify({ model: "a\u0000b", messages: [{}] }), 400],
    ["no messages", '{"model":"fake-gpt"}', 400],
    ["messages that are text", '{"model":"fake-gpt","messages":"hi"}', 400],
    ["stream that is text", chatBody("fake-gpt", { stream: "yes" }), 400],
    ["a negative limit", chatBody("fake-gpt", { max_tokens: -1 }), 400],
    ["a limit beyond 2^30", chatBody("fake-gpt", { max_tokens: 2 ** 31 }), 400],
    ["a limit that is text", chatBody("fake-gpt", { max_tokens: "10" }), 400],
    ["too many choices", chatBody("fake-gpt", { n: 100_000 }), 400],
    ["too large", chatBody("fake-gpt", { padding: "x".repeat(1_100_000) }), 413],
  ])("%s is refused in OpenAI's error shape", async (_name, body, expected) => {
    const { status, wire } = await relay.post(key, body);
    expect(status).toBe(expected);
    expect(wire.error).toMatchObject({ type: "invalid_request_error", message: expect.any(String) });
  });

  test("a compressed body is read; one that is broken is 400, a bomb 413, an odd encoding 415", async () => {
    const own = await relay.addToken(await relay.addUser());
    const send = (body: Buffer, encoding: string) => relay.post(own.key, body, { "content-encoding": encoding });
    const plain = Buffer.from(chatBody("fake-gpt"));
    expect((await send(gzipSync(plain), "gzip")).status).toBe(200);
    expect((await send(brotliCompressSync(plain), "br")).status).toBe(200);
    expect((await send(plain, "gzip")).status).toBe(400);
    expect((await send(gzipSync(Buffer.alloc(3_000_000)), "gzip")).status).toBe(413);
    expect((await send(plain, "zstd")).status).toBe(415);
  });

  test("a key written twice cannot name one model to us and another to the upstream", async () => {
    const own = await relay.addUser();
    const body = '{"model":"fake-slow","messages":[{"role":"user","content":"hi"}],"mod\\u0065l":"fake-gpt"}';
    expect((await relay.post((await relay.addToken(own)).key, body)).status).toBe(200);
    expect(relay.upstream.requests.at(-1)?.body.model).toBe("fake-gpt");
    expect(await relay.logsOf(own)).toMatchObject([{ model: "fake-gpt" }]);
  });

  test("unknown paths are 404, known but missing ones 501", async () => {
    const headers = { authorization: `Bearer ${key}` };
    const unknown = await fetch(`${relay.url}/v1/nothing`, { headers });
    expect(unknown.status).toBe(404);
    const { error } = (await unknown.json()) as { error: { message: string } };
    expect(error.message).toContain("Invalid URL (GET /v1/nothing)");
    expect((await fetch(`${relay.url}/v1/fine-tunes`, { headers })).status).toBe(501);
  });

  test("a key of 10 MB and headers with control characters are 4xx, and the process stays up", async () => {
    const long = await rawStatus(`Authorization: Bearer ${"k".repeat(10 * 1_048_576)}\r\n`);
    expect(long).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(long).toContain('"error"');
    for (const control of ["\u0000", "\u0001", "\u007f", "\u001b[2J"]) {
      const answer = await rawStatus(`Authorization: Bearer sk-a${control}b\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect(answer).toContain('"error"');
    }
    const own = await relay.addToken(await relay.addUser());
    expect((await relay.post(own.key, chatBody("fake-gpt"))).status).toBe(200);
  });
});

/** Sends a request with these raw header lines; returns the response. */
function rawStatus(lines: string): Promise<string> {
  const body = chatBody("fake-gpt");
  const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${body.length}\r\n`;
  return new Promise((done) => {
    const socket = connect(Number(new URL(relay.url).port), "127.0.0.1");
    let text = "";
    socket.on("data", (part) => {
      text += part.toString("utf8");
    });
    socket.on("error", () => {});
    socket.on("close", () => done(text));
    socket.write(`${head}${lines}\r\n${body}`, "latin1");
  });
}
