import type { UsageLog } from "@/lib/usage-log/types";

/**
 * A request like that of a log row as a curl command. The key stays in the reader's environment and the messages, which
 * are not kept, are left to the reader.
 */
export function toCurl(row: Pick<UsageLog, "modelName" | "isStream">, serverAddress: string): string {
  const body = {
    model: row.modelName,
    ...(row.isStream ? { stream: true } : {}),
    messages: [{ role: "user", content: "…" }],
  };
  return [
    `curl ${quote(`${serverAddress.replace(/\/+$/, "")}/v1/chat/completions`)}`,
    `  -H "Authorization: Bearer $WEIR_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quote(JSON.stringify(body))}`,
  ].join(" \\\n");
}

/** A text as one word of a shell: a model's name may hold anything. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
