/**
 * Who: an administrator, a script or another system's export, with an address copied from a provider's documentation: with the
 * version, with the path of a call, with a slash or twice. What must hold: whoever writes the channel, its requests go to the
 * address that was meant, and no address that is right is changed.
 */
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import * as channelApi from "@/app/api/channel/[[...path]]/route";
import { channels } from "@/db/schema";
import { createChannels, updateChannel } from "@/lib/channel/commands";
import { meantBaseUrl } from "@/lib/channel/meant-base-url";
import type { ServiceContext } from "@/lib/context";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { rows } from "@/lib/relay/providers/rows";
import { call, setUpApi } from "../api/harness";

const api = setUpApi();
const BASE = "https://proxy.example/team-a";

const urlOf = (type: number, baseUrl: string) => {
  const row = rows.get(type);
  const parts = { path: "/v1/chat/completions", query: "", model: "m", other: "v1", isStream: false };
  return row?.url({ ...parts, baseUrl, options: defaultOptions() }) ?? "";
};

/** The types whose requests have a version behind their base URL, with the path of a conversation there. */
const versioned = [...rows.values()].flatMap((row) => {
  if (row.editor.address === "full") return [];
  try {
    const path = urlOf(row.id, BASE).startsWith(BASE) ? urlOf(row.id, BASE).slice(BASE.length).replace(/\?.*/, "") : "";
    return /\/v\d/.test(path) ? [{ type: row.id, name: row.name.en, path }] : [];
  } catch {
    return [];
  }
});

test("most types of channels have a version that may be copied with their address", () => {
  expect(versioned.length).toBeGreaterThan(20);
});

describe.each(versioned)("$name", ({ type, path }) => {
  const version = /^.*?\/v\d[^/]*/.exec(path)?.[0] ?? "";
  test.each([version, `${version}/`, `${version}//`, path, `${path}/`, `${version}${version}`])(
    "an address that ends in %s is that without it",
    (ending) => {
      expect(meantBaseUrl(type, `${BASE}${ending}`)).toBe(BASE);
      expect(urlOf(type, meantBaseUrl(type, `${BASE}${ending}`))).toBe(urlOf(type, BASE));
    },
  );
});

test.each(["/V1", "/v1/models", "/v1/embeddings", "/v1/responses", "/v1/audio/speech", "/chat/completions"])(
  "the address of OpenAI's API may end in %s",
  (ending) => {
    expect(meantBaseUrl(CHANNEL_TYPE.openai, `https://api.openai.com${ending}`)).toBe("https://api.openai.com");
    expect(meantBaseUrl(CHANNEL_TYPE.openai, `${BASE}${ending}`)).toBe(BASE);
  },
);

test.each([
  [CHANNEL_TYPE.dashscope, "https://dashscope-intl.aliyuncs.com", "/api/v1"],
  [CHANNEL_TYPE.dashscope, BASE, "/api/v1/services/aigc/text-generation/generation"],
  [CHANNEL_TYPE.ollama, "http://localhost:11434", "/api/chat"],
])("channel type %d: the address %s may end in the maker's own %s", (type, address, ending) => {
  expect(meantBaseUrl(type, address + ending)).toBe(address);
});

test("the address of Google's API may end in any version and model", () => {
  for (const ending of [
    "/v1beta",
    "/v1",
    "/v1alpha/",
    "/v1beta/models",
    "/v1beta/models/gemini-2.5-pro:generateContent",
  ])
    expect(meantBaseUrl(CHANNEL_TYPE.gemini, `${BASE}${ending}`)).toBe(BASE);
});

test.each([
  [CHANNEL_TYPE.openai, ""],
  [CHANNEL_TYPE.openai, "https://api.openai.com"],
  [CHANNEL_TYPE.openai, "https://gateway.ai.cloudflare.com/v1/account/gateway/openai"],
  [CHANNEL_TYPE.openai, "https://proxy.example/api/paas/v4"],
  [CHANNEL_TYPE.openai, "https://proxy.example/v1beta"],
  [CHANNEL_TYPE.openai, "https://proxy.example/models"],
  [CHANNEL_TYPE.openai, "https://v1.example"],
  [CHANNEL_TYPE.openai, "https://proxy.example/v1?tenant=7"],
  [CHANNEL_TYPE.ollama, "https://proxy.example/api"],
  [CHANNEL_TYPE.custom, "https://proxy.example/v1/chat/completions"],
])("channel type %d: an address that is right stays: %s", (type, address) => {
  expect(meantBaseUrl(type, address)).toBe(address);
});

test("the own address of each type stays", () => {
  for (const row of rows.values()) expect(meantBaseUrl(row.id, row.baseUrl)).toBe(row.baseUrl);
});

const given = {
  type: CHANNEL_TYPE.openai,
  name: "copied",
  key: "sk-copied-0123456789",
  models: "gpt-4o",
  group: "default",
};
const storedOf = async (id: number) => {
  const [row] = await api.database.db.select({ baseUrl: channels.baseUrl }).from(channels).where(eq(channels.id, id));
  return row?.baseUrl;
};
const send = async (line: string, body: object, as = api.root) =>
  (await call(channelApi, line, { as, body })).json as { success: boolean; message: string; data: { id: number } };
async function newestId(): Promise<number> {
  const [row] = await api.database.sql<{ id: number }[]>`select max(id) as id from channels`;
  return row?.id ?? 0;
}

describe("every writer mends it", () => {
  test("POST and PUT /api/channel, also for somebody who is not root and only renames an older channel", async () => {
    expect(await send("POST /api/channel/", { ...given, base_url: `${BASE}/v1/` })).toMatchObject({ success: true });
    const id = await newestId();
    expect(await storedOf(id)).toBe(BASE);
    await send("PUT /api/channel/", { id, base_url: "https://other.example/v1/chat/completions", key: given.key });
    expect(await storedOf(id)).toBe("https://other.example");
    await api.database.sql`update channels set base_url = ${`${BASE}/v1`} where id = ${id}`;
    const renamed = await send("PUT /api/channel/", { id, name: "renamed", base_url: `${BASE}/v1` }, api.admin);
    expect(renamed).toMatchObject({ success: true });
    expect(await storedOf(id)).toBe(BASE);
  });

  test("a copy by POST with copy_from, and another type with the same address", async () => {
    await send("POST /api/channel/", { ...given, base_url: `${BASE}/v1` });
    const from = await newestId();
    const copy = { ...given, key: "", copy_from: from, base_url: `${BASE}/v1/chat/completions` };
    expect(await send("POST /api/channel/", copy)).toMatchObject({ success: true });
    const id = await newestId();
    expect(id).not.toBe(from);
    expect(await storedOf(id)).toBe(BASE);
    const whole = `${BASE}/v1/chat/completions`;
    await send("PUT /api/channel/", { id, type: CHANNEL_TYPE.custom, base_url: whole, key: given.key });
    expect(await storedOf(id)).toBe(whole);
  });

  test("the commands of the console and of imports", async () => {
    const { db, sql } = api.database;
    const actor = {
      type: "user",
      id: api.root.id,
      username: "root",
      role: 100,
      group: "default",
      via: "session",
    } as const;
    const ctx: ServiceContext = { db, sql, actor, clientIp: "" };
    const [row] = await createChannels(ctx, { ...given, baseUrl: `${BASE}/v1` });
    expect(row?.baseUrl).toBe(BASE);
    const changed = await updateChannel(ctx, { id: row?.id ?? 0, baseUrl: `${BASE}/v1/v1/`, key: given.key });
    expect(changed.baseUrl).toBe(BASE);
  });
});
