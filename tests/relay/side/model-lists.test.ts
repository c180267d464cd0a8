import Anthropic from "@anthropic-ai/sdk";
import { beforeAll, describe, expect, test } from "vitest";
import { setUpRelay, type TokenValues, type UserValues } from "../harness";

/** Types of channels: served, with embeddings only, not served. */
const [OPENAI, JINA, PALM] = [1, 38, 11];
const relay = setUpRelay({
  prices: "fake-gpt,claude-opus-4,gemini-2.5-pro,fake-vector,fake-drawing,fake-off,fake-vip,gpt-4-gizmo-*,with/slash",
  options: { GroupRatio: { default: 1, vip: 2 }, UserUsableGroups: { default: "default", vip: "vip" } },
  channels: [
    { type: OPENAI, models: "fake-gpt,claude-opus-4,gemini-2.5-pro,fake-unpriced,gpt-4-gizmo-*,with/slash" },
    { type: JINA, models: "fake-vector" },
    { type: PALM, models: "fake-drawing,fake-gpt" },
    { models: "fake-off", status: 2 },
    { models: "fake-vip", group: "vip" },
  ],
});
const CALLABLE = ["claude-opus-4", "fake-gpt", "fake-vector", "gemini-2.5-pro", "gpt-4-gizmo-*", "with/slash"];
let key: string;

beforeAll(async () => {
  key = (await relay.addCaller()).token.key;
});

