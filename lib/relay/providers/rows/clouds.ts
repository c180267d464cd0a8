import { RUN } from "../../wire/dialects/workers-ai";
import { siliconflowBalance } from "../balance-readers";
import type { UrlParts } from "../channel-type";
import { thinkingAt } from "../fixes/thinking-fix";
import { cloudflarePath, openaiModels, workersAiModels } from "../model-lists";
import { withoutVersion } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { dashscopeRow } from "./dashscope";
import { defineRow, openaiLike } from "./define-row";
import { ARK_VIDEOS, COMPLETIONS, EMBEDDINGS, IMAGES, PLAIN_EMBEDDINGS, RERANK, SOUND } from "./servings";

const cloudflareUrl = ({ baseUrl, other, path }: UrlParts): string => `${baseUrl}${cloudflarePath(other)}${path}`;

/** Models whose names begin with "bot" are applications, which have a separate path. */
const volcengineUrl = ({ baseUrl, model, path }: UrlParts): string =>
  `${baseUrl}/api/v3${model.startsWith("bot") ? "/bots" : ""}${withoutVersion(path)}`;

/** Clouds that serve models of several makers through OpenAI's API. */
export const cloudRows = [
  dashscopeRow,
  defineRow({
    id: CHANNEL_TYPE.cloudflare,
    name: "Cloudflare",
    hue: "grey",
    position: 110,
    baseUrl: "https://api.cloudflare.com",
    url: cloudflareUrl,
    dialect: (model) => (model.startsWith(RUN) ? "workers-ai" : "openai-chat"),
    quirks: { reportsStreamUsage: true, inlineImages: true, fix: thinkingAt("cloudflare") },
    serves: {
      completions: { format: "workers-ai" },
      embeddings: PLAIN_EMBEDDINGS,
      transcriptions: { format: "workers-ai" },
    },
    modelList: workersAiModels,
    editor: { other: "account" },
  }),
  openaiLike({
    id: CHANNEL_TYPE.siliconflow,
    name: "SiliconCloud",
    hue: "purple",
    position: 300,
    baseUrl: "https://api.siliconflow.cn",
    serves: {
      completions: COMPLETIONS,
      embeddings: EMBEDDINGS,
      rerank: RERANK,
      images: { format: "siliconflow" },
      ...SOUND,
    },
    quirks: { fix: thinkingAt("siliconflow") },
    balance: siliconflowBalance,
  }),
  openaiLike({
    id: CHANNEL_TYPE.volcengine,
    name: { en: "VolcEngine Ark", zh: "字节火山方舟" },
    hue: "blue",
    position: 360,
    baseUrl: "https://ark.cn-beijing.volces.com",
    url: volcengineUrl,
    serves: { embeddings: EMBEDDINGS, images: IMAGES, videos: ARK_VIDEOS },
    quirks: { reportsStreamUsage: true, fix: thinkingAt("volcengine") },
    models: /^doubao-/,
    modelList: openaiModels("/api/v3/models"),
    editor: { address: "none" },
  }),
];
