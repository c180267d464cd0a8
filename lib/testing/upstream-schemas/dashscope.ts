import { z } from "zod";

/** The request bodies of Alibaba's native generation API. https://help.aliyun.com/zh/model-studio/qwen-api-via-dashscope */
const functionCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal("function"),
  index: z.int().min(0).optional(),
  function: z.strictObject({ name: z.string().regex(/^[\w-]{1,64}$/), arguments: z.string() }),
});

const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: z.string().regex(/^[\w-]{1,64}$/),
    description: z.string().optional(),
    parameters: z.record(z.string(), z.unknown()).optional(),
  }),
});

const responseFormat = z.union([
  z.strictObject({ type: z.enum(["text", "json_object"]) }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string().regex(/^[\w-]{1,64}$/),
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().optional(),
    }),
  }),
]);

const parameters = z
  .strictObject({
    result_format: z.enum(["text", "message"]),
    incremental_output: z.boolean().optional(),
    max_tokens: z.int().min(1).optional(),
    temperature: z.number().min(0).lt(2).optional(),
    top_p: z.number().gt(0).max(1).optional(),
    top_k: z.int().min(0).optional(),
    repetition_penalty: z.number().gt(0).optional(),
    presence_penalty: z.number().min(-2).max(2).optional(),
    stop: z.union([z.string(), z.array(z.string())]).optional(),
    seed: z
      .int()
      .min(0)
      .max(2 ** 31 - 1)
      .optional(),
    n: z.int().min(1).max(4).optional(),
    tools: z.array(tool).min(1).optional(),
    tool_choice: z
      .union([
        z.enum(["auto", "none", "required"]),
        z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string().min(1) }) }),
      ])
      .optional(),
    parallel_tool_calls: z.boolean().optional(),
    response_format: responseFormat.optional(),
    enable_thinking: z.boolean().optional(),
    thinking_budget: z.int().min(0).optional(),
    enable_search: z.boolean().optional(),
    logprobs: z.boolean().optional(),
    top_logprobs: z.int().min(0).max(5).optional(),
  })
  .refine(({ tools, tool_choice: choice }) => tools !== undefined || choice === undefined, "tool_choice without tools");

const media = z.union([
  z.strictObject({ text: z.string() }),
  z.strictObject({ image: z.string().regex(/^(https?:|data:image\/)/) }),
  z.strictObject({ audio: z.string().regex(/^(https?:|data:audio\/)/) }),
]);

function messages<Content extends z.ZodType, Filled extends z.ZodType>(content: Content, filled: Filled) {
  return z
    .array(
      z.discriminatedUnion("role", [
        z.strictObject({ role: z.literal("system"), content }),
        z.strictObject({ role: z.literal("user"), content: filled }),
        z.strictObject({
          role: z.literal("assistant"),
          content,
          tool_calls: z.array(functionCall).min(1).optional(),
          partial: z.boolean().optional(),
        }),
        z.strictObject({ role: z.literal("tool"), content, tool_call_id: z.string().min(1) }),
      ]),
    )
    .min(1);
}

const text = z.strictObject({
  model: z.string().min(1),
  input: z.strictObject({ messages: messages(z.string(), z.string().min(1)) }),
  parameters,
});

const multimodal = z.strictObject({
  model: z.string().min(1),
  input: z.strictObject({ messages: messages(z.array(media), z.array(media).min(1)) }),
  parameters,
});

export const dashscopeRequest = z.union([text, multimodal]);
