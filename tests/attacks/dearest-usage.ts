import type { Asked, Json, Script } from "./scripted-upstream";

/** Of a stored answer that is named by its id. */
export const STORED_TOKENS = 900_000;

/** What its caller runs: everything else runs at the upstream, and brings in as much as it can. */
const OWN_TOOL =
  /^(function|custom|computer|computer_use_preview|local_shell|apply_patch|namespace|programmatic_tool_calling|tool_search|(bash|text_editor|memory|computer|tool_search_tool)_.*|functionDeclarations|computerUse)$/;
const UNSEEN =
  /"(input_file|file|document|container_upload|item_reference|fileData|inlineData|conversation|prompt|previous_message_id|file_url|file_id|file_data)"/;

/** The most that a request can cause, by what its provider documents. */
export function dearest(asked: Asked, window: number, brings = UNSEEN): Script {
  const { body } = asked;
  const text = Math.ceil(JSON.stringify(body).length / 3);
  const limit = limitOf(asked);
  const completion = Math.min(limit, asked.isStream ? 20 : 500);
  const stored = body.previous_response_id === undefined ? 0 : STORED_TOKENS;
  const unseen = brings.test(JSON.stringify(body)) ? window : 0;
  const first = Math.min(window, text + stored + unseen);
  let prompt = first;
  for (let call = 1; call <= callsOf(asked); call++) prompt += Math.min(window, text + call * resultOf(asked));
  return { prompt, completion, text: "ab ".repeat(completion) };
}

function limitOf({ wire, body }: Asked): number {
  const config = (body.generationConfig ?? {}) as Json;
  const given = [body.max_tokens, body.max_completion_tokens, body.max_output_tokens, config.maxOutputTokens];
  const limits = given.filter((one) => typeof one === "number");
  return limits.length > 0 ? Math.max(...limits) : wire === "messages" ? 1 : 500;
}

function callsOf({ wire, body }: Asked): number {
  const tools = (Array.isArray(body.tools) ? body.tools : []) as Json[];
  const kinds = tools.flatMap((tool) => (wire === "gemini" ? Object.keys(tool) : [String(tool.type ?? "custom")]));
  const hosted = tools.filter((_, at) => !OWN_TOOL.test(kinds[at] ?? ""));
  if (wire === "responses") return hosted.length > 0 ? Number(body.max_tool_calls ?? 60) : 0;
  if (wire === "chat") return hosted.length + (body.web_search_options === undefined ? 0 : 1);
  if (wire === "gemini") return kinds.filter((kind) => !OWN_TOOL.test(kind)).length;
  const servers = Array.isArray(body.mcp_servers) ? body.mcp_servers.length : 0;
  if (servers > 0) return 10;
  return Math.min(
    10,
    hosted.reduce((sum, { max_uses: uses }) => sum + Number(uses ?? 10), 0),
  );
}

/** What the result of a call brings in. */
function resultOf({ wire, body }: Asked): number {
  const limits = ((body.tools ?? []) as Json[]).map(({ max_content_tokens: most }) => Number(most ?? Number.NaN));
  const isLimited = wire === "messages" && limits.length > 0 && limits.every((one) => one > 0) && !body.mcp_servers;
  return isLimited ? Math.max(...limits) + 1_000 : Number.POSITIVE_INFINITY;
}
