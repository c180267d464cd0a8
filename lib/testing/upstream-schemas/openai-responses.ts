import { z } from "zod";
import { findRootFault, OPENAI_ROOT } from "../tool-schema-rules";

// OpenAI's Responses API as the types of its client (openai 7) publish it.

const inputText = z.strictObject({ type: z.literal("input_text"), text: z.string() });
const inputImage = z
  .strictObject({
    type: z.literal("input_image"),
    detail: z.enum(["low", "high", "auto", "original"]).optional(),
    file_id: z.string().startsWith("file-").nullish(),
    image_url: z.string().min(1).nullish(),
  })
  .refine(({ file_id: id, image_url: url }) => (id == null) !== (url == null), "one of file_id and image_url");
const inputFile = z.strictObject({
  type: z.literal("input_file"),
  file_data: z.string().startsWith("data:").optional(),
  file_id: z.string().startsWith("file-").nullish(),
  file_url: z.url().optional(),
  filename: z.string().optional(),
});
const inputs = z.array(z.union([inputText, inputImage, inputFile])).min(1);
const outputText = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()).optional(),
  logprobs: z.array(z.unknown()).optional(),
});
const refusal = z.strictObject({ type: z.literal("refusal"), refusal: z.string() });
const status = z.enum(["in_progress", "completed", "incomplete"]).optional();
const type = z.literal("message").optional();
/** Longer ids of calls are refused. */
const callId = z.string().min(1).max(64);

const item = z.union([
  z.strictObject({
    type,
    role: z.enum(["user", "system", "developer"]),
    content: z.union([z.string(), inputs]),
    status,
  }),
  z.strictObject({
    type,
    id: z.string().optional(),
    role: z.literal("assistant"),
    content: z.union([z.string(), z.array(z.union([outputText, refusal]))]),
    status,
    phase: z.enum(["commentary", "final_answer"]).nullish(),
  }),
  z.strictObject({
    type: z.literal("function_call"),
    id: z.string().optional(),
    call_id: callId,
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    namespace: z.string().optional(),
    arguments: z.string(),
    status,
  }),
  z.strictObject({
    type: z.literal("function_call_output"),
    id: z.string().nullish(),
    call_id: callId,
    output: z.union([z.string(), inputs]),
    status,
  }),
  z.strictObject({
    type: z.literal("reasoning"),
    id: z.string().optional(),
    summary: z.array(z.strictObject({ type: z.literal("summary_text"), text: z.string() })),
    content: z.array(z.strictObject({ type: z.literal("reasoning_text"), text: z.string() })).optional(),
    encrypted_content: z.string().nullish(),
    status,
  }),
]);

const tool = z.strictObject({
  type: z.literal("function"),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  description: z.string().nullish(),
  parameters: z
    .record(z.string(), z.unknown())
    .refine((schema) => findRootFault(schema, OPENAI_ROOT) === null, "alternatives at the top level")
    .nullish(),
  strict: z.boolean().nullish(),
});

const domains = z
  .array(z.string().regex(/^[^/]+$/))
  .min(1)
  .max(100)
  .nullish();
const webSearch = z.strictObject({
  type: z.enum(["web_search", "web_search_2025_08_26"]),
  external_web_access: z.boolean().optional(),
  filters: z.strictObject({ allowed_domains: domains, blocked_domains: domains }).nullish(),
  search_context_size: z.enum(["low", "medium", "high"]).optional(),
  user_location: z
    .strictObject({
      type: z.literal("approximate").optional(),
      ...{ city: z.string().nullish(), country: z.string().length(2).nullish() },
      ...{ region: z.string().nullish(), timezone: z.string().nullish() },
    })
    .nullish(),
});

const format = z.union([
  z.strictObject({ type: z.enum(["text", "json_object"]) }),
  z.strictObject({
    type: z.literal("json_schema"),
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    schema: z.record(z.string(), z.unknown()),
    description: z.string().optional(),
    strict: z.boolean().nullish(),
  }),
]);

export const responsesRequest = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().nullish(),
  include: z
    .array(z.enum(["reasoning.encrypted_content", "message.output_text.logprobs", "web_search_call.action.sources"]))
    .nullish(),
  max_output_tokens: z.int().min(16).nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  prompt_cache_key: z.string().nullish(),
  reasoning: z
    .strictObject({
      effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).nullish(),
      summary: z.enum(["auto", "concise", "detailed"]).nullish(),
    })
    .nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.enum(["auto", "default", "flex", "priority"]).nullish(),
  store: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  text: z
    .strictObject({ format: format.optional(), verbosity: z.enum(["low", "medium", "high"]).nullish() })
    .optional(),
  tool_choice: z
    .union([
      z.enum(["none", "auto", "required"]),
      z.strictObject({ type: z.literal("function"), name: z.string().min(1) }),
      z.strictObject({ type: z.literal("web_search") }),
    ])
    .optional(),
  tools: z.array(z.union([tool, webSearch])).optional(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  truncation: z.enum(["auto", "disabled"]).nullish(),
  user: z.string().optional(),
});
