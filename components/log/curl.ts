import type { UsageLog } from "@/lib/usage-log/columns";

/**
 * A curl command for a request like that of a log row. The key comes from an environment variable; the messages are not
 * stored, so they are placeholders.
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

/** Quotes a text for the shell: a model name can contain any character. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
