// The caller's query string: ?model=dear at a channel that leads to another gateway is answered by the dear model for the
// price of the cheap one, and ?api_key= or ?custom_llm_provider= give it orders. Only parameters go on that the channel's
// row names: over all types of channels and all operations, whether bodies are changed or not, and for what is stored.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import type { EncodeTarget } from "@/lib/relay/operations/operation";
import { readSession } from "@/lib/relay/operations/realtime";
import type { UpstreamRow } from "@/lib/relay/providers/channel-type";
import { rows } from "@/lib/relay/providers/rows";
import { ChannelSetupError } from "@/lib/relay/providers/setup-error";
import { namedParameters } from "@/lib/relay/providers/urls";
import { STORED_PARAMETERS } from "@/lib/relay/side/stored/routes";
import { readSetting } from "@/lib/snapshot/channel-setting";
import type { SnapshotChannel } from "@/lib/snapshot/store";
import { type FakeStorage, startFakeStorage } from "@/lib/testing/fake-storage";
import { setUpRelay } from "../relay/harness";
import { callTo, SAMPLES } from "./request-samples";

/** The name that the row may pass on comes twice, and with others that the upstream may take for it. */
const HOSTILE =
  "?model=dear&Model=dear&deployment=dear&api-version=1&api-version=dear&API-VERSION=dear&alt=sse&key=dear&api_key=dear" +
  "&api_base=http%3A%2F%2Fdear&custom_llm_provider=dear&stream=true&beta=true";

function channelOf(row: UpstreamRow): SnapshotChannel {
  return {
    id: 1,
    type: row.id,
    name: "",
    key: "id.secret",
    keys: null,
    openaiOrganization: "",
    status: 1,
    weight: 0,
    priority: 0,
    baseUrl: "http://host",
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
}

/** What an upstream of this row would find in its address; null = the row does not serve this. */
async function addressOf(row: UpstreamRow, path: string, json: object, isUntouched: boolean): Promise<URL | null> {
  const call = callTo(path, HOSTILE);
  const intake = await call.operation.read(Buffer.from(JSON.stringify(json)), call);
  const options = defaultOptions();
  const target: EncodeTarget = { channel: channelOf(row), row, model: "cheap", cap: null, isUntouched, options };
  try {
    const { path: asked, query, url = row.url } = await intake.encode(target);
    const { isStream } = intake;
    const parts = { baseUrl: "http://host", path: asked, query, model: "cheap", other: "", isStream, options };
    return new URL(url(parts));
  } catch (error) {
    if (error instanceof ChannelSetupError) return null;
    // A request that this format has no words for.
    if (error instanceof Error && "status" in error && error.status === 400) return null;
    throw error;
  }
}

/** What rows themselves write into addresses. */
const OWN = { alt: "sse", "api-version": expect.any(String) };

test.each([...rows.values()].map((row) => [row.name, row] as const))(
  "%s: nothing of the query goes on but what the row names",
  async (_name, row) => {
    for (const { path, json } of SAMPLES) {
      for (const isUntouched of [false, true]) {
        const address = await addressOf(row, path, json, isUntouched);
        if (!address) continue;
        const found = Object.fromEntries(address.searchParams);
        const where = `${path} ${address}`;
        expect(address.search, where).not.toContain("dear");
        expect({ ...OWN, ...found }, where).toEqual(OWN);
        expect([...address.searchParams].length, where).toBe(Object.keys(found).length);
      }
    }
  },
);

test.each(
  [...rows.values()].flatMap((row) =>
    row.serves.realtime && row.editor.address !== "full" ? [[row.name, row] as const] : [],
  ),
)("%s: a session is opened for the model that is paid for", (_name, row) => {
  const intake = readSession({ query: HOSTILE.replace("dear", "cheap"), headers: {} });
  const options = defaultOptions();
  const target = { channel: channelOf(row), row, model: "cheap", cap: null, isUntouched: false, options };
  const { path, query, url = row.url } = intake.encode(target);
  const address = new URL(
    url({ baseUrl: "http://host", path, query, model: "cheap", other: "", isStream: true, options }),
  );
  expect(address.search).not.toContain("dear");
  expect(address.search).toMatch(/(model|deployment)=cheap/);
});

test("a parameter goes on once, by its exact name", () => {
  expect(namedParameters("?a=1&a=2&A=3&b=4", ["a"])).toBe("?a=1");
  expect(namedParameters("?include%5B%5D=x&include[]=y&z=1", ["include[]"])).toBe("?include%5B%5D=x&include%5B%5D=y");
  expect([namedParameters("?a=1", undefined), namedParameters("", ["a"]), namedParameters("?b=1", ["a"])]).toEqual([
    "",
    "",
    "",
  ]);
});

describe("on the wire", () => {
  const relay = setUpRelay({ channels: [{}], prices: "fake-gpt,gpt-4.1" });
  let storage: FakeStorage;
  let headers: Record<string, string>;

  beforeAll(async () => {
    storage = await startFakeStorage();
    await relay.addChannel({ baseUrl: storage.url, setting: '{"speaks_responses":true}', models: "gpt-4.1" });
    const { token } = await relay.addCaller();
    headers = { authorization: `Bearer ${token.key}`, "content-type": "application/json" };
    await relay.inForce();
  });
  afterAll(() => storage.close());

  test("a chat's query stays here", async () => {
    relay.upstream.forget();
    const body = JSON.stringify({ model: "fake-gpt", messages: [{ role: "user", content: "hi" }] });
    const reply = await fetch(`${relay.url}/v1/chat/completions${HOSTILE}`, { method: "POST", headers, body });
    expect([reply.status, relay.upstream.requests.map(({ path }) => path)]).toEqual([200, ["/v1/chat/completions"]]);
    await reply.text();
  });

  test("what is asked of a stored answer is what its API has", async () => {
    const body = JSON.stringify({ model: "gpt-4.1", input: "hi" });
    const made = await fetch(`${relay.url}/v1/responses`, { method: "POST", headers, body });
    const { id } = (await made.json()) as { id: string };
    const query = `${HOSTILE.replace("stream=true", "stream=false")}&limit=5&order=asc&include[]=a`;
    await (await fetch(`${relay.url}/v1/responses/${id}/input_items${query}`, { headers })).text();
    const { url } = storage.calls.at(-1) ?? {};
    expect(url?.pathname).toBe(`/v1/responses/${id}/input_items`);
    expect([...(url?.searchParams.keys() ?? [])].sort()).toEqual(["include[]", "limit", "order", "stream"]);
    expect(STORED_PARAMETERS).not.toContain("model");
  });
});
