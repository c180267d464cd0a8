import type { OptionValues } from "@/lib/option/registry";

/** The site's options that a request to an upstream depends on. Always a snapshot's own object, never a copy. */
export type UpstreamOptions = Pick<
  OptionValues,
  | "MjAccountFilterEnabled"
  | "MjActionCheckSuccessEnabled"
  | "MjForwardUrlEnabled"
  | "MjModeClearEnabled"
  | "MjNotifyEnabled"
  | "WorkerUrl"
  | "WorkerValidKey"
  | "claude.default_max_tokens"
  | "claude.model_headers_settings"
  | "claude.thinking_adapter_enabled"
  | "claude.thinking_adapter_budget_tokens_percentage"
  | "models.rules"
  | "gemini.safety_settings"
  | "gemini.version_settings"
  | "gemini.thinking_adapter_enabled"
  | "gemini.thinking_adapter_budget_tokens_percentage"
>;
