import { isFilledObject, type Json, readObject } from "../../canonical/json";
import { InvalidRequest } from "../../canonical/wire-error";
import type { ClientDialect } from "../dialect";
import { foldName } from "./known-names";

/**
 * Fields of no API, by which LiteLLM and other gateways behind a channel would be told to ask another address or model,
 * with another key, or at another price (docs.litellm.ai/docs/proxy/clientside_auth).
 */
const CONTROLS = new Set([
  ...["api_base", "base_url", "api_key", "api_version", "api_type", "organization", "custom_llm_provider"],
  ...[
    "user_config",
    "model_list",
    "model_info",
    "base_model",
    "deployment_id",
    "specific_deployment",
    "router_settings",
  ],
  ...["fallbacks", "default_fallbacks", "context_window_fallbacks", "content_policy_fallbacks"],
  ...["context_window_fallback_dict", "model_alias_map", "allowed_model_region", "region_name"],
  ...["extra_body", "extra_headers", "extra_query", "headers", "default_headers", "provider_specific_header"],
  ...["use_litellm_proxy", "use_in_pass_through", "proxy_server_request", "secret_fields", "mock_response"],
  ...["mock_tool_calls", "mock_timeout", "callbacks", "success_callback", "failure_callback", "no-log", "client"],
  ...["s3_endpoint_url", "sagemaker_base_url", "deployment_url", "turn_off_message_logging", "hf_model_name"],
]);
const PREFIX =
  /^(?:litellm_|aws_|vertex_|azure_|watsonx_|langfuse_|langsmith_|gcs_|input_cost_per_|output_cost_per_|cache_(?:creation|read)_input_token_cost)/;

/** All that Google's address for chat requests reads of thinking (ai.google.dev/gemini-api/docs/openai). */
const THINKING = new Set(["thinking_budget", "thinking_level", "include_thoughts"]);

const LOWER_CASE = /^[a-z0-9_]*$/;

/** Throws InvalidRequest for the first of these names that is given, in any case. */
export function refuseControls(json: Json, { names, options }: Pick<ClientDialect, "names" | "options">): void {
  for (const name in json) {
    if ((names.known.has(name) && !CONTROLS.has(name)) || json[name] === null) continue;
    const lower = LOWER_CASE.test(name) ? name : foldName(name);
    if (!CONTROLS.has(lower) && !PREFIX.test(lower)) continue;
    if (name === "extra_body" && names.known.has(name) && isGoogleThinking(json[name])) continue;
    // A field of this API, which has a rule of its own.
    if (options.some((rule) => rule.becomes === "refused" && rule.param === name)) continue;
    throw new InvalidRequest(
      `${name.slice(0, 100)} is no field of this API, and would give orders to the upstream`,
      name.slice(0, 100),
    );
  }
}

/** Whether there is nothing in it but how Gemini shall think. */
function isGoogleThinking(extraBody: unknown): boolean {
  const config = onlyField(onlyField(extraBody, "google"), "thinking_config");
  if (!isFilledObject(config)) return false;
  return Object.entries(readObject(config)).every(([name, value]) => THINKING.has(name) && typeof value !== "object");
}

function onlyField(value: unknown, name: string): unknown {
  const object = readObject(value);
  return Object.keys(object).length === 1 ? object[name] : undefined;
}
