/**
 * What OpenTelemetry's conventions for GenAI (their first release of their own, v0.1.0: the span gen_ai.client.inference) ask of
 * a span, by level of requirement, as far as a gateway can know it. Content (messages, instructions, tools) is opt-in
 * and never recorded here. The names are compared with those of the package of the conventions.
 */
export const INFERENCE_SPAN = {
  required: ["gen_ai.operation.name", "gen_ai.provider.name"],
  whereGiven: [
    "gen_ai.conversation.id",
    "gen_ai.output.type",
    "gen_ai.request.choice.count",
    "gen_ai.request.model",
    "gen_ai.request.seed",
    "gen_ai.request.stream",
    "gen_ai.request.top_k",
    "server.port",
  ],
  recommended: [
    "gen_ai.request.frequency_penalty",
    "gen_ai.request.max_tokens",
    "gen_ai.request.presence_penalty",
    "gen_ai.request.previous_response.id",
    "gen_ai.request.reasoning.level",
    "gen_ai.request.stop_sequences",
    "gen_ai.request.temperature",
    "gen_ai.request.top_p",
    "gen_ai.response.finish_reasons",
    "gen_ai.response.id",
    "gen_ai.response.model",
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.usage.audio.input_tokens",
    "gen_ai.usage.audio.output_tokens",
    "gen_ai.usage.cache_read.input_tokens",
    "gen_ai.usage.cache_write.input_tokens",
    "gen_ai.usage.input_tokens",
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.reasoning.output_tokens",
    "server.address",
  ],
} as const;

/** Names that came with v0.1.0, which the package does not have yet. */
export const NEWER_NAMES: ReadonlySet<string> = new Set([
  "gen_ai.request.previous_response.id",
  "gen_ai.request.reasoning.level",
  "gen_ai.usage.audio.input_tokens",
  "gen_ai.usage.audio.output_tokens",
  "gen_ai.usage.cache_write.input_tokens",
]);

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** The metrics of an inference by the same conventions: name, kind, unit, and the buckets that they ask for. */
export const INFERENCE_METRICS: readonly (readonly [string, "sum" | "histogram", string, (readonly number[])?])[] = [
  ["gen_ai.client.inference.duration", "histogram", "s", SECONDS],
  ["gen_ai.client.inference.time_to_first_chunk", "histogram", "s", SECONDS],
  ["gen_ai.client.inference.usage.input_tokens", "sum", "{token}"],
  ["gen_ai.client.inference.usage.output_tokens", "sum", "{token}"],
  ["gen_ai.client.inference.operation.input_tokens", "histogram", "{token}"],
  ["gen_ai.client.inference.operation.output_tokens", "histogram", "{token}"],
];
