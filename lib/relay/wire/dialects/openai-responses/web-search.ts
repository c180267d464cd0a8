import type { Search } from "../../canonical/citation";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import type { WebSearch } from "../../canonical/web-search";
import { defined } from "../common/defined";
import { readContextSize, readDomains, readLocation, renderLocation } from "../common/web-search";

const SEARCH_TOOL = /^web_search(?:_preview)?(?:_\d{4}_\d{2}_\d{2})?$/;

/** Also for a tool choice, which names the tool by its type. */
export function isSearchTool(tool: unknown): boolean {
  return SEARCH_TOOL.test(readText(readObject(tool).type));
}

export function decodeWebSearch(tools: readonly Json[], maxCalls: unknown, isOptional: boolean): WebSearch | undefined {
  const tool = tools.find(isSearchTool);
  if (!tool) return undefined;
  const filters = readObject(tool.filters);
  return defined({
    allowedDomains: readDomains(filters.allowed_domains),
    blockedDomains: readDomains(filters.blocked_domains),
    isOptional: isOptional || undefined,
    maxUses: typeof maxCalls === "number" ? maxCalls : undefined,
    contextSize: readContextSize(tool.search_context_size),
    userLocation: readLocation(tool.user_location),
  });
}

export function encodeWebSearch({ allowedDomains, blockedDomains, contextSize, userLocation }: WebSearch): Json {
  const filters = defined({ allowed_domains: allowedDomains, blocked_domains: blockedDomains });
  return defined({
    type: "web_search",
    filters: Object.keys(filters).length > 0 ? filters : undefined,
    search_context_size: contextSize,
    user_location: renderLocation(userLocation),
  });
}

/** Null = a page was opened or searched through, which no other format tells. */
export function decodeSearch(item: Json): Search | null {
  const action = readObject(item.action);
  if ((action.type ?? "search") !== "search") return null;
  const several = readArray(action.queries).filter((query) => typeof query === "string");
  const queries = several.length > 0 ? several : [readText(action.query)].filter((query) => query !== "");
  const sources = readArray(action.sources).flatMap((source) => {
    const url = readText(readObject(source).url);
    return url === "" ? [] : [{ url }];
  });
  return { id: readText(item.id), queries, sources };
}

/** `isOver`: false = it is being made. */
export function searchItem(id: string, { queries, sources }: Search, isOver: boolean): Json {
  const action = defined({
    type: "search",
    query: queries[0] ?? "",
    queries,
    sources: isOver ? sources.map(({ url }) => ({ type: "url", url })) : undefined,
  });
  return { id, type: "web_search_call", status: isOver ? "completed" : "in_progress", action };
}

/** Each search is charged, but the usage does not count them. */
export function countSearches(output: unknown): number {
  return readArray(output).filter((value) => {
    const item = readObject(value);
    return item.type === "web_search_call" && decodeSearch(item) !== null;
  }).length;
}
