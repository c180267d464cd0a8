import { createHmac, randomUUID } from "node:crypto";
import { blocksOf, findFault, type MessagesRequest, ownTools } from "../fake-anthropic-schema";
import { type Asked, COMPLETION_TOKENS, type Format, PROMPT_TOKENS, piecesOf, type Turn } from "./turn";

// Anthropic's messages, with the schema of the other fake.

const sign = (thinking: string): string => createHmac("sha256", "strict").update(thinking).digest("base64");

function read(json: unknown): Asked | string {
  const fault = findFault(json, (thinking, signature) => sign(thinking) === signature);
  return fault ?? toAsked(json as MessagesRequest);
}

function toAsked({ messages, system = "", tools = [], tool_choice: choice, ...rest }: MessagesRequest): Asked {
  const isUsers = (message: MessagesRequest["messages"][number]) =>
    message.role === "user" && !blocksOf(message).every(({ type }) => type === "tool_result");
  const lastUser = messages.findLastIndex(isUsers);
  const user = messages[lastUser];
  const blocks = messages.flatMap((message) => [...blocksOf(message)]);
  const inside = blocks.flatMap((block) =>
    block.type === "tool_result" && Array.isArray(block.content) ? block.content : [block],
  );
  return {
    format: "anthropic-messages",
    model: rest.model,
    isStream: rest.stream === true,
    isThinking: rest.thinking !== undefined && rest.thinking.type !== "disabled",
    system: typeof system === "string" ? system : system.map(({ text }) => text).join("\n"),
    prompt: (user ? blocksOf(user) : []).flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n"),
    tools: ownTools(tools).map(({ name, input_schema: schema }) => ({ name, schema })),
    forced: choice?.type === "none" ? "" : choice?.type === "tool" ? choice.name : null,
    schema: rest.output_config?.format?.schema ?? null,
    results: blocks.flatMap(resultsOf),
    images: inside.filter(({ type }) => type === "image").length,
  };
}

function resultsOf(block: ReturnType<typeof blocksOf>[number]): string[] {
  if (block.type !== "tool_result") return [];
  const { content = "" } = block;
  if (typeof content === "string") return [content];
  return [content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")];
}

const USAGE = {
  input_tokens: PROMPT_TOKENS,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: COMPLETION_TOKENS,
};
const stopOf = ({ calls }: Turn) => (calls?.length ? "tool_use" : "end_turn");
const idOf = (kind: string) => `${kind}_${randomUUID().replaceAll("-", "").slice(0, 24)}`;

function blocks({ thought, text, calls = [] }: Turn) {
  return [
    ...(thought === undefined ? [] : [{ type: "thinking" as const, thinking: thought, signature: sign(thought) }]),
    ...(text === undefined ? [] : [{ type: "text" as const, text }]),
    ...calls.map(({ name, input }) => ({ type: "tool_use" as const, id: idOf("toolu"), name, input })),
  ];
}

function renderWhole(turn: Turn, { model }: Asked): object {
  const id = idOf("msg");
  const rest = { stop_reason: stopOf(turn), stop_sequence: null, usage: USAGE };
  return { id, type: "message", role: "assistant", model, content: blocks(turn), ...rest };
}

const event = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`;

function renderStream(turn: Turn, { model }: Asked) {
  const usage = { ...USAGE, output_tokens: 1 };
  const head = { type: "message", role: "assistant", model, content: [], stop_reason: null, stop_sequence: null };
  const events = [
    event("message_start", { message: { id: idOf("msg"), ...head, usage } }),
    event("ping", {}),
    ...blocks(turn).flatMap((block, index) => [
      event("content_block_start", { index, content_block: emptied(block) }),
      ...deltasOf(block).map((delta) => event("content_block_delta", { index, delta })),
      event("content_block_stop", { index }),
    ]),
    event("message_delta", { delta: { stop_reason: stopOf(turn), stop_sequence: null }, usage: USAGE }),
    event("message_stop", {}),
  ];
  return { events, again: event("content_block_delta", { index: 0, delta: { type: "text_delta", text: turn.text } }) };
}

type Block = ReturnType<typeof blocks>[number];

function emptied(block: Block): object {
  if (block.type === "tool_use") return { ...block, input: {} };
  return block.type === "text" ? { ...block, text: "" } : { ...block, thinking: "", signature: "" };
}

function deltasOf(block: Block): object[] {
  switch (block.type) {
    case "text":
      return piecesOf(block.text).map((text) => ({ type: "text_delta", text }));
    case "thinking": {
      const told = piecesOf(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      return [...told, { type: "signature_delta", signature: block.signature }];
    }
    case "tool_use":
      return ["", ...piecesOf(JSON.stringify(block.input))].map((json) => ({
        type: "input_json_delta",
        partial_json: json,
      }));
  }
}

const TYPES = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [429, "rate_limit_error"],
]);

export const anthropicMessages: Format = {
  id: "anthropic-messages",
  path: /^\/v1\/messages$/,
  read,
  renderWhole,
  renderStream,
  renderError: (status, message) => ({
    type: "error",
    error: { type: TYPES.get(status) ?? "api_error", message },
    request_id: idOf("req"),
  }),
};
