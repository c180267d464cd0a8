import type { JsonSchema, Operation } from "@/lib/http/openapi/types";
import { exampleOf } from "./schema-text";

type Call = { baseUrl: string; method: string; path: string; operation: Operation; userId: number };

/** The call as a shell sends it: to this site, as this reader. The secret stands in a variable. */
export function toCurl({ baseUrl, method, path, operation, userId }: Call, named: Record<string, JsonSchema>): string {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=…`)
    .join("&");
  const address = `${baseUrl}${path}${query ? `?${query}` : ""}`;
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`];
  const access = operation["x-access"];
  if (access === "token") lines.push('-H "Authorization: Bearer $WEIR_TOKEN"');
  else if (access !== "public") lines.push('-H "Authorization: $WEIR_ACCESS_TOKEN"', `-H "New-API-User: ${userId}"`);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  if (schema) {
    const body = JSON.stringify(exampleOf(schema, named)).replaceAll("'", `'\\''`);
    lines.push('-H "Content-Type: application/json"', `-d '${body}'`);
  }
  return lines.join(" \\\n  ");
}
