import { CHANNEL_TYPE } from "./channel-type-ids";
import { openaiLike } from "./define-row";

export const selfHostedRows = [
  openaiLike({
    id: CHANNEL_TYPE.ollama,
    name: "Ollama",
    hue: "grey",
    position: 50,
    baseUrl: "http://localhost:11434",
    quirks: { inlineImages: true },
  }),
  openaiLike({ id: CHANNEL_TYPE.xinference, name: "Xinference", hue: "blue", position: 210, baseUrl: "" }),
];
