/** What a key can be used for, in the order of the console. "chat": conversations. */
export const OPERATIONS = [
  "chat",
  "completions",
  "embeddings",
  "rerank",
  "moderations",
  "images",
  "image_edits",
  "speech",
  "transcriptions",
  "realtime",
  "drawing",
  "music",
  "videos",
] as const;
export type OperationId = (typeof OPERATIONS)[number];

/** The operations of a comma list; those that are not known are left out. */
export function readOperations(list: string): OperationId[] {
  const named = new Set(list.split(","));
  return OPERATIONS.filter((operation) => named.has(operation));
}
