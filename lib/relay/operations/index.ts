import { chat } from "./chat";
import { completions } from "./completions";
import { embeddings } from "./embeddings";
import { imageEdits, images } from "./images";
import { moderations } from "./moderations";
import type { Operation } from "./operation";
import { realtime } from "./realtime";
import { rerank } from "./rerank";
import { speech } from "./speech";
import { drawing, music, videos } from "./tasks";
import { transcriptions } from "./transcriptions";

/** All operations that clients can request. */
export const operations: readonly Operation[] = [
  chat,
  completions,
  embeddings,
  rerank,
  moderations,
  images,
  imageEdits,
  speech,
  transcriptions,
  realtime,
  drawing,
  music,
  videos,
];
