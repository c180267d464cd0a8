import type { Json } from "../../canonical/json";
import type { Edits } from "../dialect";
import { generationConfig, givenName } from "./fields";

/** Lowers the limit per answer to `tokens`, or sets it. Thoughts count in it. */
export function capEdits(json: Json, tokens: number): Edits {
  const config = generationConfig(json);
  return { [givenName(json, "generationConfig")]: { ...config, [givenName(config, "maxOutputTokens")]: tokens } };
}
