/** Why a model stopped: one word for all dialects, and the upstream's own. */
export type FinishReason = {
  unified: "stop" | "length" | "tool-calls" | "content-filter" | "other";
  /** As the upstream wrote it. */
  raw: string;
};
