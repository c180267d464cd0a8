import { z } from "zod";
import { routeTables } from "@/app/api/openapi.json/tables";
import { documentPath } from "@/lib/http/openapi/naming";

/** The query parameters of every GET route, by "GET /api/…". */
export function readQueries(): Map<string, string[]> {
  const queries = new Map<string, string[]>();
  for (const { base, routes } of routeTables()) {
    for (const { method, path, query } of routes) {
      if (method !== "GET" || !query) continue;
      queries.set(`GET ${documentPath(base, path)}`, query instanceof z.ZodObject ? Object.keys(query.shape) : ["?"]);
    }
  }
  return queries;
}

const queries = readQueries();

/** The query parameters of a call. Throws for a call without any. */
export function parametersOf(line: string): string[] {
  const parameters = queries.get(line);
  if (!parameters) throw new Error(`${line} has no query`);
  return parameters;
}
