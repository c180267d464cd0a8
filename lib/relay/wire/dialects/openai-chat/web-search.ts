import { type Json, readObject, readText } from "../../canonical/json";
import type { WebSearch } from "../../canonical/web-search";
import { defined } from "../common/defined";
import { isGiven } from "../common/option-rule";
import { readContextSize, readLocation } from "../common/web-search";

/** A function of this name without parameters is Google's search. */
const GOOGLE_SEARCH = "googleSearch";

export function isGoogleSearch(tool: unknown): boolean {
  const { name, parameters } = readObject(readObject(tool).function);
  return readText(name) === GOOGLE_SEARCH && Object.keys(readObject(readObject(parameters).properties)).length === 0;
}

export function decodeWebSearch({ web_search_options: given }: Json, isTool: boolean): WebSearch | undefined {
  if (!isGiven(given)) return isTool ? {} : undefined;
  const { search_context_size: size, user_location: location } = readObject(given);
  return defined({
    contextSize: readContextSize(size),
    userLocation: readLocation(readObject(location).approximate),
  });
}

export function encodeWebSearch({ contextSize, userLocation }: WebSearch): Json {
  return defined({
    search_context_size: contextSize,
    user_location: userLocation && { type: "approximate", approximate: userLocation },
  });
}
