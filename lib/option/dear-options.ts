/**
 * Fields and headers of requests that upstreams charge for beyond the price of the model, and that an operator can allow:
 * those that the tables in lib/relay/wire/dialects refuse or take out (docs/request-options.md).
 */
export const DEAR_OPTIONS: readonly string[] = [
  "anthropic-beta",
  "cache_control",
  "cachedContent",
  "container",
  "enable_search",
  "fallbacks",
  "inference_geo",
  "modalities",
  "plugins",
  "priority",
  "prompt",
  "provider",
  "route",
  "routingConfig",
  "search_options",
  "search_parameters",
  "service_tier",
  "speed",
  "svg",
  "tools",
  "web_search_options",
];
