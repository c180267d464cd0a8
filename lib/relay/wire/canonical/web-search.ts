/** The name by which a tool choice asks for a search. */
export const WEB_SEARCH = "web_search";

/** The model may search the web before it answers, at the upstream. */
export type WebSearch = {
  /** Only these; never beside `blockedDomains`. */
  allowedDomains?: readonly string[];
  blockedDomains?: readonly string[];
  /** The client can do without it: a search that it offers with its own functions. */
  isOptional?: true;
  /** Searches at most. */
  maxUses?: number;
  /** How much of what was found the model gets to read. */
  contextSize?: "low" | "medium" | "high";
  userLocation?: UserLocation;
};

export type UserLocation = { city?: string; region?: string; country?: string; timezone?: string };
