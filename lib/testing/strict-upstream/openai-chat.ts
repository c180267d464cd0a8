import { z } from "zod";
import { findRootFault, OPENAI_ROOT } from "../tool-schema-rules";
import { findShapeFault, findStrictFault, OpenCalls } from "./fault";
import { type Asked, COMPLETION_TOKENS, type Format, PROMPT_TOKENS, piecesOf, type Turn } from "./turn";

// OpenAI's chat completions. Unknown fields are errors there, so also here.

const text = z.strictObject({ type: z.literal("text"), text: z.string() });
const image = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({
    url: z.string().regex(/^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+=*$)/),
    detail: z.enum(["auto", "low", "high"]).optional(),
  }),
});
const audio = z.strictObject({
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: z.base64(), format: z.enum(["wav", "mp3"]) }),
});
/** Only PDF, and with its name, or one that was uploaded: https://developers.openai.com/api/docs/guides/file-inputs */
const file = z.strictObject({
  type: z.literal("file"),
  file: z.union([
    z.strictObject({
      filename: z.string().min(1),
      file_data: z.string().regex(/^data:application\/pdf;base64,[A-Za-z0-9+/]+=*$/),
    }),
    z.strictObject({ file_id: z.string().startsWith("file-") }),
  ]),
});
const refusal = z.strictObject({ type: z.literal("refusal"), refusal: z.string() });
const texts = z.union([z.string(), z.array(text).min(1)]);
const name = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
const call = z.strictObject({
  id: z.string().min(1).max(64),
  type: z.literal("function"),
  // OpenAI's client adds what it has parsed, and sends it back.
  function: z.strictObject({ name, arguments: z.string(), parsed_arguments: z.unknown().optional() }),
});
const message = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal(["system", "developer"]), content: texts, name: z.string().optional() }),
  z.strictObject({
    role: z.literal("user"),
    content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, image, audio, file])).min(1)]),
    name: z.string().optional(),
  }),
  z
    .strictObject({
      role: z.literal("assistant"),
      content: z.union([z.string(), z.array(z.discriminatedUnion("type", [text, refusal])).min(1)]).nullish(),
      refusal: z.string().nullish(),
      name: z.string().optional(),
      tool_calls: z.array(call).min(1).optional(),
      // What the client of OpenAI sends back of an answer, and what models that think want back.
      audio: z.null().optional(),
      annotations: z.array(z.unknown()).optional(),
      parsed: z.unknown().optional(),
      reasoning_content: z.string().nullish(),
      reasoning_details: z.array(z.unknown()).optional(),
    })
    .refine(({ content, tool_calls: calls, refusal: no }) => calls || no || typeof content === "string" || content, {
      error: "content or tool_calls must be given",
    }),
  z.strictObject({
    role: z.literal("tool"),
    content: texts,
    tool_call_id: z.string().min(1).max(64),
    // LangChain sends it.
    name: z.string().optional(),
  }),
]);
const tool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name,
    description: z.string().max(16_384).optional(),
    parameters: z.looseObject({ type: z.literal("object") }).optional(),
    strict: z.boolean().nullish(),
  }),
});
const format = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal(["text", "json_object"]) }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name,
      description: z.string().optional(),
      schema: z.looseObject({}).optional(),
      strict: z.boolean().nullish(),
    }),
  }),
]);
const webSearch = z.strictObject({
  search_context_size: z.enum(["low", "medium", "high"]).optional(),
  user_location: z
    .strictObject({
      type: z.literal("approximate"),
      approximate: z.strictObject({
        ...{ city: z.string().optional(), country: z.string().length(2).optional() },
        ...{ region: z.string().optional(), timezone: z.string().optional() },
      }),
    })
    .nullish(),
});
const count = z.int().min(1).nullish();
export const chatRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: count,
  max_completion_tokens: count,
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  n: z.int().min(1).max(128).nullish(),
  seed: z.int().nullish(),
  stop: z.union([z.string(), z.array(z.string()).min(1).max(4)]).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  logit_bias: z.record(z.string(), z.number()).nullish(),
  user: z.string().optional(),
  store: z.boolean().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  service_tier: z.string().nullish(),
  reasoning_effort: z.enum(["none", "minimal", "low", "medium", "high", "xhigh"]).nullish(),
  verbosity: z.enum(["low", "medium", "high"]).nullish(),
  prompt_cache_key: z.string().optional(),
  safety_identifier: z.string().optional(),
  web_search_options: webSearch.optional(),
  response_format: format.optional(),
  tools: z.array(tool).min(1).max(128).optional(),
  tool_choice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.strictObject({ type: z.literal("function"), function: z.strictObject({ name }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
});
type Request = z.infer<typeof chatRequest>;
type Content = Request["messages"][number]["content"];

function read(json: unknown): Asked | string {
  const fault = findShapeFault(chatRequest, json);
  if (fault !== null) return fault;
  const asked = json as Request;
  return findConflict(asked) ?? findTurnFault(asked) ?? toAsked(asked);
}

const THINKS = /^(gpt-5|o\d)/;

function findConflict({ model, max_tokens: max, tool_choice: choice, tools, ...rest }: Request): string | null {
  if (THINKS.test(model) && typeof max === "number") return "max_tokens: use 'max_completion_tokens' with this model";
  if (choice && choice !== "none" && !tools) return "tool_choice: only allowed when 'tools' are specified";
  if (rest.parallel_tool_calls !== undefined && !tools) return "parallel_tool_calls: only allowed with 'tools'";
  if (rest.stream_options && !rest.stream) return "stream_options: only allowed when 'stream' is set";
  for (const { function: own } of tools ?? []) {
    const root = own.parameters && findRootFault(own.parameters, OPENAI_ROOT);
    const fault = root ?? (own.strict === true ? findStrictFault(own.parameters, own.name) : null);
    if (fault !== null) return fault;
  }
  const wanted = rest.response_format?.type === "json_schema" ? rest.response_format.json_schema : null;
  return wanted?.strict === true ? findStrictFault(wanted.schema, wanted.name) : null;
}

function findTurnFault({ messages }: Request): string | null {
  const open = new OpenCalls();
  for (const [i, message] of messages.entries()) {
    const at = `messages.${i}`;
    const fault = message.role === "tool" ? open.result(message.tool_call_id, at) : open.expectNone(at);
    if (fault !== null) return fault;
    if (message.role === "assistant") for (const { id } of message.tool_calls ?? []) open.call(id);
  }
  return open.expectNone("messages");
}

type Part = Exclude<Content, string | null | undefined>[number];
const partsOf = (content: Content): readonly Part[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : (content ?? []);
const textOf = (content: Content) => partsOf(content).flatMap((part) => (part.type === "text" ? [part.text] : []));

function toAsked({ messages, tools = [], tool_choice: choice, ...rest }: Request): Asked {
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  const wanted = rest.response_format?.type === "json_schema" ? rest.response_format.json_schema : null;
  const ofRole = (role: string) => messages.filter((message) => message.role === role);
  return {
    format: "openai-chat",
    model: rest.model,
    isStream: rest.stream === true,
    isThinking: typeof rest.reasoning_effort === "string" && rest.reasoning_effort !== "none",
    system: [...ofRole("system"), ...ofRole("developer")].flatMap(({ content }) => textOf(content)).join("\n"),
    prompt: textOf(messages[lastUser]?.content).join("\n"),
    tools: tools.map(({ function: own }) => ({ name: own.name, schema: own.parameters ?? {} })),
    forced: forcedOf(choice),
    schema: wanted?.schema ?? null,
    results: messages.flatMap(({ role, content }) => (role === "tool" ? [textOf(content).join()] : [])),
    images: messages.flatMap(({ content }) => partsOf(content)).filter(({ type }) => type === "image_url").length,
  };
}

function forcedOf(choice: Request["tool_choice"]): string | null {
  if (choice === "none") return "";
  return typeof choice === "object" ? choice.function.name : null;
}

const USAGE = {
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: COMPLETION_TOKENS,
  total_tokens: PROMPT_TOKENS + COMPLETION_TOKENS,
};
const finishOf = ({ calls }: Turn) => (calls?.length ? "tool_calls" : "stop");
const callsOf = ({ calls = [] }: Turn) =>
  calls.map(({ name, input }, i) => {
    const id = `call_${i}_${Math.random().toString(36).slice(2, 10)}`;
    return { id, type: "function", function: { name, arguments: JSON.stringify(input) } };
  });

function renderWhole(turn: Turn, { model }: Asked): object {
  const calls = callsOf(turn);
  const message = {
    role: "assistant",
    content: turn.text ?? null,
    refusal: null,
    ...(turn.thought === undefined ? {} : { reasoning_content: turn.thought }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finishOf(turn) }];
  return { id: "chatcmpl-strict", object: "chat.completion", created: 1_750_000_000, model, choices, usage: USAGE };
}

function renderStream(turn: Turn, { model }: Asked) {
  const chunk = (rest: object) =>
    `data: ${JSON.stringify({ id: "chatcmpl-strict", object: "chat.completion.chunk", created: 1_750_000_000, model, ...rest })}\n\n`;
  const delta = (delta: object, reason: string | null = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });
  const calls = callsOf(turn).flatMap(({ function: { name, arguments: values }, ...rest }, index) => [
    delta({ tool_calls: [{ index, ...rest, function: { name, arguments: "" } }] }),
    ...piecesOf(values).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
  ]);
  const events = [
    delta({ role: "assistant", content: turn.text === undefined ? null : "", refusal: null }),
    ...piecesOf(turn.thought ?? "").map((piece) => delta({ reasoning_content: piece })),
    ...piecesOf(turn.text ?? "").map((piece) => delta({ content: piece })),
    ...calls,
    delta({}, finishOf(turn)),
    chunk({ choices: [], usage: USAGE }),
    "data: [DONE]\n\n",
  ];
  return { events, again: delta({ content: turn.text ?? "" }) };
}

const TYPES = new Map([
  [401, "invalid_request_error"],
  [429, "rate_limit_error"],
  [400, "invalid_request_error"],
]);

export const openaiChat: Format = {
  id: "openai-chat",
  path: /^\/v1\/chat\/completions$/,
  read,
  renderWhole,
  renderStream,
  renderError: (status, message) => ({
    error: { message, type: TYPES.get(status) ?? "server_error", param: null, code: null },
  }),
};
