import type { Search } from "./citation";
import type { FinishReason } from "./event";
import type { AssistantPart } from "./request";
import type { Usage } from "./usage";

/** A complete response, independent of the dialect. */
export type ChatResponse = {
  id: string;
  /** The upstream's name of the model. */
  model: string;
  choices: readonly Choice[];
  /** Null = the upstream reported no usage. */
  usage: Usage | null;
};

export type Choice = {
  index: number;
  content: readonly AssistantPart[];
  finishReason: FinishReason;
  /** Searches of the upstream for this answer, in order; absent = none. */
  searches?: readonly Search[];
};
