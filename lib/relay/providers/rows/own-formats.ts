import { env } from "@/lib/env";
import { versionOf } from "../../wire/dialects/spark/versions";
import { readSparkKey, readTencentKey, sparkHmacUrl, tc3 } from "../auth";
import type { UrlParts } from "../channel-type";
import { cohereSafety } from "../fixes/request-fixes";
import { cohereModels } from "../model-lists";
import { fixedPath } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";

const sparkUrl = ({ baseUrl, model, other }: UrlParts): string => `${baseUrl}${versionOf(model, other).path}`;

/** Model makers with their own API format. */
export const ownFormatRows = [
  defineRow({
    id: CHANNEL_TYPE.spark,
    name: { en: "iFlytek Spark", zh: "讯飞星火认知" },
    hue: "blue",
    position: 160,
    dialect: "spark",
    baseUrl: "wss://spark-api.xf-yun.com",
    url: sparkUrl,
    auth: sparkHmacUrl,
    checkKey: readSparkKey,
    models: /^SparkDesk/,
    modelList: null,
    editor: { other: "spark", otherDefault: "v2.1", keyParts: ["APPID", "APISecret", "APIKey"] },
  }),
  defineRow({
    id: CHANNEL_TYPE.hunyuan,
    name: { en: "Tencent Hunyuan", zh: "腾讯混元" },
    hue: "teal",
    position: 250,
    dialect: "hunyuan",
    baseUrl: "https://hunyuan.tencentcloudapi.com",
    url: fixedPath("/"),
    auth: tc3,
    checkKey: readTencentKey,
    models: /^hunyuan/,
    modelList: null,
    editor: { keyParts: ["AppId", "SecretId", "SecretKey"] },
  }),
  defineRow({
    id: CHANNEL_TYPE.cohere,
    name: "Cohere",
    hue: "purple",
    position: 100,
    dialect: "cohere",
    baseUrl: "https://api.cohere.ai",
    url: fixedPath("/v2/chat"),
    serves: {
      embeddings: { format: "cohere", url: fixedPath("/v2/embed") },
      rerank: { format: "cohere", url: fixedPath("/v2/rerank") },
    },
    quirks: { fix: cohereSafety(() => env().COHERE_SAFETY_SETTING) },
    models: /^(command|embed-|rerank-)/,
    modelList: cohereModels,
  }),
];
