import { z } from "zod";

/** The request body of Coze's chat, version 3: StreamChatReq of its SDK, with the types of messages that may be sent. */
const text = z.strictObject({ type: z.literal("text"), text: z.string().min(1) });
const byId = z.strictObject({ type: z.enum(["image", "file"]), file_id: z.string().regex(/^[\w-]{1,64}$/) });
const byAddress = z.strictObject({ type: z.enum(["image", "file"]), file_url: z.url({ protocol: /^https?$/ }) });

/** The parts of a message, as JSON: at most one text, and a picture or file. */
const parts = z
  .array(z.union([text, byId, byAddress]))
  .refine((items) => items.filter(({ type }) => type === "text").length <= 1, "more than one text")
  .refine((items) => items.some(({ type }) => type !== "text"), "only text");

const message = z.union([
  z.strictObject({
    role: z.enum(["user", "assistant"]),
    type: z.enum(["question", "answer"]).optional(),
    content: z.string().min(1),
    content_type: z.literal("text"),
    meta_data: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    role: z.literal("user"),
    type: z.literal("question").optional(),
    content: z.string().refine((content) => parts.safeParse(parseJson(content)).success, "not a list of parts"),
    content_type: z.literal("object_string"),
    meta_data: z.record(z.string(), z.string()).optional(),
  }),
]);

function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}

export const cozeRequest = z.strictObject({
  bot_id: z.string().regex(/^\d+$/),
  user_id: z.string().min(1),
  additional_messages: z
    .array(message)
    .min(1)
    .max(100)
    .refine((messages) => messages.at(-1)?.role === "user", "the last message is not the user's")
    .refine(
      (messages) =>
        messages.every(({ role, type }) => type === undefined || (role === "user") === (type === "question")),
      "role and type",
    ),
  stream: z.literal(true),
  auto_save_history: z.boolean().optional(),
  custom_variables: z.record(z.string(), z.string()).optional(),
  meta_data: z.record(z.string(), z.string()).optional(),
  extra_params: z.record(z.string(), z.string()).optional(),
  conversation_id: z.string().optional(),
});
