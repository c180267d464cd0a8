import { z } from "zod";

// Cohere's Chat API v2, as its official TypeScript client 8.1 declares it.
const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const filled = z.string().min(1);

const picture = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({
    url: z.string().regex(/^(https?:\/\/|data:image\/[a-z+.-]+;base64,)/),
    detail: z.enum(["auto", "low", "high"]).optional(),
  }),
});

const call = z.strictObject({
  id: filled,
  type: z.literal("function"),
  function: z.strictObject({ name: filled, arguments: z.string().refine(isJsonObject) }),
});

const assistant = z
  .strictObject({
    role: z.literal("assistant"),
    content: z
      .union([filled, z.array(z.union([text, z.strictObject({ type: z.literal("thinking"), thinking: z.string() })]))])
      .optional(),
    tool_plan: filled.optional(),
    tool_calls: z.array(call).min(1).optional(),
  })
  .refine(({ content, tool_calls: calls }) => content !== undefined || calls !== undefined, "an empty message");

const message = z.union([
  z.strictObject({ role: z.literal("system"), content: z.union([filled, z.array(text).min(1)]) }),
  z.strictObject({ role: z.literal("user"), content: z.union([filled, z.array(z.union([text, picture])).min(1)]) }),
  assistant,
  z.strictObject({ role: z.literal("tool"), tool_call_id: filled, content: z.union([filled, z.array(text).min(1)]) }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: filled,
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()),
  }),
});

type Message = z.infer<typeof message>;

export const cohereSchema = z
  .strictObject({
    model: filled,
    messages: z.array(message).min(1).refine(answersCalls, "a result without its call"),
    stream: z.boolean().optional(),
    tools: z.array(tool).min(1).optional(),
    strict_tools: z.boolean().optional(),
    tool_choice: z.enum(["REQUIRED", "NONE"]).optional(),
    response_format: z
      .union([
        z.strictObject({ type: z.literal("text") }),
        z.strictObject({ type: z.literal("json_object"), json_schema: z.record(z.string(), z.unknown()).optional() }),
      ])
      .optional(),
    safety_mode: z.enum(["CONTEXTUAL", "STRICT", "OFF"]).optional(),
    max_tokens: z.int().min(1).optional(),
    stop_sequences: z.array(z.string()).max(5).optional(),
    temperature: z.number().min(0).optional(),
    seed: z.int().min(0).optional(),
    frequency_penalty: z.number().min(0).max(1).optional(),
    presence_penalty: z.number().min(0).max(1).optional(),
    k: z.int().min(0).max(500).optional(),
    p: z.number().min(0.01).max(0.99).optional(),
    logprobs: z.boolean().optional(),
    thinking: z
      .strictObject({ type: z.enum(["enabled", "disabled"]), token_budget: z.int().min(1).optional() })
      .optional(),
  })
  .refine(({ tools, tool_choice: choice }) => choice !== "REQUIRED" || tools !== undefined, "REQUIRED needs tools")
  .refine(({ tools, response_format: format }) => !tools || format?.type !== "json_object", "JSON beside tools")
  .refine(({ tools, safety_mode: mode }) => !tools || mode === undefined, "a safety mode beside tools");

function isJsonObject(value: string): boolean {
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  } catch {
    return false;
  }
}

/** Whether every result of a tool follows the message with its call. */
function answersCalls(messages: readonly Message[]): boolean {
  let open: string[] = [];
  return messages.every((given) => {
    if (given.role === "tool") return open.includes(given.tool_call_id);
    open = given.role === "assistant" ? (given.tool_calls ?? []).map(({ id }) => id) : [];
    return true;
  });
}
