import { baiduAccessToken, qianfanKey, readBaiduKey } from "../auth";
import { thinkingAt } from "../fixes/thinking-fix";
import { openaiModels } from "../model-lists";
import { samePath, underPrefix } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow, openaiLike } from "./define-row";
import { PLAIN_EMBEDDINGS } from "./servings";

const ERNIE_MODELS = /^(ernie|ERNIE|BLOOMZ|Embedding-V1|bge-large|tao-8k)/;

export const baiduRows = [
  defineRow({
    id: CHANNEL_TYPE.ernie,
    name: { en: "Baidu Qianfan", zh: "百度文心千帆" },
    hue: "blue",
    position: 130,
    dialect: "ernie",
    baseUrl: "https://aip.baidubce.com",
    url: samePath,
    serves: { embeddings: { format: "ernie" } },
    auth: baiduAccessToken,
    checkKey: readBaiduKey,
    models: ERNIE_MODELS,
    modelList: null,
    editor: { keyParts: ["APIKey", "SecretKey"] },
  }),
  openaiLike({
    id: CHANNEL_TYPE.qianfan,
    name: { en: "Qianfan v2", zh: "百度文心千帆V2" },
    hue: "blue",
    position: 140,
    baseUrl: "https://qianfan.baidubce.com",
    url: underPrefix("/v2"),
    serves: { embeddings: PLAIN_EMBEDDINGS },
    auth: qianfanKey,
    quirks: { fix: thinkingAt("qianfan") },
    models: ERNIE_MODELS,
    modelList: openaiModels("/v2/models"),
  }),
];
