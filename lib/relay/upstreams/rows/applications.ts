import { fixedPath } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow, openaiLike } from "./define-row";

/** Knowledge bases and agents that choose their models themselves. */
export const applicationRows = [
  defineRow({
    id: CHANNEL_TYPE.aiProxyLibrary,
    name: { en: "AI Proxy library", zh: "知识库：AI Proxy" },
    hue: "purple",
    position: 340,
    dialect: "ai-proxy-library",
    baseUrl: "https://api.aiproxy.io",
    url: fixedPath("/api/library/ask"),
    modelList: null,
    editor: { other: "library" },
  }),
  openaiLike({
    id: CHANNEL_TYPE.fastgpt,
    name: { en: "FastGPT library", zh: "知识库：FastGPT" },
    hue: "blue",
    position: 330,
    baseUrl: "https://fastgpt.run/api/openapi",
    editor: {
      address: "private",
      example: "https://fastgpt.example/api/openapi",
      keyParts: ["APIKey", "AppId"],
      separator: "-",
    },
  }),
  defineRow({
    id: CHANNEL_TYPE.dify,
    name: "Dify",
    hue: "teal",
    position: 280,
    dialect: "dify",
    baseUrl: "https://api.dify.ai",
    url: fixedPath("/v1/chat-messages"),
    // Most of its refusals are about the application's model, quota or settings.
    quirks: { retriesBadRequest: true },
    modelList: null,
    editor: { notice: "dify" },
  }),
];
