import { knownNames, TOOL_VALUES } from "../common/known-names";

/** What Weir reads of a chat request. */
export const names = knownNames({
  objects: ["messages", "tools", "tool_calls", "functions", "reasoning_details", "images"],
  parts: ["content"],
  object: [
    ...["stream_options", "cache_control", "function", "input_audio", "file", "audio", "web_search_options"],
    ...["response_format", "json_schema", "prediction"],
  ],
  switch: ["web_search"],
  fields: [
    ...["model", "models", "stream", "include_usage", "max_tokens", "max_completion_tokens", "n", "modalities"],
    ...["service_tier", "priority", "speed", "inference_geo", "search_parameters", "enable_search", "search_options"],
    ...["plugins", "route", "provider", "ttl", "reasoning_effort", "reasoning", "thinking", "enable_thinking"],
    ...[
      "verbosity",
      "prompt_cache_key",
      "user",
      "role",
      "type",
      "text",
      "image_url",
      "url",
      "detail",
      "data",
      "b64_json",
      "format",
    ],
    ...["file_id", "file_data", "filename", "name", "tool_choice", "strict", "description"],
    ...["temperature", "top_p", "top_k", "stop", "seed", "frequency_penalty", "presence_penalty", "logprobs"],
    ...["top_logprobs", "parallel_tool_calls", "function_call", "tool_call_id", "refusal", "reasoning_content"],
    ...["signature", "id", "prompt", "echo", "best_of", "suffix", "effort", "budget_tokens"],
    ...["video_url", "audio_url", "custom", "input", "thread", "store", "voice", "enabled"],
    ...["extra_body", "google", "thinking_config", "thinking_budget", "thinking_level", "include_thoughts"],
  ],
  callers: ["metadata", "annotations", "logit_bias", ...TOOL_VALUES],
});
