import { z } from "zod";
import { findClaudeStrictFault, findRootFault } from "./tool-schema-rules";

// The request format of the Messages API as Anthropic publishes it. Unknown fields are errors there, so also here.

const cacheControl = z.strictObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();
/** "text content blocks must contain non-whitespace text": https://github.com/anthropics/claude-code/issues/5565 */
const filled = z.string().regex(/\S/);
const text = z.strictObject({
  type: z.literal("text"),
  text: filled,
  cache_control: cacheControl,
  citations: z.array(z.unknown()).nullish(),
});
const base64 = z.base64().min(1);
const image = z.strictObject({
  type: z.literal("image"),
  source: z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("base64"),
      media_type: z.enum(["image/jpeg", "image/png", "image/gif", "image/webp"]),
      data: base64,
    }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
    z.strictObject({ type: z.literal("file"), file_id: z.string().startsWith("file_") }),
  ]),
  cache_control: cacheControl,
});
const document = z.strictObject({
  type: z.literal("document"),
  source: z.discriminatedUnion("type", [
    z.strictObject({ type: z.literal("base64"), media_type: z.literal("application/pdf"), data: base64 }),
    z.strictObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
    z.strictObject({ type: z.literal("content"), content: z.union([z.string(), z.array(z.union([text, image]))]) }),
    z.strictObject({ type: z.literal("url"), url: z.url() }),
    z.strictObject({ type: z.literal("file"), file_id: z.string().startsWith("file_") }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.strictObject({ enabled: z.boolean().optional() }).nullish(),
  cache_control: cacheControl,
});
const toolId = z.string().regex(/^[a-zA-Z0-9_-]+$/);
const toolUse = z.strictObject({
  type: z.literal("tool_use"),
  id: toolId,
  name: z.string().min(1),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});
const toolResult = z.strictObject({
  type: z.literal("tool_result"),
  tool_use_id: toolId,
  content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, document]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control: cacheControl,
});
const thinking = z.strictObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() });
const redacted = z.strictObject({ type: z.literal("redacted_thinking"), data: z.string() });

const message = z.discriminatedUnion("role", [
  z.strictObject({
    role: z.literal("user"),
    content: z.union([filled, z.array(z.discriminatedUnion("type", [text, image, document, toolResult])).min(1)]),
  }),
  z.strictObject({
    role: z.literal("assistant"),
    content: z.union([filled, z.array(z.discriminatedUnion("type", [text, toolUse, thinking, redacted])).min(1)]),
  }),
]);

const tool = z.strictObject({
  type: z.literal("custom").nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal("object") }),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  cache_control: cacheControl,
});

const domains = z
  .array(z.string().regex(/^[^/]+(\/.*)?$/))
  .min(1)
  .nullish();
const webSearch = z
  .strictObject({
    type: z.enum(["web_search_20250305", "web_search_20260209"]),
    name: z.literal("web_search"),
    max_uses: z.int().min(1).nullish(),
    allowed_domains: domains,
    blocked_domains: domains,
    user_location: z
      .strictObject({
        type: z.literal("approximate"),
        ...{ city: z.string().nullish(), country: z.string().length(2).nullish() },
        ...{ region: z.string().nullish(), timezone: z.string().nullish() },
      })
      .nullish(),
    cache_control: cacheControl,
  })
  .refine(
    (one) => !one.allowed_domains || !one.blocked_domains,
    "allowed_domains and blocked_domains exclude each other",
  );

const isSingle = z.boolean().optional();

export const messagesRequest = z.strictObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(message).min(1),
  system: z.union([z.string(), z.array(text)]).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string().regex(/\S/)).optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(["auto", "standard_only"]).optional(),
  thinking: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("enabled"), budget_tokens: z.int().min(1_024), display: z.string().nullish() }),
      z.strictObject({ type: z.literal("adaptive"), display: z.string().nullish() }),
      z.strictObject({ type: z.literal("disabled") }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      effort: z.enum(["low", "medium", "high", "xhigh", "max"]).nullish(),
      format: z.strictObject({ type: z.literal("json_schema"), schema: z.looseObject({}) }).nullish(),
    })
    .optional(),
  tools: z.array(z.union([tool, webSearch])).optional(),
  tool_choice: z
    .discriminatedUnion("type", [
      z.strictObject({ type: z.literal("auto"), disable_parallel_tool_use: isSingle }),
      z.strictObject({ type: z.literal("any"), disable_parallel_tool_use: isSingle }),
      z.strictObject({ type: z.literal("tool"), name: z.string(), disable_parallel_tool_use: isSingle }),
      z.strictObject({ type: z.literal("none") }),
    ])
    .optional(),
});

export type MessagesRequest = z.infer<typeof messagesRequest>;
export type Block = Exclude<MessagesRequest["messages"][number]["content"], string>[number];

