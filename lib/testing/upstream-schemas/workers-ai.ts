import { z } from "zod";

// The input of text generation at POST /ai/run, as Cloudflare's @cloudflare/workers-types 5 declares it; messages as
// Cloudflare's own provider for the AI SDK sends them.
const name = z.string().min(1);
const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const picture = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: z.string().regex(/^data:image\/[a-z+.-]+;base64,/) }),
});

const call = z.strictObject({
  id: name,
  type: z.literal("function"),
  function: z.strictObject({ name, arguments: z.string() }),
});

const message = z.union([
  z.strictObject({ role: z.literal("system"), content: z.string() }),
  z.strictObject({ role: z.literal("user"), content: z.union([z.string(), z.array(z.union([text, picture])).min(1)]) }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.string(),
    reasoning: z.string().optional(),
    tool_calls: z.array(call).min(1).optional(),
  }),
  z.strictObject({ role: z.literal("tool"), content: z.string(), name: name.optional(), tool_call_id: name }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({ name, description: z.string(), parameters: z.looseObject({ type: z.string() }) }),
});

export const workersAiSchema = z.strictObject({
  messages: z.array(message).min(1),
  stream: z.boolean().optional(),
  raw: z.boolean().optional(),
  max_tokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(5).optional(),
  top_p: z.number().min(0.001).max(1).optional(),
  top_k: z.int().min(1).max(50).optional(),
  seed: z.int().min(1).max(9_999_999_999).optional(),
  repetition_penalty: z.number().min(0).max(2).optional(),
  frequency_penalty: z.number().min(-2).max(2).optional(),
  presence_penalty: z.number().min(-2).max(2).optional(),
  stop: z.union([z.string(), z.array(z.string()).min(1)]).optional(),
  reasoning_effort: z.enum(["low", "medium", "high"]).optional(),
  response_format: z
    .strictObject({ type: z.enum(["json_object", "json_schema"]), json_schema: z.unknown().optional() })
    .optional(),
  tools: z.array(tool).min(1).optional(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.strictObject({ type: z.literal("function"), function: z.strictObject({ name }) }),
    ])
    .optional(),
});
