import { ChannelSetupError } from "../setup-error";
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
    url: ({ baseUrl, other }) => `${baseUrl}${needed(other, "/api/library/ask", "the id of its knowledge base")}`,
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
  defineRow({
    id: CHANNEL_TYPE.coze,
    name: { en: "Coze", zh: "扣子 Coze" },
    hue: "indigo",
    position: 380,
    dialect: "coze",
    baseUrl: "https://api.coze.cn",
    url: ({ baseUrl, other }) => `${baseUrl}${needed(other, "/v3/chat", "the id of its bot")}`,
    // A bot that is not published for this key, or has no quota left, is refused with it.
    quirks: { retriesBadRequest: true },
    modelList: null,
    editor: { other: "bot" },
  }),
];

/** Returns the path. Throws ChannelSetupError where the channel's extra field is empty. */
function needed(other: string, path: string, what: string): string {
  if (other.trim() === "") throw new ChannelSetupError(`the channel needs ${what}`, "get_channel_failed");
  return path;
}
