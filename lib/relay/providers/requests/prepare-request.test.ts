import { describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { SnapshotChannel } from "@/lib/snapshot/build";
import { readSetting } from "@/lib/snapshot/channel-setting";
import { chat } from "../../operations/chat";
import { defaultDialect, dialects } from "../../wire/dialects";
import { baiduAccessToken } from "../auth";
import { rows } from "../rows";
import { prepareRequest } from "./prepare-request";

function channel(values: Partial<SnapshotChannel> & { type: number }): SnapshotChannel {
  return {
    id: 1,
    name: "",
    key: "id.secret",
    keys: null,
    openaiOrganization: "",
    status: 1,
    weight: 0,
    priority: 0,
    baseUrl: "",
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
    ...values,
  };
}

const messages = [{ role: "user", content: "hi" }];
const terms = { passThrough: false, cap: null, options: defaultOptions() };
type Json = Record<string, unknown>;

function readChat(json: Json, query = "") {
  const call = {
    operation: chat,
    clientDialect: defaultDialect.client,
    requestId: "",
    path: "/v1/chat/completions",
    query,
    headers: {},
    allowedOptions: [],
  };
  return chat.read(Buffer.from(JSON.stringify({ model: "m.1", messages, ...json })), call);
}

async function prepare(values: Partial<SnapshotChannel> & { type: number }, json: Json = {}, query = "") {
  const target = channel(values);
  const request = await prepareRequest(readChat(json, query), target, target.key, terms);
  const headers: Record<string, string> = {};
  for (let i = 0; i < request.headers.length; i += 2) headers[request.headers[i] ?? ""] = request.headers[i + 1] ?? "";
  return { url: request.origin + request.path, headers, body: JSON.parse(request.body.toString("utf8")) as Json };
}

const base = "http://host/base";

/** Keys of types that read them. */
const KEYS: ReadonlyMap<number, string> = new Map([[CHANNEL_TYPE.spark, "appid|secret|key"]]);
const chatPath = "/v1/chat/completions";

describe("channel types that speak the OpenAI wire format (contract §6.1, §6.2)", () => {
  test.each([
    [1, { baseUrl: "" }, "https://api.openai.com/v1/chat/completions"],
    [
      1,
      { baseUrl: "https://gateway.ai.cloudflare.com/v1/a/g/openai" },
      "https://gateway.ai.cloudflare.com/v1/a/g/openai/chat/completions",
    ],
    [3, { baseUrl: base }, `${base}/openai/deployments/m.1/chat/completions?api-version=2024-12-01-preview`],
    [
      3,
      { baseUrl: base, modelMapping: new Map([["m.1", "gpt-3.5-turbo"]]) },
      `${base}/openai/deployments/gpt-35-turbo/chat/completions?api-version=2024-12-01-preview`,
    ],
    [3, { baseUrl: base, other: "v1" }, `${base}/openai/v1/chat/completions`],
    [3, { baseUrl: base, other: "preview" }, `${base}/openai/v1/chat/completions?api-version=preview`],
    [
      3,
      { baseUrl: base, other: "2025-01-01" },
      `${base}/openai/deployments/m.1/chat/completions?api-version=2025-01-01`,
    ],
    [8, { baseUrl: "http://host/x/{model}/y?z=1" }, "http://host/x/m.1/y?z=1"],
    [17, {}, "https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions"],
    [20, {}, "https://openrouter.ai/api/v1/chat/completions"],
    [22, {}, "https://fastgpt.run/api/openapi/v1/chat/completions"],
    [26, {}, "https://open.bigmodel.cn/api/paas/v4/chat/completions"],
    [27, {}, "https://api.perplexity.ai/chat/completions"],
    [35, {}, "https://api.minimax.chat/v1/text/chatcompletion_v2"],
    [39, { other: "acc" }, "https://api.cloudflare.com/client/v4/accounts/acc/ai/v1/chat/completions"],
    [43, {}, `https://api.deepseek.com${chatPath}`],
    [45, {}, "https://ark.cn-beijing.volces.com/api/v3/chat/completions"],
    [46, {}, "https://qianfan.baidubce.com/v2/chat/completions"],
    [48, {}, `https://api.x.ai${chatPath}`],
  ])("type %i posts to its own URL", async (type, values, url) => {
    expect((await prepare({ type, ...values })).url).toBe(url);
  });

  test("every row gives a URL under its channel's base URL", async () => {
    // Baidu's needs a token before the request; tests/relay/providers/ernie.test.ts has it.
    const served = [...rows.values()].filter(
      (row) => row.dialect !== null && !row.keyedUrl && row.auth !== baiduAccessToken,
    );
    expect(served.length).toBeGreaterThan(20);
    for (const { id: type, editor } of served) {
      const key = KEYS.get(type) ?? (editor.keyParts.join("|") || "id.secret");
      const other = ["library", "bot"].includes(editor.other) ? "1" : "";
      const { url } = await prepare({ type, key, baseUrl: base, other });
      expect(url, `type ${type}`).toMatch(/^http:\/\/host\/base/);
    }
  });

  test("Alibaba's headers ask for plug-ins and for streams, and a search is no part of the model's name", async () => {
    const given = { type: 17, other: '{"calculator":{}}', modelMapping: new Map([["m.1", "qwen-plus-internet"]]) };
    const { url, headers, body } = await prepare(given, { stream: true });
    expect(url).toBe("https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions");
    expect(headers).toMatchObject({ "x-dashscope-sse": "enable", "x-dashscope-plugin": '{"calculator":{}}' });
    expect(body).toMatchObject({ model: "qwen-plus", enable_search: true, stream_options: { include_usage: true } });
    const plain = await prepare({ type: 17 });
    expect(Object.keys(plain.headers).filter((name) => name.startsWith("x-"))).toEqual([]);
  });

  test("the caller's api-version wins for Azure", async () => {
    expect((await prepare({ type: 3, baseUrl: base }, {}, "?api-version=x")).url).toContain("?api-version=x");
  });

  test("keys are shown as the provider wants them", async () => {
    expect((await prepare({ type: 1, openaiOrganization: "org" })).headers).toMatchObject({
      authorization: "Bearer id.secret",
      "openai-organization": "org",
    });
    expect((await prepare({ type: 3, baseUrl: base })).headers).toMatchObject({ "api-key": "id.secret" });
    expect((await prepare({ type: 46, key: "bce-v3/key|app-1" })).headers).toMatchObject({
      authorization: "Bearer bce-v3/key",
      appid: "app-1",
    });
    expect((await prepare({ type: 46 })).headers).not.toHaveProperty("appid");
    const [header, payload] = ((await prepare({ type: 26 })).headers.authorization ?? "").split(".");
    expect(JSON.parse(Buffer.from(header ?? "", "base64url").toString())).toMatchObject({
      alg: "HS256",
      sign_type: "SIGN",
    });
    expect(JSON.parse(Buffer.from(payload ?? "", "base64url").toString())).toMatchObject({ api_key: "id" });
  });

  test("usage is asked for where it is understood, and the field removed elsewhere", async () => {
    const streamed = { stream: true };
    expect((await prepare({ type: 1 }, streamed)).body).toMatchObject({ stream_options: { include_usage: true } });
    expect(
      (await prepare({ type: 25 }, { ...streamed, stream_options: { include_usage: true } })).body,
    ).not.toHaveProperty("stream_options");
    expect((await prepare({ type: 1 })).body).not.toHaveProperty("stream_options");
  });

  test("small fixes per provider", async () => {
    expect((await prepare({ type: 17 }, { top_p: 1 })).body).toMatchObject({ top_p: 0.999 });
    expect((await prepare({ type: 26 }, { top_p: 1, stop: "x" })).body).toMatchObject({ top_p: 0.99, stop: ["x"] });
    const glm = { model: "glm-4.6", reasoning_effort: "none", temperature: 1.5, tools: [], tool_choice: "none" };
    const sent = (await prepare({ type: 26 }, glm)).body;
    expect(sent).toMatchObject({ thinking: { type: "disabled" }, temperature: 1 });
    for (const name of ["reasoning_effort", "tools", "tool_choice"]) expect(sent).not.toHaveProperty(name);
    expect((await prepare({ type: 26 }, { ...glm, model: "glm-4-plus" })).body).not.toHaveProperty("thinking");
    const image = [{ role: "user", content: [{ type: "image_url", image_url: { url: "http://x/y.png" } }] }];
    expect((await prepare({ type: 42 }, { messages: image })).body).toMatchObject({
      messages: [{ content: [{ image_url: "http://x/y.png" }] }],
    });
    const reasoning = (await prepare({ type: 1 }, { model: "o3-mini-high", max_tokens: 5, temperature: 1 })).body;
    expect(reasoning).toMatchObject({ model: "o3-mini", reasoning_effort: "high", max_completion_tokens: 5 });
    expect(reasoning).not.toHaveProperty("max_tokens");
    expect(reasoning).not.toHaveProperty("temperature");
    expect((await prepare({ type: 48 }, { model: "grok-3-mini-low" })).body).toMatchObject({
      model: "grok-3-mini",
      reasoning_effort: "low",
    });
  });

  test("the operator's parameters replace the caller's, the mapped name is sent", async () => {
    const values = { type: 1, paramOverride: { temperature: 0 }, modelMapping: new Map([["m.1", "other"]]) };
    expect((await prepare(values, { temperature: 1 })).body).toMatchObject({ temperature: 0, model: "other" });
  });

  test.each([
    [{ type: CHANNEL_TYPE.suno, baseUrl: base }, "not supported"],
    [{ type: CHANNEL_TYPE.palm }, "Google shut PaLM down"],
    [{ type: CHANNEL_TYPE.coze }, "needs the id of its bot"],
    [{ type: CHANNEL_TYPE.aiProxyLibrary, other: " " }, "needs the id of its knowledge base"],
    [{ type: 99, baseUrl: base }, "not supported"],
    [{ type: 3 }, "no valid base URL"],
    [{ type: 8, baseUrl: "file:///etc/passwd" }, "no valid base URL"],
    [
      {
        type: 1,
        modelMapping: new Map([
          ["m.1", "a"],
          ["a", "m.1"],
        ]),
      },
      "circle",
    ],
  ])("a channel that cannot be used says why: %o", async (values, message) => {
    await expect(prepare(values)).rejects.toThrow(message);
  });
});

describe("Anthropic's own API", () => {
  const versionsOf = (headers: readonly string[]) =>
    headers.filter((_, at) => at % 2 === 1 && headers[at - 1] === "anthropic-version");

  test("a chat goes to /v1/messages in Anthropic's format, with key and version", async () => {
    const { url, headers, body } = await prepare({ type: CHANNEL_TYPE.anthropic }, { max_tokens: 5 });
    expect(url).toBe("https://api.anthropic.com/v1/messages");
    expect(headers).toMatchObject({ "x-api-key": "id.secret", "anthropic-version": "2023-06-01" });
    expect(headers).not.toHaveProperty("authorization");
    expect(body).toMatchObject({ model: "m.1", max_tokens: 5 });
  });

  test("the version that a caller of Anthropic's format names is the only one that goes out", async () => {
    const { client } = dialects.get("anthropic-messages") ?? {};
    if (!client) throw new Error("no such dialect");
    const version = "2024-01-01";
    const headers = { "anthropic-version": version };
    const path = "/v1/messages";
    const call = {
      operation: chat,
      clientDialect: client,
      requestId: "",
      path,
      query: "",
      headers,
      allowedOptions: [],
    };
    const intake = chat.read(Buffer.from(JSON.stringify({ model: "m", max_tokens: 5, messages })), call);
    const target = channel({ type: CHANNEL_TYPE.anthropic });
    const request = await prepareRequest(intake, target, target.key, terms);
    expect(versionsOf(request.headers)).toEqual([version]);
  });
});
