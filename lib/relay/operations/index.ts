import { chat } from "./chat";
import { completions } from "./completions";
import { embeddings } from "./embeddings";
import { moderations } from "./moderations";
import type { Operation } from "./operation";
import { realtime } from "./realtime";
import { rerank } from "./rerank";
import { drawing, music } from "./tasks";

/** All operations that clients can request. */
export const operations: readonly Operation[] = [
  chat,
  completions,
  embeddings,
  rerank,
  moderations,
  realtime,
  drawing,
  music,
];
