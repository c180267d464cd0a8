const NOVA = /\bnova-/;
const NOVA_THINKS = /\bnova-2-/;

/** Models with structured outputs in Converse. */
const WITH_SCHEMA = /claude|qwen|deepseek|mistral|ministral|magistral|gemma|nemotron|minimax|kimi|gpt-oss/;

export function isNova(model: string): boolean {
  return NOVA.test(model);
}

/** How a model is asked to think. */
export function thinkingField(model: string): "nova" | "effort" | null {
  if (NOVA_THINKS.test(model)) return "nova";
  return /gpt-oss/.test(model) ? "effort" : null;
}

export function takesSchema(model: string): boolean {
  return WITH_SCHEMA.test(model);
}

/** Other models refuse a cache point. */
export function takesCachePoints(model: string): boolean {
  return NOVA.test(model) || /claude/.test(model);
}
