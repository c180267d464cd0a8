import { describe, expect, test } from "vitest";
import { defaultOptions } from "@/lib/option/registry";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import type { UpstreamRow } from "../channel-type";
import { ChannelSetupError } from "../setup-error";
import { rows } from ".";

const options = defaultOptions();
const row = rowOf(CHANNEL_TYPE.dashscope);

function rowOf(type: number): UpstreamRow {
  const found = rows.get(type);
  if (!found) throw new Error(`no row for ${type}`);
  return found;
}

const parts = { path: "/v1/chat/completions", query: "", model: "qwen-plus", other: "", isStream: false };
const NATIVE = "/api/v1/services/aigc/text-generation/generation";
const HOST = "https://dashscope.aliyuncs.com";

describe("Alibaba's two APIs", () => {
  test.each([
    ["qwen-plus", HOST, "openai-chat"],
    ["qwen-vl-ocr", HOST, "openai-chat"],
    ["qwen-audio-turbo-latest", HOST, "dashscope"],
    ["qwen2-audio-instruct", HOST, "dashscope"],
    ["qwen-plus", `${HOST}/api/v1`, "dashscope"],
    ["qwen-plus", `${HOST}/api/v1/`, "dashscope"],
    ["qwen-plus", `${HOST}/compatible-mode/v1`, "openai-chat"],
  ])("%s at %s is asked in the format %s", (model, baseUrl, format) => {
    expect(typeof row.dialect === "function" && row.dialect(model, baseUrl)).toBe(format);
  });

  test.each([
    [HOST, "/v1/chat/completions", `${HOST}/compatible-mode/v1/chat/completions`],
    [HOST, "/v1/embeddings", `${HOST}/compatible-mode/v1/embeddings`],
    [HOST, NATIVE, `${HOST}${NATIVE}`],
    [`${HOST}/api/v1`, NATIVE, `${HOST}${NATIVE}`],
    [`${HOST}/api/v1/`, "/v1/embeddings", `${HOST}/compatible-mode/v1/embeddings`],
    [`${HOST}/compatible-mode/v1`, "/v1/chat/completions", `${HOST}/compatible-mode/v1/chat/completions`],
  ])("%s and %s is %s", (baseUrl, path, url) => {
    expect(row.url({ ...parts, baseUrl, path, options })).toBe(url);
  });
});

test("a stream and plug-ins are asked for in headers; a setting that is no header is refused", () => {
  const headers = row.quirks.headersFor;
  expect(headers?.("", false)).toEqual([]);
  expect(headers?.(' {"calculator":{}} ', true)).toEqual([
    ...["x-dashscope-sse", "enable"],
    ...["x-dashscope-plugin", '{"calculator":{}}'],
  ]);
  for (const other of ["a\r\nx: y", "计算器"]) expect(() => headers?.(other, false)).toThrow(ChannelSetupError);
});

test("-internet at the end of a model's name asks for a search; other formats are left alone", () => {
  const fix = row.quirks.fix;
  const messages = [{ role: "user", content: "hi" }];
  expect(fix?.({ messages, top_p: 1 }, "qwen-plus-internet", options)).toEqual({
    model: "qwen-plus",
    enable_search: true,
    top_p: 0.999,
  });
  expect(fix?.({ messages }, "qwen-plus", options)).toEqual({});
  expect(fix?.({ input: { messages }, top_p: 1 }, "qwen-plus-internet", options)).toEqual({});
});
