import type { PriceRow } from "@/lib/billing/types";
import type { UsableGroup } from "@/lib/group/queries";

/** What the playground can ask for, in the order of its tabs. */
export const PLAYGROUND_OPERATIONS = ["chat", "images", "speech", "transcriptions", "embeddings"] as const;
export type PlaygroundOperation = (typeof PLAYGROUND_OPERATIONS)[number];

/** The operations beside conversations. */
export type MediaOperation = Exclude<PlaygroundOperation, "chat">;

/** A call under /pg: each operation has one, and pictures have another that changes one. */
export type PlaygroundCall = MediaOperation | "edits";

const KILOBYTE = 1_024;

/** The path of each, under /pg here and under /v1 of the API, and the most bytes that a request may have. */
export const PLAYGROUND_CALLS: Readonly<Record<PlaygroundCall, { path: string; bytesMax: number }>> = {
  images: { path: "/images/generations", bytesMax: 256 * KILOBYTE },
  edits: { path: "/images/edits", bytesMax: 26 * KILOBYTE * KILOBYTE },
  speech: { path: "/audio/speech", bytesMax: 256 * KILOBYTE },
  /** A file of 25 MB, as its provider allows, and the fields beside it. */
  transcriptions: { path: "/audio/transcriptions", bytesMax: 26 * KILOBYTE * KILOBYTE },
  embeddings: { path: "/embeddings", bytesMax: 2 * KILOBYTE * KILOBYTE },
};

/** A group of the playground with the models of its enabled channels, by what they are for. */
export type PlaygroundGroup = UsableGroup & { models: Record<PlaygroundOperation, string[]> };

export type PlaygroundChoices = {
  /** The current user's own group first. */
  groups: PlaygroundGroup[];
  /** Price of each model at group ratio 1; a model without a price cannot be used. */
  prices: Record<string, PriceRow>;
};

/** What a call was charged, in quota. */
export type PlaygroundCharge = { quota: number; promptTokens: number; completionTokens: number };
