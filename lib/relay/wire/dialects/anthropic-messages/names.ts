import { knownNames, TOOL_VALUES } from "../common/known-names";

/** What Weir reads of a messages request. The input of a tool, and a schema, are the caller's own. */
export const names = knownNames({
  objects: ["messages", "tools", "mcp_servers"],
  parts: ["content", "system"],
  object: ["cache_control", "output_config"],
  fields: [
    ...["model", "stream", "max_tokens", "service_tier", "speed", "inference_geo", "container", "ttl", "type", "role"],
    ...["source", "thinking", "text", "data", "media_type", "url", "file_id", "title", "context", "name", "strict"],
    ...["description", "id", "temperature", "top_p", "top_k", "stop_sequences", "tool_choice", "signature"],
    ...["disable_parallel_tool_use", "budget_tokens", "effort", "format", "tool_use_id", "is_error", "output_format"],
    ...[
      "thread",
      "fallbacks",
      "compaction",
      "edits",
      "max_uses",
      "max_content_tokens",
      "context_management",
      "user_profile_id",
    ],
  ],
  callers: ["citations", "input", ...TOOL_VALUES, "metadata"],
});
