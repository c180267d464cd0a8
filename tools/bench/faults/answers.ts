import type { Call } from "./fault";

// What the fake upstreams of the fault table send.

const PIECES = ["The", " river", " runs", " through", " the", " weir", ",", " evenly", " and", " slow", "ly", "."];
/** The whole text of every good answer. */
export const TEXT = PIECES.join("");
/** So many pieces are sent before an answer breaks off in the middle. */
const CUT_AFTER = 4;
const usage = { prompt_tokens: 12, completion_tokens: PIECES.length, total_tokens: 12 + PIECES.length };

export const DONE = "data: [DONE]\n\n";

export function frame(call: Call, choices: object[], more: object = {}): string {
  const head = {
    id: "chatcmpl-fault",
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: call.body.model,
  };
  return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`;
}

function delta(call: Call, value: object, finish: string | null = null): string {
  return frame(call, [{ index: 0, delta: value, finish_reason: finish }]);
}

export const roleFrame = (call: Call): string => delta(call, { role: "assistant", content: "" });

/** The pieces still to say: all of them, or those after what a last message of the assistant says already. */
function pieces({ body }: Call): string[] {
  const last = (body.messages as { role?: string; content?: unknown }[] | undefined)?.at(-1);
  const said = last?.role === "assistant" && typeof last.content === "string" ? last.content : "";
  return said !== "" && TEXT.startsWith(said) ? [TEXT.slice(said.length)] : PIECES;
}

export const contentFrames = (call: Call): string[] => pieces(call).map((content) => delta(call, { content }));

/** The role and the first pieces. */
export const beginning = (call: Call): string => roleFrame(call) + contentFrames(call).slice(0, CUT_AFTER).join("");

/** The pieces that `beginning` leaves out. */
export const restOfText = (call: Call): string => contentFrames(call).slice(CUT_AFTER).join("");

export const finishFrame = (call: Call): string => delta(call, {}, "stop");

export function usageFrame(call: Call): string {
  const options = call.body.stream_options as { include_usage?: boolean } | undefined;
  return options?.include_usage ? frame(call, [], { usage }) : "";
}

/** Finish reason, usage and terminal marker. */
export const ending = (call: Call): string => finishFrame(call) + usageFrame(call) + DONE;

export function wholeBody({ body }: Call): string {
  const call = { body } as Call;
  const message = { role: "assistant", content: pieces(call).join("") };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const head = { id: "chatcmpl-fault", object: "chat.completion", created: 1_700_000_000, model: body.model };
  return JSON.stringify({ ...head, choices, usage });
}

export function openStream({ response }: Call, contentType = "text/event-stream"): void {
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-cache" });
  response.flushHeaders();
}

export function sendJson({ response }: Call, status: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** A good answer. */
export function answer(call: Call): void {
  if (!call.isStream) {
    sendJson(call, 200, wholeBody(call));
    return;
  }
  openStream(call);
  call.response.end(roleFrame(call) + contentFrames(call).join("") + ending(call));
}

export function refuse(call: Call, status: number, headers: Record<string, string> = {}): void {
  const error = { message: `fault: status ${status}`, type: "server_error", param: null, code: null };
  sendJson(call, status, JSON.stringify({ error }), headers);
}

/** Sends the first part of an answer (of a stream, `beginning`) and leaves it open. Resolves when it is on its way. */
export async function sendPart(call: Call, streamed: string = beginning(call)): Promise<void> {
  if (call.isStream) {
    openStream(call);
    return write(call, streamed);
  }
  const text = wholeBody(call);
  call.response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  return write(call, text.slice(0, text.length / 2));
}

export function write({ response }: Call, text: string): Promise<void> {
  return new Promise((done) => void response.write(text, () => done()));
}
