import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { readSetting } from "@/lib/snapshot/channel-setting";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { fakeToken, startFakeTokenServer } from "@/lib/testing/fake-token-server";
import { createPools } from "../../net/pools";
import { askAccount } from "../../operations/tasks/ask-account";
import { azureAuth } from "../../providers/auth/azure";
import { TokenCache } from "../../providers/auth/token-cache";
import type { UpstreamRow } from "../../providers/channel-type";
import { rows } from "../../providers/rows";
import { questionFor } from "../../side/stored/ask-account";
import { defaultDialect } from "../../wire/dialects";
import { Exchange } from "../exchange";
import { askOnce, passOnce } from "./ask-once";
import { timeLimitsOf } from "./time-limits";

let respond: (request: IncomingMessage, response: ServerResponse) => void = () => {};
const server = createServer((request, response) => respond(request, response));
await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const pools = createPools();
afterAll(async () => {
  await pools.close();
  server.closeAllConnections();
  server.close();
});

const options = defaultOptions();
const channel: SnapshotChannel = {
  id: 1,
  name: "",
  type: CHANNEL_TYPE.openai,
  key: "sk-of-the-account",
  keys: null,
  openaiOrganization: "org-1",
  status: 1,
  weight: 0,
  priority: 0,
  baseUrl,
  other: "",
  models: [],
  groups: [],
  modelMapping: new Map(),
  statusCodeMapping: new Map(),
  autoBan: true,
  setting: readSetting({}),
  paramOverride: {},
  limits: null,
  trust: "operator",
};
const asked = { method: "GET", path: "/v1/files/file-1", query: "", form: "json" } as const;
const question = (changes: Partial<SnapshotChannel> = {}) =>
  questionFor({ channel: { ...channel, ...changes }, key: changes.key ?? channel.key }, options, asked);
const patience = (silenceMs = 5_000) => ({ silenceMs, signal: AbortSignal.timeout(2 * silenceMs), bytesMax: 1_000 });

let heard: IncomingMessage["headers"][] = [];
beforeEach(() => {
  heard = [];
  respond = ({ headers }, response) => {
    heard.push(headers);
    response.setHeader("content-type", "application/json").end('{"ok":true}');
  };
});

test("a question is sent with the account's key, and its answer is read to its end", async () => {
  const reply = await askOnce(question(), patience());
  expect({ ...reply, body: reply.body.toString() }).toMatchObject({ status: 200, body: '{"ok":true}' });
  expect(heard).toMatchObject([{ authorization: "Bearer sk-of-the-account", "openai-organization": "org-1" }]);
});

test("an answer beyond the bound, and one that does not come, are none", async () => {
  respond = (_, response) => response.end("x".repeat(1_001));
  await expect(askOnce(question(), patience())).rejects.toMatchObject({ messageKey: "egressTooLarge" });
  respond = () => {};
  await expect(askOnce(question(), patience(300))).rejects.toThrow(/imeout/);
});

test("a span ends with the answer's status, and with null where there is none", async () => {
  const ended: (number | null)[] = [];
  const trace = () => ({ end: (status: number | null) => void ended.push(status) });
  await askOnce(question(), { ...patience(), trace });
  respond = ({ socket }) => socket.destroy();
  await expect(askOnce(question(), { ...patience(), trace })).rejects.toThrow();
  expect(ended).toEqual([200, null]);
});

test("a task is asked about with the organization that it was made for", async () => {
  const ask = { method: "GET", path: "/v1/videos/video_1" } as const;
  const reply = await askAccount(ask, {
    channel,
    key: channel.key,
    url: undefined,
    options,
    timeoutMs: 5_000,
    bytesMax: 1_000,
  });
  expect(reply).toMatchObject({ status: 200, contentType: "application/json" });
  expect(heard).toMatchObject([{ accept: "*/*", "accept-encoding": "identity", "openai-organization": "org-1" }]);
  expect(heard[0]).not.toHaveProperty("content-type");
});

/** A real request of a caller, and what an upstream made of it. */
async function pass(changes: Partial<SnapshotChannel>) {
  let end: Awaited<ReturnType<typeof passOnce>> | null = null;
  const gateway = createServer(async (request, response) => {
    const exchange = new Exchange(request, response, "127.0.0.1", defaultDialect.client);
    end = await passOnce(question(changes), {
      pools,
      exchange,
      isStream: false,
      limits: timeLimitsOf(options, "", null),
    });
    response.end();
  });
  await new Promise<void>((done) => gateway.listen(0, "127.0.0.1", done));
  await fetch(`http://127.0.0.1:${(gateway.address() as AddressInfo).port}`).then((reply) => reply.text());
  gateway.close();
  return end;
}

test("a caller's question to an address that is not allowed fails as a setting that is not valid", async () => {
  expect(await pass({ trust: "public" })).toMatchObject({ kind: "refused", failure: { kind: "setup" } });
  expect(heard).toEqual([]);
});

test("a caller's question goes out again where its connection was just being closed, and not where it failed", async () => {
  expect(await pass({})).toMatchObject({ kind: "answered" });
  respond = ({ socket, headers }) => {
    heard.push(headers);
    socket.destroy();
  };
  // The first on the connection that was used before, the second on one of its own.
  expect(await pass({})).toMatchObject({ kind: "unreachable", isStale: false });
  expect(heard).toHaveLength(3);
});

test.each([["its answer is read"], ["it is passed on"]])(
  "a token that is refused is not used again, whether %s",
  async (way) => {
    const endpoint = await startFakeTokenServer();
    endpoint.answer = (nth) => ({ body: { access_token: fakeToken(nth), expires_in: 3_600 } });
    let clock = 0;
    const auth = azureAuth(new TokenCache({ now: () => clock }), () => ({ login: endpoint.url, scope: "scope" }));
    const usual = rows.get(CHANNEL_TYPE.azure);
    if (!usual) throw new Error("no such type");
    (rows as Map<number, UpstreamRow>).set(CHANNEL_TYPE.azure, { ...usual, auth });
    const account = { type: CHANNEL_TYPE.azure, key: "tenant-1|client-1|the-secret" };
    const refused = `Bearer ${fakeToken(1)}`;
    try {
      await askOnce(question(account), patience());
      respond = ({ headers }, response) => {
        heard.push(headers);
        response.statusCode = headers.authorization === refused ? 401 : 200;
        response.setHeader("content-type", "application/json").end("{}");
      };
      // A token that is new is not replaced: another one would fare no better.
      clock += 60_000;
      await (way === "it is passed on" ? pass(account) : askOnce(question(account), patience()));
      expect(await askOnce(question(account), patience())).toMatchObject({ status: 200 });
    } finally {
      (rows as Map<number, UpstreamRow>).set(CHANNEL_TYPE.azure, usual);
      await endpoint.close();
    }
    expect(heard.map(({ authorization }) => authorization)).toEqual([refused, refused, `Bearer ${fakeToken(2)}`]);
  },
);
