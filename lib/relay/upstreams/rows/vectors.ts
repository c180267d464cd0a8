import { underPrefix } from "../urls";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";

/** Services for embeddings and reranking, without conversations. */
export const vectorRows = [
  defineRow({
    id: CHANNEL_TYPE.jina,
    name: "Jina",
    hue: "blue",
    position: 290,
    dialect: null,
    baseUrl: "https://api.jina.ai",
    takesEmbeddings: true,
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
    takesEmbeddings: true,
    test: "embeddings",
  }),
];
