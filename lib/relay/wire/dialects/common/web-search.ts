import { type Json, readObject, readText } from "../../canonical/json";
import type { ChatRequest, ToolChoice } from "../../canonical/request";
import { type UserLocation, WEB_SEARCH, type WebSearch } from "../../canonical/web-search";
import { defined } from "./defined";

/** The tool choice is the search, and not a function that has its name. */
export function choosesSearch({ webSearch, toolChoice, tools = [] }: ChatRequest): boolean {
  const isNamed = toolChoice?.type === "tool" && toolChoice.name === WEB_SEARCH;
  return webSearch !== undefined && isNamed && !tools.some(({ name }) => name === WEB_SEARCH);
}

/** The tool choice for formats where it is about functions alone. */
export function functionChoice(request: ChatRequest): ToolChoice | undefined {
  const { webSearch, tools = [], toolChoice } = request;
  return choosesSearch(request) || (webSearch && tools.length === 0) ? undefined : toolChoice;
}

/** The search for formats where it cannot stand beside functions. */
export function wantedSearch({ webSearch }: ChatRequest): WebSearch | undefined {
  return webSearch?.isOptional ? undefined : webSearch;
}

export function namesDomains(request: ChatRequest): boolean {
  const webSearch = wantedSearch(request);
  return webSearch?.allowedDomains !== undefined || webSearch?.blockedDomains !== undefined;
}

/** Undefined = none is given. */
export function readDomains(value: unknown): readonly string[] | undefined {
  const domains = Array.isArray(value) ? value.filter((domain) => typeof domain === "string") : [];
  return domains.length > 0 ? domains : undefined;
}

export function readContextSize(value: unknown): WebSearch["contextSize"] {
  return value === "low" || value === "medium" || value === "high" ? value : undefined;
}

const PLACES = ["city", "region", "country", "timezone"] as const;

/** Undefined = nothing of it is given. */
export function readLocation(value: unknown): UserLocation | undefined {
  const given = readObject(value);
  const found: UserLocation = {};
  for (const name of PLACES) if (readText(given[name]) !== "") found[name] = readText(given[name]);
  return Object.keys(found).length > 0 ? found : undefined;
}

export function renderLocation(location: UserLocation | undefined): Json | undefined {
  return location && defined({ type: "approximate", ...location });
}
