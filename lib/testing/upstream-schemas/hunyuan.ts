import { z } from "zod";

/** The request body of Tencent Hunyuan's ChatCompletions, version 2023-09-01. https://cloud.tencent.com/document/product/1729/105701 */
const name = z.string().regex(/^[\w-]+$/);

/** JSON text of an object. */
const parameters = z.string().refine((text) => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}, "no JSON");

const tool = z.strictObject({
  Type: z.literal("function"),
  Function: z.strictObject({ Name: name, Parameters: parameters, Description: z.string().optional() }),
});

const call = z.strictObject({
  Id: z.string().min(1),
  Type: z.literal("function"),
  Function: z.strictObject({ Name: name, Arguments: z.string() }),
  Index: z.int().min(0).optional(),
});

const content = z.union([
  z.strictObject({ Type: z.literal("text"), Text: z.string().min(1) }),
  z.strictObject({
    Type: z.literal("image_url"),
    ImageUrl: z.strictObject({ Url: z.string().regex(/^(https?:\/\/|data:image\/\w+;base64,)/) }),
  }),
]);

const contents = z
  .array(content)
  .refine(
    (parts) => ["text", "image_url"].every((type) => parts.some(({ Type }) => Type === type)),
    "text and picture",
  );

const filled = z.string().min(1);

const message = z.discriminatedUnion("Role", [
  z.strictObject({ Role: z.literal("system"), Content: filled }),
  z
    .strictObject({ Role: z.literal("user"), Content: filled.optional(), Contents: contents.optional() })
    .refine(({ Content, Contents }) => (Content === undefined) !== (Contents === undefined), "Content or Contents"),
  z.strictObject({ Role: z.literal("assistant"), Content: filled, ToolCalls: z.array(call).min(1).optional() }),
  z.strictObject({ Role: z.literal("tool"), Content: filled, ToolCallId: z.string().min(1) }),
]);

/** [system] user assistant user|tool… assistant …, ending with the side of the user. */
function takesTurns(messages: readonly z.infer<typeof message>[]): boolean {
  const order = messages.map(({ Role }) => Role[0]).join("");
  return /^s?u(a(u|t+))*$/.test(order);
}

export const hunyuanRequest = z
  .strictObject({
    Model: z.string().min(1),
    Messages: z.array(message).min(1).max(40).refine(takesTurns, "the roles do not take turns"),
    Stream: z.boolean().optional(),
    StreamModeration: z.boolean().optional(),
    TopP: z.number().min(0).max(1).optional(),
    Temperature: z.number().min(0).max(2).optional(),
    EnableEnhancement: z.boolean().optional(),
    Tools: z.array(tool).min(1).optional(),
    ToolChoice: z.enum(["none", "auto", "custom"]).optional(),
    CustomTool: tool.optional(),
    Seed: z.int().min(1).max(10_000).optional(),
    Stop: z.array(z.string()).optional(),
    EnableThinking: z.boolean().optional(),
  })
  .refine(({ ToolChoice, CustomTool }) => (ToolChoice === "custom") === (CustomTool !== undefined), "CustomTool");
