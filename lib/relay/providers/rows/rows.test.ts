import { describe, expect, test } from "vitest";
import { builtInModels } from "@/lib/billing/built-in-terms";
import { defaultOptions } from "@/lib/option/registry";
import { channelTypes } from "@/lib/provider-catalogue";
import { TESTED_MODELS } from "@/lib/provider-catalogue/channel-tests";
import type { ChannelTypeName } from "@/lib/provider-catalogue/channel-type-ids";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { operations } from "../../operations";
import { upstreamFormats } from "../../wire/dialects";
import { baiduAccessToken } from "../auth";
import type { SignedRequest } from "../channel-type";
import { behaviours, rows } from "./index";

/** Keys of types that read them. */
const KEYS: ReadonlyMap<number, string> = new Map([
  [CHANNEL_TYPE.bedrock, "AKID|secret|us-east-1"],
  [CHANNEL_TYPE.spark, "appid|secret|key"],
]);

/** Contract §6.1: 28, 29, 30 and 32 are unused; 49 and more came later. 51 to 53 are not served. */
const ids = Array.from({ length: 55 }, (_, at) => at + 1).filter((id) => ![28, 29, 30, 32, 51, 52, 53].includes(id));
const all = [...rows.values()];
const named = all.map((row) => [row.name.en, row] as const);
const parts = {
  baseUrl: "https://upstream.example/base",
  path: "/v1/chat/completions",
  query: "",
  model: "model-1.5",
  other: "us-east-1",
  isStream: false,
  options: defaultOptions(),
};
const sample: SignedRequest = {
  url: "https://upstream.example/base/v1/chat/completions",
  body: Buffer.from("{}"),
  trust: "public",
  proxy: "",
};

test("every channel type of the contract has one row, under its number and its name", () => {
  expect([...rows.keys()].sort((a, b) => a - b)).toEqual(ids);
  expect(Object.values(CHANNEL_TYPE).sort((a, b) => a - b)).toEqual(ids);
});

test("the relay speaks every wire format that the catalogue names, and a type with several of them says which", () => {
  for (const { id, dialects } of channelTypes.values()) {
    for (const dialect of dialects) expect(upstreamFormats.has(dialect), dialect).toBe(true);
    expect(typeof rows.get(id)?.dialect === "function", String(id)).toBe(dialects.length > 1);
  }
});

test("a row changes how an operation is asked only where the catalogue has the operation", () => {
  for (const [name, { serving, dialect }] of Object.entries(behaviours)) {
    const facts = channelTypes.get(CHANNEL_TYPE[name as ChannelTypeName]);
    expect(Object.keys(facts?.serves ?? {}), name).toEqual(expect.arrayContaining(Object.keys(serving ?? {})));
    if (dialect) expect(facts?.dialects, name).toContain(dialect("claude-sonnet-5", ""));
  }
});

test("the operations that a channel test can ask for are those of the catalogue", () => {
  const tested = operations.flatMap(({ id, test }) => (test ? [[id, test.models]] : []));
  expect(Object.fromEntries(tested)).toEqual(TESTED_MODELS);
});

test("names are there in both languages and no two offered types have the same", () => {
  for (const { name } of all) {
    expect(name.en).toMatch(/^[\x20-\x7e]+$/);
    expect(name.zh.trim()).not.toBe("");
  }
  for (const locale of ["en", "zh"] as const)
    expect(new Set(all.map(({ name }) => name[locale])).size).toBe(all.length);
});

test("no two types have the same place in the select", () => {
  const places = all.flatMap(({ position }) => position ?? []);
  expect(new Set(places).size).toBe(places.length);
  expect(places.length).toBeGreaterThan(30);
});

describe.each(named)("%s", (_name, row) => {
  test("has a valid base URL, or asks for one", () => {
    if (row.baseUrl !== "") expect(new URL(row.baseUrl).origin).not.toBe("");
    else expect(row.editor.address !== "mirror" || row.editor.example === "").toBe(true);
  });

  test.each([true, false])("gives a valid URL under the base URL (stream: %s)", (isStream) => {
    const url = row.url({ ...parts, isStream });
    expect(URL.canParse(url)).toBe(true);
    expect(url.startsWith(parts.baseUrl)).toBe(true);
  });

  // Baidu's fetches a token first; tests/relay/providers/ernie.test.ts has it.
  test.skipIf(row.auth === baiduAccessToken)("shows its key in header pairs, or in its address", async () => {
    const { headers, url } = await row.auth(KEYS.get(row.id) ?? (row.editor.keyParts.join("|") || "id.secret"), sample);
    if (url === undefined) expect(headers.length).toBeGreaterThan(0);
    expect(headers.length % 2).toBe(0);
    for (const [at, text] of headers.entries()) expect(text).toMatch(at % 2 === 0 ? /^[a-z0-9-]+$/ : /^[\x21-\x7e ]+$/);
  });

  test("starts a new channel with models that have a price", () => {
    if (row.models) expect(builtInModels().filter((model) => row.models?.test(model))).not.toEqual([]);
  });

  test("is tested with what it serves", () => {
    if (row.test === "embeddings") expect(row.serves.embeddings).toBeDefined();
    if (row.test === "chat") expect(row.dialect).not.toBeNull();
  });
});

test("Anthropic's own API gets its key and version, and its 400 is worth another channel", async () => {
  const row = rows.get(CHANNEL_TYPE.anthropic);
  expect(row?.dialect).toBe("anthropic-messages");
  expect(row?.url({ ...parts, baseUrl: row.baseUrl })).toBe("https://api.anthropic.com/v1/messages");
  expect(await row?.auth("sk-ant", sample)).toEqual({ headers: ["x-api-key", "sk-ant"] });
  expect(row?.quirks.headers).toEqual(["anthropic-version", "2023-06-01"]);
  expect(row?.quirks.retriesBadRequest).toBe(true);
});
