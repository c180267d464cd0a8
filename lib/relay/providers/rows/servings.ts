import type { Served, Serving } from "../channel-type";
import { floatsOnly, mistralEmbeddings } from "../fixes/embedding-fixes";
import { samePath } from "../urls";

export const COMPLETIONS: Serving = { format: "openai" };
export const EMBEDDINGS: Serving = { format: "openai" };
/** For upstreams that send vectors as numbers only. */
export const PLAIN_EMBEDDINGS: Serving = { format: "openai", fix: floatsOnly };
export const MISTRAL_EMBEDDINGS: Serving = { format: "openai", fix: mistralEmbeddings };
/** Sora's, and whatever speaks like it. */
export const OPENAI_VIDEOS: Serving = { format: "sora" };
export const ARK_VIDEOS: Serving = { format: "seedance", url: samePath };
export const RERANK: Serving = { format: "jina" };
/** Sessions over a WebSocket, at the address of the row with the scheme of WebSockets. */
export const REALTIME: Serving = { format: "openai" };

export const IMAGES: Serving = { format: "openai" };
export const SOUND: Served = { speech: { format: "openai" }, transcriptions: { format: "openai" } };
export const PICTURES_AND_SOUND: Served = { images: IMAGES, image_edits: IMAGES, ...SOUND };

/** OpenAI itself, and gateways that serve the models of others in its formats. */
export const ALL_LIKE_OPENAI: Served = {
  completions: COMPLETIONS,
  embeddings: EMBEDDINGS,
  rerank: RERANK,
  moderations: { format: "openai" },
  realtime: REALTIME,
  ...PICTURES_AND_SOUND,
};
