import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { Attempt } from "@/lib/relay/http/attempts";
import { azureAuth } from "@/lib/relay/providers/auth/azure";
import { TokenCache } from "@/lib/relay/providers/auth/token-cache";
import type { AuthScheme, UpstreamRow } from "@/lib/relay/providers/channel-type";
import { rows } from "@/lib/relay/providers/rows";
import { testChannel } from "@/lib/relay/side/channel-tests/test-channel";
import {
  type FakeTokenServer,
  fakeToken,
  startFakeTokenServer,
  type TokenAnswer,
} from "@/lib/testing/fake-token-server";
import { chatBody, setUpRelay, until } from "../harness";

// Azure's row, with a token endpoint on loopback.
const SECRET = "the-secret-of-the-client";
const KEY = `tenant-1|client-1|${SECRET}`;
const relay = setUpRelay({ options: { AutomaticDisableChannelEnabled: true, RetryTimes: 1 } });
const usual = rows.get(CHANNEL_TYPE.azure);
let endpoint: FakeTokenServer;
let clock: number;
let user: number;
let caller: string;
let azure: number;
let auth: AuthScheme;

beforeAll(async () => {
  endpoint = await startFakeTokenServer();
});
afterAll(async () => {
  if (usual) (rows as Map<number, UpstreamRow>).set(CHANNEL_TYPE.azure, usual);
  await endpoint.close();
});

beforeEach(async () => {
  await relay.reset();
  clock = 0;
  const tokens = new TokenCache({ now: () => clock });
  auth = azureAuth(tokens, () => ({ login: endpoint.url, scope: "scope" }));
  if (usual) (rows as Map<number, UpstreamRow>).set(CHANNEL_TYPE.azure, { ...usual, auth });
  endpoint.forms.length = 0;
  answerWith((nth) => ({ body: { access_token: fakeToken(nth), expires_in: 3_600 } }));
  const made = await relay.addCaller();
  user = made.user;
  caller = made.token.key;
  azure = await relay.addChannel({ type: CHANNEL_TYPE.azure, key: KEY, priority: 10 });
  await relay.inForce();
});

function answerWith(answer: (nth: number) => TokenAnswer): void {
  endpoint.answer = answer;
}

const ask = () => relay.post(caller, chatBody("fake-gpt"));
const shown = () => relay.upstream.requests.map(({ authorization }) => authorization.replace("Bearer ", ""));

async function attempts(): Promise<Attempt[]> {
  await until(async () => (await relay.logsOf(user)).length > 0);
  const [log] = await relay.logsOf(user);
  return (log?.other.admin_info as { attempts?: Attempt[] } | undefined)?.attempts ?? [];
}

async function stateOf(id: number): Promise<{ status: number; reason: string | null }> {
  const found = await relay.database.sql<{ status: number; reason: string | null }[]>`
    select status, other_info ->> 'status_reason' as reason from channels where id = ${id}`;
  return found[0] ?? { status: 0, reason: null };
}

/** Everything stored that could quote a secret. */
async function stored(): Promise<string> {
  const { sql } = relay.database;
  return JSON.stringify(
    await sql`
    select (select json_agg(u) from usage_logs u) as logs, (select json_agg(c.other_info) from channels c) as reasons,
      (select json_agg(n) from notifications n) as notifications`,
  );
}

test("20 first requests of a channel ask for one token, and all are answered", async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, ask));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(endpoint.forms).toHaveLength(1);
  expect(new Set(shown())).toEqual(new Set([fakeToken(1)]));
});

describe("when no token can be had", () => {
  test.each<[string, TokenAnswer, Partial<Attempt>]>([
    ["the endpoint fails", { status: 500, body: "" }, { outcome: "failed", cause: "overload", status: 500 }],
    ["it sends a page", { body: "<html>" }, { outcome: "failed", cause: "bad_answer" }],
    ["it closes the connection", (response) => response.destroy(), { outcome: "failed", cause: "reset" }],
    ["it limits us", { status: 429, body: "" }, { outcome: "limited", cause: "limit", status: 429 }],
  ])("%s: the next channel answers, and the channel stays on", async (_what, answer, attempt) => {
    answerWith(() => answer);
    await relay.addChannel();
    await relay.inForce();
    expect((await ask()).status).toBe(200);
    expect(shown()).toEqual(["good-key"]);
    expect(await attempts()).toMatchObject([{ channel: azure, ...attempt }, { outcome: "ok" }]);
    expect(await stateOf(azure)).toMatchObject({ status: 1 });
  });

  test("the key is refused: the channel is switched off with the reason, which quotes no secret", async () => {
    const body = { error: "invalid_client", error_description: `AADSTS7000215: '${SECRET}' is no valid secret` };
    answerWith(() => ({ status: 401, body }));
    await relay.addChannel();
    await relay.inForce();
    const [first, second] = await Promise.all([ask(), ask()]);
    expect([first.status, second.status]).toEqual([200, 200]);
    await until(async () => (await stateOf(azure)).status === 3);
    expect((await stateOf(azure)).reason).toContain("refused the key: invalid_client: AADSTS7000215");
    expect(await attempts()).toMatchObject([{ channel: azure, outcome: "refused", status: 401 }, { outcome: "ok" }]);
    expect(await stored()).not.toContain(SECRET);
    expect(endpoint.forms).toHaveLength(1);
  });

  test("the key has another form: the caller learns nothing of it, and the log says what is wrong", async () => {
    await relay.database.sql`update channels set status = 2 where id = ${azure}`;
    const channel = await relay.addChannel({ type: CHANNEL_TYPE.azure, key: `tenant|${SECRET}` });
    await relay.inForce();
    const answer = await ask();
    expect(answer.status).toBe(500);
    expect(answer.text).not.toContain(SECRET);
    expect(await attempts()).toMatchObject([
      { channel, cause: "setup", message: expect.stringContaining("tenant|client id|client secret") },
    ]);
  });
});

