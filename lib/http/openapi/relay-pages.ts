import { MODALITIES } from "@/lib/billing/modality";
import { BUDGET_PERIODS } from "@/lib/limit/budget-periods";
import type { JsonSchema } from "./types";

const text = { type: "string" };
const count = { type: "integer", minimum: 0 };
const amount = { type: "number", description: "Money" };
const moment = { type: "string", format: "date-time" };
const decimal = { type: "string", description: "USD, as a decimal number" };
const modalities = { type: "array", items: { type: "string", enum: [...MODALITIES] } };
const object = (required: readonly string[], properties: Record<string, unknown>): JsonSchema => ({
  type: "object",
  required: [...required],
  properties,
  additionalProperties: true,
});

const details = {
  mode: { ...text, description: "Kind of the model, as LiteLLM names it: chat, embedding, image_generation …" },
  context_length: count,
  max_output_tokens: count,
  architecture: object([], { modality: text, input_modalities: modalities, output_modalities: modalities }),
  top_provider: object([], {
    context_length: { type: ["integer", "null"] },
    max_completion_tokens: { type: ["integer", "null"] },
    is_moderated: { type: "boolean" },
  }),
  pricing: {
    ...object([], {
      prompt: decimal,
      completion: decimal,
      request: decimal,
      input_cache_read: decimal,
      input_cache_write: decimal,
      audio: decimal,
      audio_output: decimal,
      meters: { type: "object", additionalProperties: decimal },
    }),
    description: "USD of a token, or of a request, in the group of the key; meters: USD of a unit",
  },
};

const budget = object(["scope", "period", "is_used_up", "resets_at"], {
  scope: { type: "string", enum: ["key", "account"] },
  period: { type: "string", enum: [...BUDGET_PERIODS] },
  limit: { ...amount, description: "Of the key alone" },
  remaining: { ...amount, description: "Of the key alone" },
  is_used_up: { type: "boolean" },
  resets_at: moment,
});

const rate = object(["scope", "of", "limit", "remaining", "interval_seconds", "reset_seconds"], {
  scope: { type: "string", enum: ["key", "account"] },
  of: { type: "string", enum: ["requests", "tokens"] },
  limit: count,
  remaining: count,
  interval_seconds: count,
  reset_seconds: count,
});

/** What the relay tells of models and of a key. */
export const pageSchemas: Record<string, JsonSchema> = {
  ListedModel: object(["id", "object", "created", "owned_by"], {
    id: text,
    object: { type: "string", const: "model" },
    created: { type: "integer" },
    owned_by: text,
    permission: { type: "array", items: {} },
    root: text,
    parent: { type: "null" },
    ...details,
  }),
  KeyInformation: object(["data"], {
    data: object(["label", "balance", "usage", "budgets", "rate_limits"], {
      label: { ...text, description: "The key's beginning and end" },
      balance: {
        ...amount,
        description: "What its next requests can cost: the account's balance, within the key's limit",
      },
      limit: { type: ["number", "null"], description: "Limit of the key in money; null = none" },
      limit_remaining: { type: ["number", "null"] },
      usage: { ...amount, description: "What the key has spent" },
      quota_per_unit: { type: "number" },
      expires_at: { type: ["string", "null"] },
      group: text,
      models: { type: ["array", "null"], items: text, description: "null = all of the group" },
      operations: { type: ["array", "null"], items: text, description: "null = all" },
      budgets: { type: "array", items: budget },
      rate_limits: { type: "array", items: rate },
      concurrency_limit: { type: ["integer", "null"] },
    }),
  }),
};
