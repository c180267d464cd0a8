import { underPrefix } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";
import { PLAIN_EMBEDDINGS, RERANK } from "./servings";

/** Services for embeddings and reranking, without conversations. */
export const vectorRows = [
  defineRow({
    id: CHANNEL_TYPE.jina,
    name: "Jina",
    hue: "blue",
    position: 290,
    dialect: null,
    baseUrl: "https://api.jina.ai",
    serves: { embeddings: PLAIN_EMBEDDINGS, rerank: RERANK },
    test: "embeddings",
    models: /^jina-/,
  }),
  defineRow({
    id: CHANNEL_TYPE.moka,
    name: { en: "MokaAI", zh: "嵌入模型：MokaAI M3E" },
    hue: "purple",
    position: 350,
    dialect: null,
    baseUrl: "https://api.moka.ai",
    url: underPrefix(""),
    serves: { embeddings: PLAIN_EMBEDDINGS },
    test: "embeddings",
  }),
];
