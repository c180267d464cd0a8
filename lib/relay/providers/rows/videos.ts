import { klingToken, readKlingKey } from "../auth";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";
import { ARK_VIDEOS, OPENAI_VIDEOS } from "./servings";

/** Services that make videos and nothing else. A video takes minutes, so a channel test cannot ask for one. */
export const videoRows = [
  defineRow({
    id: CHANNEL_TYPE.kling,
    name: { en: "Kling", zh: "可灵" },
    hue: "green",
    position: 41,
    dialect: null,
    baseUrl: "https://api-singapore.klingai.com",
    auth: klingToken,
    checkKey: (key) => void readKlingKey(key),
    serves: { videos: { format: "kling" } },
    test: null,
    modelList: null,
    models: /^kling-/,
    editor: { keyParts: ["AccessKey", "SecretKey"] },
  }),
  defineRow({
    id: CHANNEL_TYPE.arkVideo,
    name: { en: "Doubao Video", zh: "豆包视频" },
    hue: "blue",
    position: 42,
    dialect: null,
    baseUrl: "https://ark.cn-beijing.volces.com",
    serves: { videos: ARK_VIDEOS },
    test: null,
    modelList: null,
    models: /^doubao-seedance-/,
  }),
  defineRow({
    id: CHANNEL_TYPE.soraVideo,
    name: "Sora",
    hue: "green",
    position: 43,
    dialect: null,
    // OpenAI ended its own in September 2026; others serve the same API.
    baseUrl: "",
    serves: { videos: OPENAI_VIDEOS },
    test: null,
    modelList: null,
    models: /^sora-/,
  }),
];
