import { knownNames, TOOL_VALUES } from "../common/known-names";

/** What Weir reads of a responses request. */
export const names = knownNames({
  objects: ["tools"],
  parts: ["input", "content", "output", "summary"],
  object: ["reasoning", "cache_control", "input_audio", "stream_options"],
  fields: [
    ...["model", "models", "stream", "background", "store", "instructions", "max_output_tokens", "max_tool_calls"],
    ...["previous_response_id", "conversation", "prompt", "id", "version", "service_tier", "type", "role", "text"],
    ...["file_id", "file_ids", "file_data", "file_url", "filename", "image_url", "image_file", "detail", "data"],
    ...["format", "name", "namespace", "description", "strict", "call_id", "encrypted_content", "refusal"],
    ...["temperature", "top_p", "top_logprobs", "tool_choice", "parallel_tool_calls", "include", "truncation", "user"],
    ...["safety_identifier", "prompt_cache_key", "prompt_cache_breakpoint", "effort", "verbosity", "status", "result"],
    ...[
      "action",
      "execution",
      "container",
      "vector_store_ids",
      "connector_id",
      "server_url",
      "moderation",
      "context_management",
    ],
    ...[
      "input_image_mask",
      "allowed_tools",
      "mode",
      "syntax",
      "definition",
      "environment",
      "search_context_size",
      "filters",
    ],
  ],
  callers: ["metadata", "annotations", "results", ...TOOL_VALUES, "env", "headers", "user_location"],
  named: ["variables"],
});
