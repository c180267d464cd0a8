import { zhipuToken } from "../auth";
import type { UrlParts } from "../channel-type";
import { zhipu } from "../fixes/request-fixes";
import { openaiModels } from "../model-lists";
import { underPrefix } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow, openaiLike } from "./define-row";
import { IMAGES, PLAIN_EMBEDDINGS } from "./servings";

const GLM_MODELS = /^(glm-|chatglm|embedding-3|cogview)/;
const BASE_URL = "https://open.bigmodel.cn";

const v3Url = ({ baseUrl, model, isStream }: UrlParts): string =>
  `${baseUrl}/api/paas/v3/model-api/${encodeURIComponent(model)}/${isStream ? "sse-invoke" : "invoke"}`;

export const zhipuRows = [
  defineRow({
    id: CHANNEL_TYPE.zhipuV3,
    name: { en: "Zhipu", zh: "智谱 ChatGLM" },
    hue: "violet",
    position: 170,
    dialect: "zhipu-v3",
    baseUrl: BASE_URL,
    url: v3Url,
    auth: zhipuToken,
    models: /^chatglm_/,
    modelList: null,
  }),
  openaiLike({
    id: CHANNEL_TYPE.zhipu,
    name: { en: "Zhipu v4", zh: "智谱 GLM-4V" },
    hue: "purple",
    position: 180,
    baseUrl: BASE_URL,
    url: underPrefix("/api/paas/v4"),
    serves: { embeddings: PLAIN_EMBEDDINGS, images: IMAGES },
    auth: zhipuToken,
    quirks: { fix: zhipu },
    models: GLM_MODELS,
    modelList: openaiModels("/api/paas/v4/models"),
  }),
];
