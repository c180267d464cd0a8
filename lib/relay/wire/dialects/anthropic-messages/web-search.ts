import type { Search, SearchSource } from "../../canonical/citation";
import { type Json, readArray, readObject, readText } from "../../canonical/json";
import { WEB_SEARCH, type WebSearch } from "../../canonical/web-search";
import { defined } from "../common/defined";
import { parseJsonObject } from "../common/json-text";
import { readDomains, readLocation, renderLocation } from "../common/web-search";

const TOOL = "web_search_20250305";

export function isSearchTool({ type }: Json): boolean {
  return /^web_search_\d+$/.test(readText(type));
}

export function decodeWebSearch(tools: readonly Json[]): WebSearch | undefined {
  const tool = tools.find(isSearchTool);
  if (!tool) return undefined;
  return defined({
    allowedDomains: readDomains(tool.allowed_domains),
    blockedDomains: readDomains(tool.blocked_domains),
    maxUses: typeof tool.max_uses === "number" ? tool.max_uses : undefined,
    userLocation: readLocation(tool.user_location),
  });
}

export function encodeWebSearch({ allowedDomains, blockedDomains, maxUses, userLocation }: WebSearch): Json {
  return defined({
    type: TOOL,
    name: WEB_SEARCH,
    max_uses: maxUses,
    allowed_domains: allowedDomains,
    blocked_domains: blockedDomains,
    user_location: renderLocation(userLocation),
  });
}

/** A block that a search left: the call, or what was found. */
export function isSearchBlock({ type, name }: Json): boolean {
  return type === "web_search_tool_result" || (type === "server_tool_use" && name === WEB_SEARCH);
}

export function queryOf(input: unknown): string {
  return readText(readObject(input).query);
}

/** The query in the arguments of a call as they were streamed. */
export function queryIn(text: string): string {
  return queryOf(parseJsonObject(text));
}

/** `query`: "" = not known. */
export function decodeSearch(block: Json, query: string): Search {
  const sources = readArray(block.content).flatMap((value): SearchSource[] => {
    const { url, title } = readObject(value);
    if (readText(url) === "") return [];
    return [readText(title) === "" ? { url: readText(url) } : { url: readText(url), title: readText(title) }];
  });
  return { id: readText(block.tool_use_id), queries: query === "" ? [] : [query], sources };
}

/** The searches of an answer, each at its results. */
export function searchesOf(blocks: readonly Json[]): Search[] {
  const queries = new Map(blocks.filter(isSearchBlock).map(({ id, input }) => [id, queryOf(input)]));
  return blocks.flatMap((block) =>
    block.type === "web_search_tool_result" ? [decodeSearch(block, queries.get(block.tool_use_id) ?? "")] : [],
  );
}

/** The two blocks of a search: its call and its results, which only Anthropic could have encrypted. */
export function renderSearch({ id, queries, sources }: Search): [Json, Json] {
  const own = id.startsWith("srvtoolu_") ? id : `srvtoolu_${id.replace(/[^\w-]/g, "_")}`;
  const content = sources.map(({ url, title = "" }) => ({
    type: "web_search_result",
    url,
    title,
    encrypted_content: "",
    page_age: null,
  }));
  return [
    { type: "server_tool_use", id: own, name: WEB_SEARCH, input: { query: queries.join("; ") } },
    { type: "web_search_tool_result", tool_use_id: own, content },
  ];
}
