/** Why a model stopped: one value for all dialects, and the upstream's own. */
export type FinishReason = {
  unified: "stop" | "length" | "tool-calls" | "content-filter" | "other";
  raw: string;
};
