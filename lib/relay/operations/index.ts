import { chat } from "./chat";
import { embeddings } from "./embeddings";
import type { Operation } from "./operation";

/** All operations that clients can request. */
export const operations: readonly Operation[] = [chat, embeddings];
