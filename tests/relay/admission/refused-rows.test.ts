import { describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { chatBody, MODELS, setUpRelay, type TokenValues, type UserValues } from "../harness";

/** Every refusal of a known caller is in the log, with what the caller was told (issue: a failure can be found). */
const relay = setUpRelay({
  options: {
    GroupRatio: { default: 1, vip: 2 },
    UserUsableGroups: { default: "default", vip: "vip" },
    SensitiveWords: "forbidden-word",
    CheckSensitiveEnabled: "true",
    CheckSensitiveOnPromptEnabled: "true",
  },
  channels: [{ models: `${MODELS},fake-unpriced` }],
  gateway: { bodyBytesMax: 1_048_576, refusalLimits: { userBurst: 50, burst: 10_000, flushMs: 50 } },
});

type Row = {
  request: string;
  type: number;
  status: number;
  code: string;
  cause: string;
  repeats: number;
  quota: number;
  channel: number;
  model: string;
  content: string;
  token: number;
  other: Record<string, unknown>;
};

async function rowsOf(user: number): Promise<Row[]> {
  return await relay.database.sql<Row[]>`
    select request_id as request, type, status_code as status, error_code as code, error_cause as cause, repeats, quota,
      channel_id as channel, model_name as model, content, token_id as token, other
    from usage_logs where user_id = ${user} and not hidden order by id`;
}

async function rowOf(user: number): Promise<Row> {
  await expect.poll(() => rowsOf(user)).toHaveLength(1);
  const [row] = await rowsOf(user);
  if (!row) throw new Error("no row");
  return row;
}

async function caller(token: TokenValues = {}, owner: UserValues = {}) {
  const user = await relay.addUser(owner);
  return { user, token: await relay.addToken(user, token) };
}

describe("what is refused is in the log, free, with status, code and text", () => {
  test.each<[string, TokenValues, UserValues, string, number, string]>([
    ["an expired key", { expiredTime: 1_000 }, {}, chatBody("fake-gpt"), 401, "invalid_api_key"],
    ["a key that is switched off", { status: 2 }, {}, chatBody("fake-gpt"), 401, "invalid_api_key"],
    [
      "a key without quota",
      { unlimitedQuota: false, remainQuota: 0 },
      {},
      chatBody("fake-gpt"),
      401,
      "invalid_api_key",
    ],
    ["an address", { allowIps: "10.0.0.1" }, {}, chatBody("fake-gpt"), 403, "ip_not_allowed"],
    [
      "a model of the key",
      { modelLimitsEnabled: true, modelLimits: "x" },
      {},
      chatBody("fake-gpt"),
      403,
      "model_not_allowed",
    ],
    ["an operation", { operationLimits: "embeddings" }, {}, chatBody("fake-gpt"), 403, "operation_not_allowed"],
    ["a group", { group: "gone" }, {}, chatBody("fake-gpt"), 403, "group_disabled"],
    ["a banned user", {}, { status: 2 }, chatBody("fake-gpt"), 403, "user_banned"],
    ["a balance of nothing", {}, { balance: 0 }, chatBody("fake-gpt"), 429, "insufficient_quota"],
    ["a model without a price", {}, {}, chatBody("fake-unpriced"), 400, "model_price_error"],
    ["a model that nobody has", {}, {}, chatBody("nobody-has-it"), 404, "model_not_found"],
    [
      "words",
      {},
      {},
      JSON.stringify({ model: "fake-gpt", messages: [{ role: "user", content: "forbidden-word" }] }),
      400,
      "sensitive_words_detected",
    ],
    ["nonsense", {}, {}, "{", 400, "invalid_text_request"],
    ["a body too large", {}, {}, chatBody("fake-gpt", { padding: "x".repeat(1_100_000) }), 413, "request_too_large"],
  ])("%s", async (_name, values, owner, body, status, code) => {
    const { user, token } = await caller(values, owner);
    const answer = await relay.post(token.key, body);
    expect([answer.status, answer.wire.error.code]).toEqual([status, code]);
    const row = await rowOf(user);
    expect(row).toMatchObject({ type: 5, status, code, repeats: 0, quota: 0, channel: 0, token: token.id });
    expect(row.request).toBe(answer.headers.get("x-oneapi-request-id"));
    expect(answer.wire.error.message).toContain(row.content);
    expect(row.content.length).toBeGreaterThan(5);
    expect(row.other).toMatchObject({ status_code: status, path: "/v1/chat/completions" });
    expect((await relay.balanceOf(user)).used).toBe(0);
  });

  test("a limit of requests", async () => {
    const { user, token } = await caller({ rateLimitCount: 1, rateLimitSeconds: 600 });
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(200);
    expect((await relay.post(token.key, chatBody("fake-gpt"))).status).toBe(429);
    await expect.poll(() => rowsOf(user)).toMatchObject([{ type: 2 }, { type: 5, status: 429 }]);
  });

  test("other callers' formats and paths: Anthropic, Google, a page, a session", async () => {
    const { user, token } = await caller({ allowIps: "10.0.0.1" });
    const headers = { "content-type": "application/json", "x-api-key": token.key, "x-goog-api-key": token.key };
    const body = chatBody("fake-gpt");
    for (const path of ["/v1/messages", "/v1beta/models/fake-gpt:generateContent?key=zzz", "/v1/embeddings"]) {
      const own = path.includes("embeddings") ? { ...headers, authorization: `Bearer ${token.key}` } : headers;
      expect((await fetch(relay.url + path, { method: "POST", headers: own, body })).status).toBe(403);
    }
    expect((await fetch(`${relay.url}/v1/models`, { headers: { authorization: `Bearer ${token.key}` } })).status).toBe(
      403,
    );
    const session = new WebSocket(`${relay.url.replace("http", "ws")}/v1/realtime?model=fake-gpt`, {
      headers: { authorization: `Bearer ${token.key}` },
    });
    await new Promise((resolve) => session.on("close", resolve));
    await expect.poll(() => rowsOf(user)).toHaveLength(5);
    const rows = await rowsOf(user);
    expect(new Set(rows.map(({ code }) => code))).toEqual(new Set(["ip_not_allowed"]));
    expect(rows.map(({ other }) => other.path)).toEqual([
      "/v1/messages",
      "/v1beta/models/fake-gpt:generateContent",
      "/v1/embeddings",
      "/v1/models",
      "/v1/realtime",
    ]);
  });

  test("a request that reached a channel has one row, with the status and code that the caller got", async () => {
    const { user, token } = await caller();
    const answer = await relay.post(token.key, chatBody("fake-error-500"));
    const row = await rowOf(user);
    expect(row).toMatchObject({ type: 5, status: answer.status, repeats: 0 });
    expect(row.code).toBe(String(answer.wire.error.code ?? answer.wire.error.type));
    expect(row.channel).toBeGreaterThan(0);
  });

  test("models that callers make up are in the text, and not among the models of the log", async () => {
    const { user, token } = await caller();
    await relay.post(token.key, chatBody("made-up"));
    expect(await rowOf(user)).toMatchObject({
      model: "",
      cause: expect.stringContaining("<model>"),
      other: { requested_model: "made-up" },
    });
    const other = await caller();
    await relay.post(other.token.key, chatBody("fake-unpriced"));
    expect(await rowOf(other.user)).toMatchObject({
      model: "fake-unpriced",
      cause: expect.stringContaining("<model>"),
    });
  });
});

test("keys that a caller puts where errors quote them are not stored", async () => {
  const { user, token } = await caller();
  const secret = `sk-proj-${"a1B2".repeat(10)}`;
  await relay.post(token.key, chatBody(secret));
  await fetch(`${relay.url}/v1/embeddings?token=${secret}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: secret, input: "x" }),
  });
  await expect.poll(() => rowsOf(user)).toHaveLength(2);
  const stored = JSON.stringify(await relay.database.sql`select * from usage_logs where user_id = ${user}`);
  expect(stored).not.toContain("a1B2a1B2");
  expect(stored).not.toContain(token.key);
});

test("an unknown key leaves no row", async () => {
  const count = async () =>
    (await relay.database.sql<{ n: number }[]>`select count(*)::int as n from usage_logs`)[0]?.n;
  const before = await count();
  expect((await relay.post(`sk-${"x".repeat(48)}`, chatBody("fake-gpt"))).status).toBe(401);
  const { user, token } = await caller({ status: 2 });
  await relay.post(token.key, chatBody("fake-gpt"));
  await rowOf(user);
  expect(await count()).toBe(Number(before) + 1);
});

test("nothing is logged while the log is off", async () => {
  await relay.setOption("LogConsumeEnabled", "false");
  await relay.inForce();
  const { user, token } = await caller({ status: 2 });
  await relay.post(token.key, chatBody("fake-gpt"));
  await relay.setOption("LogConsumeEnabled", "true");
  await relay.inForce();
  await relay.post(token.key, chatBody("fake-gpt"));
  await rowOf(user);
});
