import type { JsonSchema, Operation } from "@/lib/http/openapi/types";
import { exampleOf } from "./schema-text";

type Call = { baseUrl: string; method: string; path: string; operation: Operation };
export type SampleLanguage = "curl" | "python" | "typescript";

type Named = Record<string, JsonSchema>;
type Parts = { address: string; method: string; secret: string | null; body: unknown };

/** Sample code for a call to this site as this user. The secret comes from an environment variable. */
export function toSample(language: SampleLanguage, call: Call, named: Named): string {
  const parts = partsOf(call, named);
  if (language === "curl") return curl(parts);
  return language === "python" ? python(parts) : typescript(parts);
}

function partsOf({ baseUrl, method, path, operation }: Call, named: Named): Parts {
  const query = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name }) => `${name}=…`)
    .join("&");
  const access = operation["x-access"];
  const asUser = access !== "token" && access !== "public";
  const schema = operation.requestBody?.content["application/json"]?.schema;
  return {
    address: `${baseUrl}${path}${query ? `?${query}` : ""}`,
    method,
    secret: access === "token" ? "WEIR_TOKEN" : asUser ? "WEIR_ACCESS_TOKEN" : null,
    body: schema ? exampleOf(schema, named) : undefined,
  };
}

/** Relay keys use the Bearer scheme; a system access token is sent without a prefix. */
const prefixOf = (secret: string) => (secret === "WEIR_TOKEN" ? "Bearer " : "");

function curl({ address, method, secret, body }: Parts): string {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}"${address}"`];
  if (secret) lines.push(`-H "Authorization: ${prefixOf(secret)}$${secret}"`);
  if (body !== undefined) {
    lines.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(body).replaceAll("'", `'\\''`)}'`);
  }
  return lines.join(" \\\n  ");
}

function python({ address, method, secret, body }: Parts): string {
  const authorization = secret
    ? [`    "Authorization": ${prefixOf(secret) ? `f"Bearer {os.environ['${secret}']}"` : `os.environ["${secret}"]`},`]
    : [];
  return [
    "# pip install requests",
    ...(secret ? ["import os"] : []),
    "import requests",
    "",
    `answer = requests.request(${JSON.stringify(method)}, ${JSON.stringify(address)}${authorization.length > 0 ? ", headers={" : ""}`,
    ...authorization,
    `${authorization.length > 0 ? "}" : ""}${body === undefined ? "" : `, json=${pythonValue(body)}`})`,
    "print(answer.json())",
  ].join("\n");
}

/** JSON in Python's words. */
function pythonValue(value: unknown): string {
  if (value === null || value === undefined) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (Array.isArray(value)) return `[${value.map(pythonValue).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}: ${pythonValue(inner)}`);
  return `{${pairs.join(", ")}}`;
}

function typescript({ address, method, secret, body }: Parts): string {
  const fields = [
    ...(secret ? [`    Authorization: \`${prefixOf(secret)}\${process.env.${secret}}\`,`] : []),
    ...(body === undefined ? [] : ['    "Content-Type": "application/json",']),
  ];
  return [
    `const answer = await fetch(${JSON.stringify(address)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(fields.length > 0 ? ["  headers: {", ...fields, "  },"] : []),
    ...(body === undefined ? [] : [`  body: JSON.stringify(${JSON.stringify(body)}),`]),
    "});",
    "console.log(await answer.json());",
  ].join("\n");
}