describe("a token that the upstream refuses", () => {
  const REFUSED = "withdrawn-bad-key";

  test("is replaced within the attempt when it is not new; the channel stays on", async () => {
    answerWith((nth) => ({ body: { access_token: nth === 1 ? REFUSED : fakeToken(nth), expires_in: 3_600 } }));
    await auth(KEY, { url: relay.upstream.url, body: Buffer.alloc(0), trust: "operator", proxy: "" });
    clock += 60_000;
    const answers = await Promise.all(Array.from({ length: 5 }, ask));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(new Set(shown())).toEqual(new Set([REFUSED, fakeToken(2)]));
    expect(endpoint.forms).toHaveLength(2);
    expect(await attempts()).toMatchObject([
      { channel: azure, outcome: "failed", cause: "key", status: 401 },
      { channel: azure, outcome: "ok" },
    ]);
    expect(await stateOf(azure)).toMatchObject({ status: 1 });
  });

  test("when it is new, is a refusal of the key: the channel is switched off", async () => {
    answerWith(() => ({ body: { access_token: REFUSED, expires_in: 3_600 } }));
    await relay.addChannel();
    await relay.inForce();
    expect((await ask()).status).toBe(200);
    expect(shown()).toEqual([REFUSED, "good-key"]);
    expect(endpoint.forms).toHaveLength(1);
    await until(async () => (await stateOf(azure)).status === 3);
  });
});

test("a caller that leaves while a token is waited for is done with at once, and pays nothing", async () => {
  answerWith(() => () => {});
  const leaving = new AbortController();
  const request = fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${caller}` },
    body: chatBody("fake-gpt"),
    signal: leaving.signal,
  }).catch((error: Error) => error.name);
  await until(() => endpoint.forms.length === 1);
  leaving.abort();
  expect(await request).toBe("AbortError");
  // Far less than the time limit of the token endpoint.
  await until(async () => (await relay.logsOf(user)).length === 1, 1_500);
  expect((await relay.logsOf(user))[0]).toMatchObject({ quota: 0 });
  expect(await relay.balanceOf(user)).toMatchObject({ quota: 1_000_000 });
  expect(relay.upstream.requests).toEqual([]);
});

test("so is one that leaves while another token is waited for, instead of one that was refused", async () => {
  answerWith((nth) => (nth === 1 ? { body: { access_token: "withdrawn-bad-key", expires_in: 3_600 } } : () => {}));
  await auth(KEY, { url: relay.upstream.url, body: Buffer.alloc(0), trust: "operator", proxy: "" });
  clock += 60_000;
  const leaving = new AbortController();
  const request = fetch(`${relay.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${caller}` },
    body: chatBody("fake-gpt"),
    signal: leaving.signal,
  }).catch((error: Error) => error.name);
  await until(() => endpoint.forms.length === 2);
  leaving.abort();
  expect(await request).toBe("AbortError");
  await until(async () => (await relay.logsOf(user)).length === 1, 1_500);
  expect((await relay.logsOf(user))[0]).toMatchObject({ quota: 0 });
});

test("a channel test says why there is no token", async () => {
  answerWith(() => ({ status: 400, body: { error: "invalid_client", error_description: SECRET } }));
  const channel = relay.gateway.snapshot().channels.get(azure);
  if (!channel) throw new Error("no channel");
  const outcome = await testChannel(channel, "fake-gpt", defaultOptions());
  expect(outcome).toMatchObject({
    success: false,
    message: expect.stringContaining("refused the key: invalid_client"),
  });
  expect(outcome.message).not.toContain(SECRET);
});
