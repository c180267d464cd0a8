import { env } from "@/lib/env";
import { versionOf } from "../../wire/dialects/spark/versions";
import {
  baiduAccessToken,
  qianfanKey,
  readBaiduKey,
  readSparkKey,
  readTencentKey,
  sparkHmacUrl,
  tc3,
  zhipuToken,
} from "../auth";
import type { Behaviours, UrlParts } from "../channel-type";
import { cohereSafety, floatsOnly, zhipu } from "../fixes/request-fixes";
import { thinkingAt } from "../fixes/thinking-fix";
import { cohereModels, openaiModels } from "../model-lists";
import { fixedPath, samePath, underPrefix } from "../urls";

const v3Url = ({ baseUrl, model, isStream }: UrlParts): string =>
  `${baseUrl}/api/paas/v3/model-api/${encodeURIComponent(model)}/${isStream ? "sse-invoke" : "invoke"}`;

const sparkUrl = ({ baseUrl, model, other }: UrlParts): string => `${baseUrl}${versionOf(model, other).path}`;

/** Model makers with their own API format, and what some of them have in OpenAI's beside it. */
export const ownFormatTypes = {
  ernie: { url: samePath, auth: baiduAccessToken, checkKey: readBaiduKey, modelList: null },
  qianfan: {
    url: underPrefix("/v2"),
    serving: { embeddings: { fix: floatsOnly } },
    auth: qianfanKey,
    quirks: { fix: thinkingAt("qianfan") },
    modelList: openaiModels("/v2/models"),
  },
  zhipuV3: { url: v3Url, auth: zhipuToken, modelList: null },
  zhipu: {
    url: underPrefix("/api/paas/v4"),
    serving: { embeddings: { fix: floatsOnly } },
    auth: zhipuToken,
    quirks: { fix: zhipu },
    modelList: openaiModels("/api/paas/v4/models"),
  },
  spark: { url: sparkUrl, auth: sparkHmacUrl, checkKey: readSparkKey, modelList: null },
  hunyuan: { url: fixedPath("/"), auth: tc3, checkKey: readTencentKey, modelList: null },
  cohere: {
    url: fixedPath("/v2/chat"),
    serving: { embeddings: { url: fixedPath("/v2/embed") }, rerank: { url: fixedPath("/v2/rerank") } },
    quirks: { fix: cohereSafety(() => env().COHERE_SAFETY_SETTING) },
    modelList: cohereModels,
  },
} satisfies Behaviours;