type Listed = { data?: { id: string }[]; models?: { name: string }[]; nextPageToken?: string; [name: string]: unknown };

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(relay.url + path, { headers });
  return { status: response.status, json: (await response.json()) as Listed };
}
const bearer = (own: string) => ({ authorization: `Bearer ${own}` });
const idsOf = ({ json }: { json: Listed }) =>
  json.data?.map(({ id }) => id) ?? json.models?.map(({ name }) => name.replace(/^models\//, ""));

test("HEAD is answered like GET, without a body, on every page of the relay", async () => {
  const pages = ["/v1/models", "/v1beta/models", "/v1/models/fake-gpt", "/dashboard/billing/subscription"];
  for (const path of [...pages, "/v1/dashboard/billing/usage", "/v1/models/nothing", "/v1/nothing"]) {
    const [head, whole] = await Promise.all(
      ["HEAD", "GET"].map((method) => fetch(relay.url + path, { method, headers: bearer(key) })),
    );
    expect([path, head?.status, head?.headers.get("content-type")]).toEqual([
      path,
      whole?.status,
      whole?.headers.get("content-type"),
    ]);
    expect(await head?.text()).toBe("");
    expect((await whole?.text())?.length).toBeGreaterThan(10);
  }
  expect((await fetch(`${relay.url}/v1/models`, { method: "HEAD" })).status).toBe(401);
});

async function listFor(values: TokenValues, owner: UserValues = {}) {
  const { token } = await relay.addCaller(owner, values);
  return await get("/v1/models", bearer(token.key));
}

describe("only what can be called is listed (issue 13)", () => {
  test("not models without a price, of types that are not served, of channels that are off, of other groups", async () => {
    expect(idsOf(await get("/v1/models", bearer(key)))).toEqual(CALLABLE);
    expect(idsOf(await listFor({ group: "vip" }))).toEqual(["fake-vip"]);
    expect((await listFor({ group: "gone" })).status).toBe(403);
  });

  test("a token's limits list no model that nobody serves", async () => {
    const limited = await listFor({
      modelLimitsEnabled: true,
      modelLimits: "fake-gpt,fake-drawing,nothing,gpt-4-gizmo-x",
    });
    expect(idsOf(limited)).toEqual(["fake-gpt", "gpt-4-gizmo-x"]);
  });

  test("a user who agreed to models without a price sees them", async () => {
    expect(idsOf(await listFor({}, { setting: { accept_unset_model_ratio_model: true } }))).toContain("fake-unpriced");
  });

  test("one model is found if it is listed, however its name is escaped", async () => {
    for (const name of ["fake-gpt", "with/slash", "with%2Fslash"]) {
      expect((await get(`/v1/models/${name}`, bearer(key))).status).toBe(200);
    }
    for (const name of ["fake-unpriced", "fake-drawing", "fake-vip", "nothing", "%"]) {
      const { status, json } = await get(`/v1/models/${name}`, bearer(key));
      expect([status, json.error]).toEqual([404, expect.objectContaining({ code: "model_not_found" })]);
    }
  });
});

describe("each dialect's own shape", () => {
  test("OpenAI's, also below /v1beta/openai", async () => {
    for (const path of ["/v1/models", "/v1/models/", "/v1beta/openai/models"]) {
      const { status, json } = await get(path, bearer(key));
      expect(status).toBe(200);
      expect(json).toMatchObject({
        object: "list",
        data: expect.arrayContaining([{ ...json.data?.[0], object: "model" }]),
      });
    }
    const one = await get("/v1beta/openai/models/fake-gpt", bearer(key));
    expect(one.json).toMatchObject({ id: "fake-gpt", object: "model" });
  });

  test("Anthropic's, with its client and its pages", async () => {
    const client = new Anthropic({ apiKey: key, baseURL: relay.url, maxRetries: 0 });
    const ids: string[] = [];
    for await (const { id } of client.models.list({ limit: 2 })) ids.push(id);
    expect(ids).toEqual(CALLABLE);
    expect(await client.models.retrieve("claude-opus-4")).toMatchObject({
      type: "model",
      id: "claude-opus-4",
      display_name: "claude-opus-4",
      created_at: "1970-01-01T00:00:00Z",
    });
    await expect(client.models.retrieve("nothing")).rejects.toMatchObject({
      status: 404,
      error: { type: "error", error: { type: "not_found_error" } },
    });
    const headers = { "x-api-key": key };
    const { json } = await get("/v1/models?limit=2&before_id=gemini-2.5-pro", headers);
    expect(json).toMatchObject({ has_more: true, first_id: "fake-gpt", last_id: "fake-vector" });
    const first = await get("/v1/models?limit=1000&before_id=fake-gpt", headers);
    expect(first.json).toMatchObject({ has_more: false, data: [{ id: "claude-opus-4" }] });
    for (const query of ["limit=0", "limit=1001", "limit=x", "after_id=gone", "after_id=fake-gpt&before_id=fake-gpt"]) {
      const { status, json } = await get(`/v1/models?${query}`, { ...headers, "anthropic-version": "2023-06-01" });
      expect([query, status, json]).toEqual([query, 400, expect.objectContaining({ type: "error" })]);
    }
  });

  test("Google's, with its pages", async () => {
    const listed: unknown[] = [];
    let token: string | undefined = "";
    let pages = 0;
    while (token !== undefined) {
      const answer = await get(`/v1beta/models?pageSize=2&pageToken=${token}&key=${key}`);
      listed.push(...(idsOf(answer) ?? []));
      token = answer.json.nextPageToken;
      pages += 1;
    }
    expect(listed).toEqual(CALLABLE);
    expect(pages).toBe(3);
    const one = await get("/v1beta/models/gemini-2.5-pro", { "x-goog-api-key": key });
    expect(one.json).toMatchObject({
      name: "models/gemini-2.5-pro",
      baseModelId: "gemini-2.5-pro",
      displayName: "gemini-2.5-pro",
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: expect.arrayContaining(["generateContent", "countTokens"]),
    });
    const vectors = await get("/v1beta/models/fake-vector", { "x-goog-api-key": key });
    expect(vectors.json.supportedGenerationMethods).toEqual(["embedContent", "batchEmbedContents"]);
    expect((await get("/v1beta/models/fake-gpt", { "x-goog-api-key": key })).json).not.toHaveProperty(
      "inputTokenLimit",
    );
    for (const query of ["pageSize=-1", "pageSize=x", "pageToken=%20%20"]) {
      const { status, json } = await get(`/v1beta/models?${query}`, { "x-goog-api-key": key });
      expect([query, status, json.error]).toEqual([
        query,
        400,
        expect.objectContaining({ status: "INVALID_ARGUMENT", code: 400 }),
      ]);
    }
    const gone = await get("/v1beta/models/nothing", { "x-goog-api-key": key });
    expect([gone.status, gone.json.error]).toEqual([404, expect.objectContaining({ status: "NOT_FOUND" })]);
  });

  test("on /v1/models the key's form decides, and so errors look", async () => {
    const errorOf = async (path: string, headers: Record<string, string>) => (await get(path, headers)).json;
    const wrong = `sk-${"x".repeat(48)}`;
    expect(await errorOf("/v1/models", {})).toMatchObject({ error: { code: "missing_api_key" } });
    expect(await errorOf("/v1/models", { "x-api-key": wrong })).toMatchObject({
      type: "error",
      error: { type: "authentication_error" },
    });
    expect(await errorOf(`/v1/models?key=${wrong}`, {})).toMatchObject({ error: { status: "UNAUTHENTICATED" } });
    expect(await errorOf("/v1beta/models", {})).toMatchObject({ error: { status: "UNAUTHENTICATED" } });
    expect((await get("/v1/models", { "x-goog-api-key": key })).json).toHaveProperty("models");
    expect((await get("/v1/models", { ...bearer(key), "anthropic-version": "2023-06-01" })).json).toHaveProperty(
      "has_more",
    );
    expect((await get("/v1/models", { authorization: key.slice(3) })).json).toHaveProperty("object");
  });
});
