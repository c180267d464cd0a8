import { z } from "zod";

// Ollama's POST /api/chat, as its server's types and its official JavaScript client 0.6 declare it.
const base64 = z.base64().min(1);
const object = z.record(z.string(), z.unknown());
const name = z.string().min(1);

const call = z.strictObject({
  id: z.string().optional(),
  function: z.strictObject({ index: z.int().optional(), name, arguments: object }),
});

const message = z.union([
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: z.string(), images: z.array(base64).min(1).optional() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string(),
    thinking: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({
    role: z.literal("tool"),
    content: z.string(),
    images: z.array(base64).min(1).optional(),
    tool_name: name.optional(),
    tool_call_id: z.string().optional(),
  }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({ name, description: z.string().optional(), parameters: object }),
});

const options = z.strictObject({
  num_keep: z.int().optional(),
  num_ctx: z.int().min(1).optional(),
  num_predict: z.int().optional(),
  seed: z.int().optional(),
  top_k: z.int().optional(),
  top_p: z.number().optional(),
  min_p: z.number().optional(),
  typical_p: z.number().optional(),
  temperature: z.number().optional(),
  repeat_penalty: z.number().optional(),
  presence_penalty: z.number().optional(),
  frequency_penalty: z.number().optional(),
  stop: z.array(z.string()).min(1).optional(),
});

export const ollamaSchema = z.strictObject({
  model: name,
  messages: z.array(message).min(1),
  stream: z.boolean(),
  format: z.union([z.literal("json"), object]).optional(),
  keep_alive: z.union([z.string(), z.number()]).optional(),
  tools: z.array(tool).min(1).optional(),
  think: z.union([z.boolean(), z.enum(["low", "medium", "high"])]).optional(),
  options: options.optional(),
});
