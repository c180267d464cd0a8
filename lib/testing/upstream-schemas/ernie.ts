import { z } from "zod";

/** The request body of Baidu's Wenxin Workshop chat, version 1. https://cloud.baidu.com/doc/WENXINWORKSHOP/s/clntwmv7t */
const functionCall = z.strictObject({
  name: z.string().min(1),
  arguments: z.string(),
  thoughts: z.string().optional(),
});

const notBlank = z.string().regex(/\S/);

const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content: notBlank }),
  z
    .strictObject({ role: z.literal("assistant"), content: z.string(), function_call: functionCall.optional() })
    .refine(({ content, function_call: call }) => call !== undefined || content !== "", "content is empty"),
  z.strictObject({ role: z.literal("function"), name: z.string().min(1), content: notBlank }),
]);

type Message = z.infer<typeof message>;

/** The user, or a function that was called, at odd places; the model at even ones. */
function takesTurns(messages: readonly Message[]): boolean {
  const isInPlace = messages.every((one, at) => (at % 2 === 0) === (one.role !== "assistant"));
  return messages.length % 2 === 1 && messages[0]?.role === "user" && isInPlace;
}

/** The result of a function follows its call. */
function answersCalls(messages: readonly Message[]): boolean {
  return messages.every((one, at) => {
    const before = messages[at - 1];
    return one.role !== "function" || (before?.role === "assistant" && before.function_call?.name === one.name);
  });
}

const schema = z.looseObject({ type: z.literal("object"), properties: z.record(z.string(), z.unknown()) });

export const ernieRequest = z
  .strictObject({
    messages: z
      .array(message)
      .min(1)
      .refine(takesTurns, "the roles do not take turns")
      .refine(answersCalls, "a function was not called"),
    functions: z
      .array(
        z.strictObject({
          name: z.string().regex(/^[\w-]{1,64}$/),
          description: z.string().min(1),
          parameters: schema,
          responses: z.record(z.string(), z.unknown()).optional(),
          examples: z.array(z.array(message)).optional(),
        }),
      )
      .min(1)
      .optional(),
    tool_choice: z
      .strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string().min(1) }) })
      .optional(),
    temperature: z.number().gt(0).max(1).optional(),
    top_p: z.number().min(0).max(1).optional(),
    penalty_score: z.number().min(1).max(2).optional(),
    stream: z.boolean().optional(),
    system: z.string().min(1).optional(),
    stop: z.array(z.string().max(20)).max(4).optional(),
    disable_search: z.boolean().optional(),
    enable_citation: z.boolean().optional(),
    enable_trace: z.boolean().optional(),
    max_output_tokens: z.int().min(2).optional(),
    response_format: z.enum(["json_object", "text"]).optional(),
    user_id: z.string().optional(),
  })
  .refine(({ system, functions }) => system === undefined || functions === undefined, "system beside functions");
