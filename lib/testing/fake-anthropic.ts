import { createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { blocksOf, findFault, type MessagesRequest, ownTools } from "./fake-anthropic-schema";

export type AnthropicRequest = {
  headers: IncomingMessage["headers"];
  /** The parsed body; null = no JSON. */
  body: Record<string, unknown> | null;
  /** Status of the response. */
  status: number;
};

export type FakeAnthropic = {
  url: string;
  /** Every request received, in order. */
  requests: AnthropicRequest[];
  close: () => Promise<void>;
};

type Block =
  | { type: "text"; text: string }
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string }
  | { type: "tool_use"; id: string; name: string; input: object };
type Script = { content: Block[]; stop: string; cacheRead?: number; cacheWrite?: number };

const THOUGHT = "The user wants an answer. I look at what there is and answer.";
const REDACTED = "EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpPkNRj";
const SENTENCE = "The river runs through the weir, evenly and without a sound – größe 水.";
const INPUT_TOKENS = 12;
const OUTPUT_TOKENS = 25;

/** Anthropic's client sends the newer one since its version 1.0; that API version refuses sampling parameters. */
const VERSIONS = new Set(["2023-06-01", "2026-10-21"]);
const SAMPLING = ["temperature", "top_p", "top_k"];

const ERROR_TYPES = new Map([
  [400, "invalid_request_error"],
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [500, "api_error"],
  [529, "overloaded_error"],
]);

function sign(thinking: string): string {
  return createHmac("sha256", "fake-anthropic").update(thinking).digest("base64");
}

const isSigned = (thinking: string, signature: string): boolean => sign(thinking) === signature;

/**
 * Starts an upstream on loopback that is as strict as Anthropic's Messages API. The model's name selects the behaviour:
 * `claude-text` answers, `claude-tool` and `claude-parallel` call the first tool or the first two, `claude-thinking`
 * and `claude-thinking-tool` think first, `claude-redacted` has redacted thinking, `claude-image` reports how many
 * pictures and documents it received, `claude-cache` reports cache reads and writes, `claude-long` stops at its limit,
 * `claude-refusal` refuses, `claude-error-<status>` fails, `claude-stream-error` fails in the middle, `claude-cut`
 * closes the connection in the middle. A version or suffix may follow the name. The key `bad-key` is refused.
 */
export async function startFakeAnthropic(): Promise<FakeAnthropic> {
  const requests: AnthropicRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, requests).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeAllConnections();
      }),
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, requests: AnthropicRequest[]): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = parseJson(Buffer.concat(parts).toString("utf8"));
  const seen: AnthropicRequest = { headers: request.headers, body, status: 0 };
  requests.push(seen);
  const refused = refuse(request, body);
  if (refused) {
    seen.status = refused.status;
    sendError(response, refused.status, refused.message);
    return;
  }
  seen.status = 200;
  const asked = body as MessagesRequest;
  const { model } = asked;
  const script = write(asked);
  if (asked.stream) sendStream(response, model, script);
  else sendWhole(response, model, script);
}

