import { RUN } from "../../wire/dialects/workers-ai";
import { siliconflowBalance } from "../balance-readers";
import type { Behaviours, UrlParts } from "../channel-type";
import { floatsOnly } from "../fixes/request-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { cloudflarePath, openaiModels, workersAiModels } from "../model-lists";
import { samePath, withoutVersion } from "../urls";
import { dashscope } from "./dashscope";

const cloudflareUrl = ({ baseUrl, other, path }: UrlParts): string => `${baseUrl}${cloudflarePath(other)}${path}`;

/** Models whose names begin with "bot" are applications, which have a separate path. */
const volcengineUrl = ({ baseUrl, model, path }: UrlParts): string =>
  `${baseUrl}/api/v3${model.startsWith("bot") ? "/bots" : ""}${withoutVersion(path)}`;

/** Clouds that serve models of several makers through OpenAI's API. */
export const cloudTypes = {
  dashscope,
  cloudflare: {
    url: cloudflareUrl,
    dialect: (model) => (model.startsWith(RUN) ? "workers-ai" : "openai-chat"),
    serving: { embeddings: { fix: floatsOnly } },
    quirks: { reportsStreamUsage: true, inlineImages: true, fix: thinkingAt("cloudflare") },
    modelList: workersAiModels,
  },
  siliconflow: { quirks: { fix: thinkingAt("siliconflow") }, balance: siliconflowBalance },
  volcengine: {
    url: volcengineUrl,
    serving: { videos: { url: samePath } },
    quirks: { reportsStreamUsage: true, fix: thinkingAt("volcengine") },
    modelList: openaiModels("/api/v3/models"),
  },
} satisfies Behaviours;
