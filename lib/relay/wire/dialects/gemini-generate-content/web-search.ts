import type { Json } from "../../canonical/json";
import type { WebSearch } from "../../canonical/web-search";
import { defined } from "../common/defined";
import { readDomains } from "../common/web-search";
import { field, objectField, toolsOf } from "./fields";

const NAMES = ["googleSearch", "googleSearchRetrieval"];
/** In either spelling. */
const CARRIED = /^(?:function_?declarations|google_?search(?:_?retrieval)?)$/i;

/** Whether it holds nothing but functions and a search. */
export function isCarriedTool(tool: Json): boolean {
  return Object.entries(tool).every(([name, value]) => value === null || CARRIED.test(name));
}

export function decodeWebSearch(json: Json): WebSearch | undefined {
  for (const tool of toolsOf(json)) {
    for (const name of NAMES) {
      if (typeof field(tool, name) !== "object" || field(tool, name) === null) continue;
      return defined({ blockedDomains: readDomains(field(objectField(tool, name), "excludeDomains")) });
    }
  }
  return undefined;
}
