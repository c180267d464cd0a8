import { thinkingAt } from "../fixes/thinking-fix";
import { ollamaModels } from "../model-lists";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow, openaiLike } from "./define-row";
import { COMPLETIONS, EMBEDDINGS, PICTURES_AND_SOUND, RERANK } from "./servings";

export const selfHostedRows = [
  // Its own format and not OpenAI's: only there can a channel set num_ctx, without which long prompts are cut silently, and
  // keep_alive, and a caller top_k or no thinking.
  defineRow({
    id: CHANNEL_TYPE.ollama,
    name: "Ollama",
    hue: "grey",
    position: 50,
    dialect: "ollama",
    baseUrl: "http://localhost:11434",
    quirks: { inlineImages: true },
    serves: { completions: COMPLETIONS, embeddings: { format: "ollama" } },
    modelList: ollamaModels,
  }),
  openaiLike({
    id: CHANNEL_TYPE.xinference,
    name: "Xinference",
    hue: "blue",
    position: 210,
    baseUrl: "",
    quirks: { fix: thinkingAt("xinference") },
    serves: { completions: COMPLETIONS, embeddings: EMBEDDINGS, rerank: RERANK, ...PICTURES_AND_SOUND },
  }),
];
