import { chat } from "./chat";
import { completions } from "./completions";
import { embeddings } from "./embeddings";
import { moderations } from "./moderations";
import type { Operation } from "./operation";
import { realtime } from "./realtime";
import { rerank } from "./rerank";

/** All operations that clients can request. */
export const operations: readonly Operation[] = [chat, completions, embeddings, rerank, moderations, realtime];
