import type { OperationId } from "@/lib/operations";
import type { SourceRow } from "../types";
import { listOf } from "./tables";

/** Groups of routes with everything that models are asked for. */
const EVERYTHING = new Set(["llm_api_routes", "openai_routes", "*", "/*"]);
const ROUTES: readonly [RegExp, OperationId][] = [
  [/chat\/completions|\/messages|\/responses|anthropic_routes|google_routes|generateContent/i, "chat"],
  [/(^|\/)completions/, "completions"],
  [/embeddings/, "embeddings"],
  [/rerank/, "rerank"],
  [/moderations/, "moderations"],
  [/images\/generations/, "images"],
  [/images\/(edits|variations)/, "image_edits"],
  [/audio\/speech/, "speech"],
  [/audio\/(transcriptions|translations)/, "transcriptions"],
  [/realtime/, "realtime"],
  [/videos/, "videos"],
];

/** What the key may be used for: [] = everything; null = nothing that there is here. */
export function readOperations(row: SourceRow, change: (what: string) => void): OperationId[] | null {
  const routes = listOf(row, "allowed_routes");
  if (routes.length === 0 || routes.some((route) => EVERYTHING.has(route))) return [];
  const found = routes.map((route) => ROUTES.find(([pattern]) => pattern.test(route))?.[1]);
  const known = found.filter((operation) => operation !== undefined);
  if (known.length === 0) return null;
  if (known.length < found.length) change("some of its routes do not exist here: left out");
  return [...new Set(known)];
}
