import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type Wire = "chat" | "responses" | "messages" | "gemini";
export type Json = Record<string, unknown>;
/** What it reports and writes: text, then calls of a tool. */
export type Script = {
  prompt: number;
  completion: number;
  text?: string;
  calls?: readonly { name: string; input: Json }[];
};
export type Asked = { wire: Wire; body: Json; isStream: boolean };

const WIRES: readonly [RegExp, Wire][] = [
  [/chat\/completions$/, "chat"],
  [/\/responses$/, "responses"],
  [/\/messages$/, "messages"],
  [/:(stream)?[gG]enerateContent/, "gemini"],
];

/** An upstream in four formats, whole and streamed, that reports what its script says of each request. */
export async function startScriptedUpstream() {
  let script: (asked: Asked) => Script = () => ({ prompt: 1, completion: 1 });
  const seen: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const asked = readAsked(request, Buffer.concat(parts));
      seen.push(asked);
      answer(response, asked, script(asked), seen.length);
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    script(next: typeof script): void {
      script = next;
      seen.length = 0;
    },
    close: () => new Promise<void>((done) => server.close(() => done())),
  };
}

function readAsked({ url = "" }: IncomingMessage, bytes: Buffer): Asked {
  const path = url.split("?")[0] ?? "";
  const wire = WIRES.find(([pattern]) => pattern.test(path))?.[1] ?? "chat";
  const body = JSON.parse(bytes.toString("utf8")) as Json;
  return { wire, body, isStream: body.stream === true || path.includes("stream") };
}

function answer(response: ServerResponse, { wire, isStream }: Asked, script: Script, number: number): void {
  response.writeHead(200, { "content-type": isStream ? "text/event-stream" : "application/json" });
  const whole = wholes[wire](script, number);
  response.end(isStream ? streams[wire](whole, script) : JSON.stringify(whole));
}

const data = (json: Json): string => `data: ${JSON.stringify(json)}\n\n`;
const event = (json: Json): string => `event: ${String(json.type)}\n${data(json)}`;

const wholes: Record<Wire, (script: Script, number: number) => Json> = {
  chat: ({ prompt, completion, text = "yes", calls = [] }) => {
    const tool_calls = calls.map(({ name, input }, at) => ({
      ...{ index: at, id: `call_${at}`, type: "function" },
      function: { name, arguments: JSON.stringify(input) },
    }));
    const message = { role: "assistant", content: text, ...(calls.length > 0 ? { tool_calls } : {}) };
    const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
    return { id: "c", object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage };
  },
  responses: ({ prompt, completion, text = "yes", calls = [] }, number) => {
    const content = [{ type: "output_text", text, annotations: [] }];
    const items = calls.map(({ name, input }, at) => ({
      ...{ id: `fc_${number}_${at}`, type: "function_call", call_id: `call_${at}`, name },
      arguments: JSON.stringify(input),
    }));
    const message = { id: `msg_${number}`, type: "message", role: "assistant", status: "completed", content };
    const usage = { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion };
    const output = [message, ...items];
    return { id: `resp_${number}`, object: "response", status: "completed", model: "m", output, usage };
  },
  messages: ({ prompt, completion, text = "yes", calls = [] }) => {
    const uses = calls.map(({ name, input }, at) => ({ type: "tool_use", id: `toolu_${at}`, name, input }));
    const usage = { input_tokens: prompt, output_tokens: completion };
    const head = { id: "m", type: "message", role: "assistant", model: "m", stop_reason: "end_turn" };
    return { ...head, content: [{ type: "text", text }, ...uses], usage };
  },
  gemini: ({ prompt, completion, text = "yes", calls = [] }) => {
    const parts = [{ text }, ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } }))];
    const usageMetadata = {
      promptTokenCount: prompt,
      candidatesTokenCount: completion,
      totalTokenCount: prompt + completion,
    };
    return { candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }], usageMetadata };
  },
};

const streams: Record<Wire, (whole: Json, script: Script) => string> = {
  chat: ({ choices, usage }) => {
    const [{ message }] = choices as [{ message: Json }];
    const chunk = (more: Json): string => data({ id: "c", object: "chat.completion.chunk", ...more });
    const { role: _, ...delta } = message;
    return [
      chunk({ choices: [{ index: 0, delta }] }),
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
      chunk({ choices: [], usage }),
      "data: [DONE]\n\n",
    ].join("");
  },
  responses: (whole, { text = "yes", calls = [] }) => {
    const begun = { ...whole, usage: null, status: "in_progress", output: [] };
    const written = calls.map(({ input }, at) =>
      event({ type: "response.function_call_arguments.delta", output_index: 1 + at, delta: JSON.stringify(input) }),
    );
    const items = (whole.output as Json[]).slice(1);
    const added = items.map((item, at) => event({ type: "response.output_item.added", output_index: 1 + at, item }));
    return [
      event({ type: "response.created", response: begun }),
      event({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: text }),
      ...added.flatMap((item, at) => [item, written[at] ?? ""]),
      event({ type: "response.completed", response: whole }),
    ].join("");
  },
  messages: (whole, { text = "yes", calls = [] }) => {
    const { usage, stop_reason, ...head } = whole;
    const { input_tokens, output_tokens } = usage as Json;
    const start = { ...head, content: [], stop_reason: null, usage: { input_tokens, output_tokens: 1 } };
    const block = (index: number, content_block: Json, delta: Json): string =>
      event({ type: "content_block_start", index, content_block }) +
      event({ type: "content_block_delta", index, delta }) +
      event({ type: "content_block_stop", index });
    const uses = calls.map(({ name, input }, at) => {
      const open = { type: "tool_use", id: `toolu_${at}`, name, input: {} };
      return block(1 + at, open, { type: "input_json_delta", partial_json: JSON.stringify(input) });
    });
    return [
      event({ type: "message_start", message: start }),
      block(0, { type: "text", text: "" }, { type: "text_delta", text }),
      ...uses,
      event({ type: "message_delta", delta: { stop_reason }, usage: { output_tokens } }),
      event({ type: "message_stop" }),
    ].join("");
  },
  gemini: (whole) => data(whole),
};
