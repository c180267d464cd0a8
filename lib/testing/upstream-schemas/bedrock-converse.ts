import { z } from "zod";

// ConverseRequest of bedrock-runtime 2023-09-30 as AWS publishes it, without what only other services fill in.

const bytes = z.base64().min(1);
const source = z.strictObject({ bytes });
const cachePoint = z.strictObject({ type: z.literal("default"), ttl: z.enum(["5m", "1h"]).optional() });
const text = z.string().regex(/\S/);
const image = z.strictObject({ format: z.enum(["png", "jpeg", "gif", "webp"]), source });
const document = z.strictObject({
  format: z.enum(["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"]),
  name: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[A-Za-z0-9()[\]-]+(?: [A-Za-z0-9()[\]-]+)*$/),
  source,
});
const video = z.strictObject({
  format: z.enum(["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"]),
  source,
});
const audio = z.strictObject({
  format: z.enum([
    ...["mp3", "opus", "wav", "aac", "flac", "mp4", "ogg", "mkv", "mka", "x-aac", "m4a", "mpeg", "mpga", "pcm", "webm"],
  ] as [string, ...string[]]),
  source,
});
const toolUseId = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const toolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const input = z.record(z.string(), z.unknown());
const toolUse = z.strictObject({ toolUseId, name: toolName, input });
const resultBlock = z.union([
  z.strictObject({ text }),
  z.strictObject({ json: input }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ video }),
]);
const toolResult = z.strictObject({
  toolUseId,
  content: z.array(resultBlock).min(1),
  status: z.enum(["success", "error"]).optional(),
});
const reasoningContent = z.union([
  z.strictObject({ reasoningText: z.strictObject({ text: z.string(), signature: z.string().optional() }) }),
  z.strictObject({ redactedContent: bytes }),
]);

const userBlock = z.union([
  z.strictObject({ text }),
  z.strictObject({ image }),
  z.strictObject({ document }),
  z.strictObject({ video }),
  z.strictObject({ audio }),
  z.strictObject({ toolResult }),
  z.strictObject({ cachePoint }),
]);
const assistantBlock = z.union([
  z.strictObject({ text }),
  z.strictObject({ toolUse }),
  z.strictObject({ reasoningContent }),
  z.strictObject({ cachePoint }),
]);
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("user"), content: z.array(userBlock).min(1) }),
  z.strictObject({ role: z.literal("assistant"), content: z.array(assistantBlock).min(1) }),
]);
type Message = z.infer<typeof message>;

const toolSpec = z.strictObject({
  name: toolName,
  description: z.string().min(1).optional(),
  inputSchema: z.strictObject({ json: z.looseObject({ type: z.literal("object") }) }),
  strict: z.boolean().optional(),
});
const toolChoice = z.union([
  z.strictObject({ auto: z.strictObject({}) }),
  z.strictObject({ any: z.strictObject({}) }),
  z.strictObject({ tool: z.strictObject({ name: toolName }) }),
]);

const request = z.strictObject({
  messages: z.array(message).min(1),
  system: z
    .array(z.union([z.strictObject({ text }), z.strictObject({ cachePoint })]))
    .min(1)
    .optional(),
  inferenceConfig: z
    .strictObject({
      maxTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(1).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(2_500).optional(),
    })
    .optional(),
  toolConfig: z
    .strictObject({ tools: z.array(z.strictObject({ toolSpec })).min(1), toolChoice: toolChoice.optional() })
    .optional(),
  additionalModelRequestFields: z.record(z.string(), z.unknown()).optional(),
  outputConfig: z
    .strictObject({
      textFormat: z.strictObject({
        type: z.literal("json_schema"),
        structure: z.strictObject({
          jsonSchema: z.strictObject({
            schema: z.string().refine(isJson),
            name: z.string().optional(),
            description: z.string().optional(),
          }),
        }),
      }),
    })
    .optional(),
});

/** A request of Converse, with the rules on turns that Bedrock answers with a ValidationException. */
export const converseRequest = request.superRefine(({ messages, toolConfig }, context) => {
  const fault = findFault(messages, toolConfig !== undefined);
  if (fault !== null) context.addIssue({ code: "custom", message: fault });
});

function findFault(messages: readonly Message[], hasTools: boolean): string | null {
  let open: string[] = [];
  for (const [at, { role, content }] of messages.entries()) {
    if (role !== (at % 2 === 0 ? "user" : "assistant")) return "roles must alternate between user and assistant";
    const results = content.flatMap((block) => ("toolResult" in block ? [block.toolResult.toolUseId] : []));
    if (results.toSorted().join() !== open.toSorted().join()) {
      return "Expected toolResult blocks for the toolUse blocks of the previous turn, and no others";
    }
    open = content.flatMap((block) => ("toolUse" in block ? [block.toolUse.toolUseId] : []));
    if ((open.length > 0 || results.length > 0) && !hasTools) return "The toolConfig field must be defined";
    const hasText = content.some((block) => "text" in block);
    if (content.some((block) => "document" in block) && !hasText) return "a text block is required beside a document";
    if (content.every((block) => "cachePoint" in block)) return "the content is empty";
  }
  const documents = messages.flatMap(({ content }) =>
    content.flatMap((block) => ("document" in block ? [block.document.name] : [])),
  );
  return new Set(documents).size === documents.length ? null : "duplicate document names";
}

function isJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}
