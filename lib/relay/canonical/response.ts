import type { FinishReason } from "./finish-reason";
import type { AssistantPart } from "./request";
import type { Usage } from "./usage";

/** A whole answer between dialects. */
export type ChatResponse = {
  id: string;
  /** The upstream's name for the model. */
  model: string;
  choices: readonly Choice[];
  /** Null = the upstream reported none. */
  usage: Usage | null;
};

export type Choice = { index: number; content: readonly AssistantPart[]; finishReason: FinishReason };