function parseJson(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

type Refusal = { status: number; message: string };

function refuse(request: IncomingMessage, body: Record<string, unknown> | null): Refusal | null {
  const { "x-api-key": given, authorization = "", "anthropic-version": version } = request.headers;
  const key = given ?? authorization.replace(/^Bearer /, "");
  if (request.method !== "POST" || request.url?.split("?")[0] !== "/v1/messages") {
    return { status: 404, message: "Not found" };
  }
  if (key === "" || key === "bad-key") return { status: 401, message: "invalid x-api-key" };
  if (!VERSIONS.has(String(version))) return { status: 400, message: "anthropic-version: header is required" };
  if (!body) return { status: 400, message: "The request body is not valid JSON" };
  const fault = findFault(body, isSigned);
  if (fault !== null) return { status: 400, message: fault };
  const sampling = version === "2023-06-01" ? undefined : SAMPLING.find((name) => name in body);
  if (sampling !== undefined) return { status: 400, message: `${sampling}: Extra inputs are not permitted` };
  const model = String(body.model);
  const failing = /^claude-error-(\d{3})/.exec(model)?.[1];
  if (failing !== undefined) return { status: Number(failing), message: `failing with ${failing} as asked` };
  return KNOWN.test(model) ? null : { status: 404, message: `model: ${model}` };
}

const KNOWN =
  /^claude-(text|tool|parallel|thinking|thinking-tool|redacted|image|cache|long|refusal|stream-error|cut)(-\d|$)/;

function sendError(response: ServerResponse, status: number, message: string): void {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (status === 429) headers["retry-after"] = "1";
  response.writeHead(status, headers);
  const error = { type: ERROR_TYPES.get(status) ?? "api_error", message };
  response.end(JSON.stringify({ type: "error", error, request_id: `req_${randomUUID()}` }));
}

/** The response of the model. */
function write(asked: MessagesRequest): Script {
  const kind = asked.model.replace(/^claude-/, "").replace(/-\d.*$/, "");
  const text: Block = { type: "text", text: SENTENCE };
  const mayCall = asked.tool_choice?.type !== "none" && !endsInResults(asked);
  const calls = mayCall ? callsOf(asked) : [];
  const isThinking = asked.thinking !== undefined && asked.thinking.type !== "disabled";
  const thought: Block[] = isThinking ? [{ type: "thinking", thinking: THOUGHT, signature: sign(THOUGHT) }] : [];
  switch (kind) {
    case "tool":
      return calling([{ type: "text", text: "Let me look." }], calls.slice(0, 1));
    case "parallel":
      return calling(
        [],
        asked.tool_choice &&
          "disable_parallel_tool_use" in asked.tool_choice &&
          asked.tool_choice.disable_parallel_tool_use
          ? calls.slice(0, 1)
          : calls.slice(0, 2),
      );
    case "thinking":
      return { content: [...thought, text], stop: "end_turn" };
    case "thinking-tool":
      return calling(thought, calls.slice(0, 1));
    case "redacted":
      return { content: [{ type: "redacted_thinking", data: REDACTED }, text], stop: "end_turn" };
    case "image":
      return { content: [{ type: "text", text: describeMedia(asked) }], stop: "end_turn" };
    case "cache":
      return { content: [text], stop: "end_turn", cacheRead: 1_900, cacheWrite: 100 };
    case "long":
      return { content: [{ type: "text", text: "The river runs" }], stop: "max_tokens" };
    case "refusal":
      return { content: [{ type: "text", text: "I cannot help with that." }], stop: "refusal" };
    default:
      return { content: [text], stop: "end_turn" };
  }
}

function calling(before: Block[], calls: Block[]): Script {
  if (calls.length === 0) return { content: [...before, { type: "text", text: SENTENCE }], stop: "end_turn" };
  return { content: [...before, ...calls], stop: "tool_use" };
}

function endsInResults({ messages }: MessagesRequest): boolean {
  const last = messages.at(-1);
  return last !== undefined && blocksOf(last).some(({ type }) => type === "tool_result");
}

/** Calls each tool, with an argument for each of its properties. */
function callsOf({ tools = [] }: MessagesRequest): Block[] {
  return ownTools(tools).map(({ name, input_schema: schema }) => {
    const properties = (schema as { properties?: object }).properties ?? {};
    const input = Object.fromEntries(Object.keys(properties).map((key) => [key, `some ${key}`]));
    return { type: "tool_use", id: `toolu_${randomUUID().replaceAll("-", "")}`, name, input };
  });
}

function describeMedia({ messages }: MessagesRequest): string {
  const blocks = messages.flatMap((message) => [...blocksOf(message)]);
  const inside = blocks.flatMap((block) =>
    block.type === "tool_result" && Array.isArray(block.content) ? block.content : [block],
  );
  const count = (type: string): number => inside.filter((block) => block.type === type).length;
  return `${count("image")} pictures, ${count("document")} documents`;
}

function usageOf({ cacheRead = 0, cacheWrite = 0 }: Script, outputTokens: number) {
  return {
    input_tokens: INPUT_TOKENS,
    cache_creation_input_tokens: cacheWrite,
    cache_read_input_tokens: cacheRead,
    output_tokens: outputTokens,
  };
}

function sendWhole(response: ServerResponse, model: string, script: Script): void {
  const json = JSON.stringify({
    id: `msg_${randomUUID().replaceAll("-", "")}`,
    type: "message",
    role: "assistant",
    model,
    content: script.content,
    stop_reason: script.stop,
    stop_sequence: null,
    usage: usageOf(script, OUTPUT_TOKENS),
  });
  if (model.startsWith("claude-cut")) {
    response.writeHead(200, { "content-type": "application/json", "content-length": json.length + 10 });
    response.write(json.slice(0, 80), () => response.destroy());
    return;
  }
  response.writeHead(200, { "content-type": "application/json" });
  response.end(json);
}

function sendStream(response: ServerResponse, model: string, script: Script): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
  const send = (type: string, rest: object): boolean =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`);
  send("message_start", {
    message: {
      id: `msg_${randomUUID().replaceAll("-", "")}`,
      type: "message",
      role: "assistant",
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: usageOf(script, 1),
    },
  });
  for (const [index, block] of script.content.entries()) {
    const { start, deltas } = piecesOf(block);
    send("content_block_start", { index, content_block: start });
    if (index === 0) send("ping", {});
    for (const [at, delta] of deltas.entries()) {
      if (at === 2 && model.startsWith("claude-cut")) {
        response.write(`event: content_block_delta\ndata: ${JSON.stringify({ index, delta }).slice(0, 20)}`, () => {
          response.destroy();
        });
        return;
      }
      if (at === 2 && model.startsWith("claude-stream-error")) {
        send("error", { error: { type: "overloaded_error", message: "Overloaded" } });
        response.end();
        return;
      }
      send("content_block_delta", { index, delta });
    }
    send("content_block_stop", { index });
  }
  const { output_tokens: outputTokens } = usageOf(script, OUTPUT_TOKENS);
  send("message_delta", {
    delta: { stop_reason: script.stop, stop_sequence: null },
    usage: { output_tokens: outputTokens },
  });
  send("message_stop", {});
  response.end();
}

function piecesOf(block: Block): { start: object; deltas: object[] } {
  switch (block.type) {
    case "text":
      return {
        start: { type: "text", text: "" },
        deltas: cut(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        start: { type: "thinking", thinking: "", signature: "" },
        deltas: [
          ...cut(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking })),
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "redacted_thinking":
      return { start: block, deltas: [] };
    case "tool_use":
      return {
        start: { ...block, input: {} },
        deltas: ["", ...cut(JSON.stringify(block.input))].map((json) => ({
          type: "input_json_delta",
          partial_json: json,
        })),
      };
  }
}

function cut(text: string): string[] {
  return text.match(/[\s\S]{1,7}/gu) ?? [];
}