type Tools = NonNullable<MessagesRequest["tools"]>;

/** The tools that the caller runs. */
export function ownTools(tools: Tools): Extract<Tools[number], { input_schema: unknown }>[] {
  return tools.filter((one) => "input_schema" in one);
}

/** The blocks of a message; a text becomes one block. */
export function blocksOf({ content }: MessagesRequest["messages"][number]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** The error Anthropic would report for a request; null = none. `isSigned`: whether the signature belongs to this thinking. */
export function findFault(json: unknown, isSigned: (thinking: string, signature: string) => boolean): string | null {
  const { success, data, error } = messagesRequest.safeParse(json);
  if (!success) {
    const [issue] = error.issues;
    return `${issue?.path.join(".")}: ${issue?.message}`;
  }
  return findConflict(data) ?? findTurnFault(data, isSigned);
}

function findConflict({ thinking, max_tokens: max, ...rest }: MessagesRequest): string | null {
  const { temperature, top_p: topP, top_k: topK, tool_choice: choice, tools } = rest;
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  const schemas = ownTools(tools ?? []).map(({ strict, input_schema: schema }) => {
    return findRootFault(schema) ?? (strict === true ? findClaudeStrictFault(schema) : null);
  });
  const wrong = schemas.find((fault) => fault !== null);
  if (wrong) return `tools: ${wrong}`;
  if (choice && !tools?.length) return "tool_choice: may only be specified while providing `tools`";
  if (choice?.type === "tool" && !tools?.some(({ name }) => name === choice.name)) {
    return `tool_choice: tool '${choice.name}' not found in provided tools`;
  }
  if (temperature !== undefined && topP !== undefined) return "`temperature` and `top_p` cannot both be specified";
  if (!isThinking) return null;
  if (thinking.type === "enabled" && thinking.budget_tokens >= max) return "`max_tokens` must exceed `budget_tokens`";
  if (temperature !== undefined && temperature !== 1) return "`temperature` may only be 1 when thinking is enabled";
  if (topK !== undefined) return "`top_k` must be unset when thinking is enabled";
  if (choice?.type === "any" || choice?.type === "tool")
    return "Thinking may not be enabled when tool_choice forces tool use";
  return null;
}

function findTurnFault(
  { messages, tools, thinking }: MessagesRequest,
  isSigned: (thinking: string, signature: string) => boolean,
): string | null {
  if (messages[0]?.role !== "user") return 'messages: first message must use the "user" role';
  let open = new Set<string>();
  for (const [i, message] of messages.entries()) {
    const blocks = blocksOf(message);
    if (open.size > 0 || blocks.some(({ type }) => type === "tool_result")) {
      const fault = findResultFault(blocks, open, i);
      if (fault) return fault;
    }
    open = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.id] : [])));
    if (open.size > 0 && !tools?.length)
      return "Requests which include `tool_use` or `tool_result` blocks must define tools";
    for (const block of blocks) {
      if (block.type === "thinking" && !isSigned(block.thinking, block.signature)) {
        return `messages.${i}.content: Invalid \`signature\` in \`thinking\` block`;
      }
    }
  }
  if (open.size > 0) return "messages: `tool_use` ids were found without `tool_result` blocks immediately after";
  const last = messages.at(-1);
  if (last?.role === "assistant" && /\s$/.test(textOf(blocksOf(last).at(-1)))) {
    return "messages: final assistant content cannot end with trailing whitespace";
  }
  return thinking && thinking.type !== "disabled" ? findLostThinking(messages) : null;
}

function textOf(block: Block | undefined): string {
  return block?.type === "text" ? block.text : "";
}

function findResultFault(blocks: readonly Block[], open: ReadonlySet<string>, at: number): string | null {
  const results = blocks.flatMap((block) => (block.type === "tool_result" ? [block.tool_use_id] : []));
  const stray = results.find((id) => !open.has(id));
  if (stray !== undefined)
    return `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}`;
  const missing = [...open].find((id) => !results.includes(id));
  if (missing !== undefined) {
    return `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing}`;
  }
  const isFirst = blocks.slice(0, results.length).every(({ type }) => type === "tool_result");
  return isFirst ? null : `messages.${at}: \`tool_result\` blocks must come first`;
}

/** After the last user message, an assistant turn with tool calls must begin with its thinking. */
function findLostThinking(messages: MessagesRequest["messages"]): string | null {
  const lastUser = messages.findLastIndex(
    (message) => message.role === "user" && !blocksOf(message).some(({ type }) => type === "tool_result"),
  );
  for (const [i, message] of messages.entries()) {
    if (i <= lastUser || message.role !== "assistant") continue;
    const first = blocksOf(message)[0]?.type;
    if (first !== "thinking" && first !== "redacted_thinking") {
      return `messages.${i}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\``;
    }
  }
  return null;
}
