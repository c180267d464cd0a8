// An administrator who is not root wants the keys of channels, or a view into the operator's network: moves a channel
// with its sealed key to an address of their own, aims a channel at a host name that resolves to a private address, and
// reads what a test says. Saved keys go only where root or the key's giver sent them; private addresses are root's.
import dns from "node:dns/promises";
import { createServer, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { type AddressInfo, connect } from "node:net";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { channels } from "@/db/schema";
import { setPrivateAllowed } from "@/lib/channel/trust-commands";
import type { ServiceContext } from "@/lib/context";
import { seal, unseal } from "@/lib/crypto";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { openConnections } from "@/lib/relay/net/open-connections";
import { serviceAccount } from "@/lib/testing/service-account";
import { call, type Person, setUpApi } from "../api/harness";

const api = setUpApi();
const SECRET = "sk-of-the-operator-0123456789";
/** A name outside of this machine's own that resolves to it. */
const INNER = "inner.weir.example";
const systemLookup = dns.lookup;
let server: Server;
let port: number;
let seen: string[] = [];

beforeAll(async () => {
  const lookup = (host: string, options: object) =>
    host === INNER ? Promise.resolve([{ address: "127.0.0.1", family: 4 }]) : systemLookup(host, options);
  dns.lookup = lookup as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? ""}`);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ data: [{ id: "inner-model" }], choices: [], metadata: "of the inner network" }));
  });
  server.on("connect", (request, socket) => {
    seen.push(`CONNECT ${request.url}`);
    const [host = "", to = ""] = (request.url ?? "").split(":");
    const upstream = connect(Number(to), host, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  dns.lookup = systemLookup;
  syncBuiltinESMExports();
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  seen = [];
});

async function addChannel(values: object = {}): Promise<number> {
  const row = {
    type: 1,
    name: "of root",
    models: "m",
    keyCipher: seal(SECRET),
    baseUrl: "https://api.provider.example",
  };
  const [made] = await api.database.db
    .insert(channels)
    .values({ ...row, ...values })
    .returning({ id: channels.id });
  if (!made) throw new Error("no row");
  return made.id;
}
const rowOf = async (id: number) => {
  const [row] = await api.database.db.select().from(channels).where(eq(channels.id, id));
  if (!row) throw new Error("no row");
  return row;
};
const put = async (body: object, as: Person = api.admin) =>
  (await call(channelApi, "PUT /api/channel/", { as, body })).json;
const get = async (path: string, as: Person = api.admin) =>
  (await call(channelApi, `GET /api/channel/${path}`, { as })).json;

describe("a saved key stays with its address", () => {
  test.each([
    ["the base URL", { base_url: "https://mine.example" }],
    ["the base URL emptied", { base_url: "" }],
    ["the type, whose own address then counts", { type: 43 }],
    ["the region or account in the address", { other: "mine" }],
    ["the proxy", { setting: '{"proxy":"http://mine.example:3128"}' }],
    ["the proxy, with an empty key beside it", { setting: '{"proxy":"socks5://mine.example"}', key: "  " }],
  ])("an administrator cannot change %s without the key", async (_what, change) => {
    const id = await addChannel();
    const before = await rowOf(id);
    expect(await put({ id, ...change })).toMatchObject({ success: false, message: expect.stringContaining("密钥") });
    expect(await rowOf(id)).toEqual(before);
  });

  test("with a new key the old one is gone, also where there were several", async () => {
    const id = await addChannel();
    await call(channelApi, `POST /api/channel/keys/${id}`, { as: api.root, body: { keys: "sk-second-key" } });
    expect((await put({ id, base_url: "https://mine.example", key: "sk-mine" })).success).toBe(true);
    expect(unseal((await rowOf(id)).keyCipher)).toBe("sk-mine");
    expect((await get(`keys/${id}`)).data).toEqual([]);
  });

  test("root moves it, and everything else an administrator still changes", async () => {
    const id = await addChannel({ setting: '{"proxy":"http://proxy.example:3128"}', baseUrl: "https://a.example/" });
    const whole = (await get(String(id))).data;
    expect(
      (await put({ ...whole, name: "renamed", priority: 5, setting: '{ "proxy": "http://proxy.example:3128" }' }))
        .success,
    ).toBe(true);
    expect((await put({ id, base_url: "https://b.example" }, api.root)).success).toBe(true);
    expect(await rowOf(id)).toMatchObject({ name: "renamed", baseUrl: "https://b.example" });
  });
});

describe("names that resolve into the operator's network", () => {
  const inner = () => `http://${INNER}:${port}`;

  async function addAs(as: Person, values: object = {}): Promise<number> {
    const body = { type: 1, name: `of ${as.username}`, models: "m", key: "sk-mine", base_url: inner(), ...values };
    expect((await call(channelApi, "POST /api/channel/", { as, body })).json.success).toBe(true);
    const [{ id }] = (await get("?id_sort=true")).data;
    return id;
  }

  test("an administrator's channel does not reach them: test, models, balance", async () => {
    const id = await addAs(api.admin);
    expect(await get(`test/${id}`)).toMatchObject({ success: false, message: expect.stringContaining("not allowed") });
    expect((await get(`fetch_models/${id}`)).success).toBe(false);
    expect((await get(`update_balance/${id}`)).success).toBe(false);
    const body = { type: 1, key: "sk-mine", base_url: inner() };
    expect((await call(channelApi, "POST /api/channel/fetch_models", { as: api.admin, body })).json.success).toBe(
      false,
    );
    expect(seen).toEqual([]);
  });

  test("nor through a proxy there, whatever its kind", async () => {
    const id = await addAs(api.admin, { base_url: "http://93.184.216.34" });
    for (const proxy of [`http://${INNER}:${port}`, `socks5://${INNER}:${port}`]) {
      const setting = JSON.stringify({ proxy });
      expect((await put({ id, setting, key: "sk-mine" })).success).toBe(true);
      expect(await get(`test/${id}`)).toMatchObject({ success: false });
    }
    expect((await put({ id, setting: '{"proxy":"http://127.0.0.1:1"}', key: "sk-mine" })).success).toBe(false);
    expect(seen).toEqual([]);
  });

  test("root's does, until an administrator moves it", async () => {
    const id = await addAs(api.root);
    expect((await get(`fetch_models/${id}`)).data).toEqual(["inner-model"]);
    expect((await put({ id, name: "renamed" })).success).toBe(true);
    expect((await get(`fetch_models/${id}`)).success).toBe(true);
    expect((await put({ id, base_url: `${inner()}/other`, key: "sk-mine" })).success).toBe(true);
    expect((await get(`fetch_models/${id}`)).success).toBe(false);
    expect((await put({ id, base_url: inner(), key: "sk-mine" }, api.root)).success).toBe(true);
    expect((await get(`fetch_models/${id}`)).success).toBe(true);
  });

  test("root trusts an administrator's address by giving the key again", async () => {
    const id = await addAs(api.admin);
    expect((await put({ id, key: "sk-mine" })).success).toBe(true);
    expect((await rowOf(id)).privateAllowed).toBe(false);
    expect((await put({ id, key: "sk-mine" }, api.root)).success).toBe(true);
    expect((await get(`fetch_models/${id}`)).success).toBe(true);
  });

  test("root decides for a channel by a switch of its own; an administrator cannot", async () => {
    const id = await addAs(api.admin);
    const { db, sql } = api.database;
    const contextOf = ({ id: userId, username }: Person, role: number): ServiceContext => {
      const actor = { type: "user", id: userId, username, role, group: "default", via: "session" } as const;
      return { db, sql, actor: { ...actor, proved: true }, clientIp: "" };
    };
    const byAdmin = setPrivateAllowed(contextOf(api.admin, 10), { id, allowed: true });
    await expect(byAdmin).rejects.toMatchObject({ code: "forbidden" });
    expect((await put({ id, privateAllowed: true, private_allowed: true })).success).toBe(true);
    expect((await rowOf(id)).privateAllowed).toBe(false);
    await setPrivateAllowed(contextOf(api.root, 100), { id, allowed: true });
    expect((await get(`fetch_models/${id}`)).success).toBe(true);
    await setPrivateAllowed(contextOf(api.root, 100), { id, allowed: false });
    expect((await get(`fetch_models/${id}`)).success).toBe(false);
  });

  test("a key that an administrator gives takes root's trust away, and adding one does, too", async () => {
    const replaced = await addAs(api.root);
    expect((await put({ id: replaced, key: "sk-mine" })).success).toBe(true);
    expect((await rowOf(replaced)).privateAllowed).toBe(false);
    expect((await get(`fetch_models/${replaced}`)).success).toBe(false);
    const added = await addAs(api.root);
    const body = { keys: "sk-another" };
    const answer = (await call(channelApi, `POST /api/channel/keys/${added}`, { as: api.admin, body })).json;
    expect(answer.success).toBe(true);
    expect((await rowOf(added)).privateAllowed).toBe(false);
    expect(seen).toEqual([]);
  });

  test("a service account names no token endpoint but Google's, in any of its fields that hold an address", async () => {
    const vertex = { type: CHANNEL_TYPE.vertex, models: "gemini-2.5-flash", other: "global", baseUrl: inner() };
    const id = await addChannel({ ...vertex, keyCipher: seal(serviceAccount()) });
    for (const uri of [`http://127.0.0.1:${port}/token`, `${inner()}/token`, "https://evil.example/token"]) {
      const answer = await put({ id, key: serviceAccount({ token_uri: uri }) });
      expect(answer).toMatchObject({ success: false, message: expect.stringContaining("token_uri") });
    }
    const { privateAllowed, keyCipher } = await rowOf(id);
    expect([privateAllowed, unseal(keyCipher)]).toEqual([true, serviceAccount()]);
    for (const kind of ["external_account", "impersonated_service_account", "gdch_service_account"]) {
      expect((await put({ id, key: serviceAccount({ type: kind }) })).success).toBe(false);
    }
    // These fields are read by nobody.
    const own = { auth_uri: inner(), client_x509_cert_url: inner(), universe_domain: INNER, quota_project_id: inner() };
    expect((await put({ id, key: serviceAccount(own) })).success).toBe(true);
    await get(`test/${id}`);
    expect(seen).toEqual([]);
  });

  test.each([
    ["Bedrock's region", CHANNEL_TYPE.bedrock, (host: string) => `id|secret|${host}/`],
    ["a tenant of Azure", CHANNEL_TYPE.azure, (host: string) => `${host}/x|client|secret`],
  ])("no other key has room for an address: %s", async (_what, type, keyOf) => {
    const body = {
      type,
      name: "c",
      models: "m",
      key: keyOf(`127.0.0.1:${port}`),
      base_url: "https://a.openai.azure.com",
    };
    expect((await call(channelApi, "POST /api/channel/", { as: api.admin, body })).json.success).toBe(false);
    expect(seen).toEqual([]);
  });

  test("a copy is trusted as much as what it was copied from", async () => {
    const of = async (as: Person) =>
      (await call(channelApi, `POST /api/channel/copy/${await addAs(as)}`, { as: api.admin, body: {} })).json.data.id;
    expect((await rowOf(await of(api.admin))).privateAllowed).toBe(false);
    expect((await rowOf(await of(api.root))).privateAllowed).toBe(true);
  });

  test("requests of callers go through the same guard: no connection is opened, none is shared", async () => {
    const ask = async (trust: "public" | "operator", proxy = "") => {
      const connections = openConnections({ origin: inner(), proxy, trust });
      try {
        const answer = await connections.take().request({ method: "GET", path: "/v1/models" });
        return (await answer.body.text()).length > 0;
      } finally {
        await connections.destroy();
      }
    };
    await expect(ask("public")).rejects.toMatchObject({ messageKey: "egressBlocked" });
    await expect(ask("public", inner())).rejects.toThrow();
    expect(seen).toEqual([]);
    expect(await ask("operator")).toBe(true);
    expect(() => openConnections({ origin: "http://127.0.0.1:1", proxy: "", trust: "public" })).toThrow();
    const outside = { origin: "http://93.184.216.34", trust: "public" } as const;
    for (const proxy of ["http://127.0.0.1:1", "socks5://10.0.0.1:1080"])
      expect(() => openConnections({ ...outside, proxy })).toThrow();
    expect(() => openConnections({ origin: "http://169.254.169.254", proxy: "", trust: "operator" })).toThrow();
  });

  test("a test says no more than a short message of what it found there", async () => {
    const id = await addAs(api.root);
    expect(JSON.stringify(await get(`test/${id}`))).not.toContain("of the inner network");
  });
});
