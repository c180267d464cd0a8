import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { anthropicMessages } from "./anthropic-messages";
import { geminiGenerateContent } from "./gemini";
import { openaiChat } from "./openai-chat";
import { type Asked, answerAsAsked, type Format, type Turn } from "./turn";

export type { Asked, Turn } from "./turn";
export { COMPLETION_TOKENS, PROMPT_TOKENS, SENTENCE, THOUGHT } from "./turn";

export type StrictUpstream = {
  url: string;
  /** What was asked, in order, of requests that were understood. */
  asked: Asked[];
  /** Why requests were refused. Empty = all kept to their provider's schema. */
  faults: string[];
  /** Answers that were not read to their end. */
  aborts: () => number;
  close: () => Promise<void>;
};

type Server = Omit<StrictUpstream, "url" | "close" | "aborts"> & { script: (asked: Asked) => Turn };

const formats: readonly Format[] = [openaiChat, anthropicMessages, geminiGenerateContent];
const ENDLESS_MS = 5;

/**
 * Starts an upstream on loopback that speaks OpenAI's chat completions, Anthropic's messages and Google's
 * generateContent, each as strictly as its provider. A request that the provider would refuse gets 400, and is kept
 * among the faults.
 */
export async function startStrictUpstream(script: (asked: Asked) => Turn = answerAsAsked): Promise<StrictUpstream> {
  const state: Server = { asked: [], faults: [], script };
  let aborts = 0;
  const server = createServer((request, response) => {
    response.once("close", () => {
      if (!response.writableFinished) aborts += 1;
    });
    serve(request, response, state).catch((error: unknown) => {
      state.faults.push(String(error));
      response.destroy();
    });
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: state.asked,
    faults: state.faults,
    aborts: () => aborts,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function serve(request: IncomingMessage, response: ServerResponse, state: Server): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const { url = "" } = request;
  const [path = ""] = url.split("?");
  const format = formats.find((one) => one.path.test(path));
  if (!format) {
    state.faults.push(`${request.method} ${url} is not served`);
    return send(response, 404, {});
  }
  const asked = readBody(format, Buffer.concat(parts).toString("utf8"), url);
  if (typeof asked === "string") {
    state.faults.push(`${format.id}: ${asked}`);
    return send(response, 400, format.renderError(400, asked));
  }
  state.asked.push(asked);
  const turn = state.script(asked);
  const { status } = turn;
  if (status !== undefined)
    return send(response, status, format.renderError(status, `failing with ${status} as asked`));
  if (!asked.isStream) return send(response, 200, format.renderWhole(turn, asked));
  await stream(response, format, turn, asked);
}

function readBody(format: Format, text: string, url: string): Asked | string {
  try {
    return format.read(JSON.parse(text), url);
  } catch (error) {
    return `the body is no JSON: ${error}`;
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

async function stream(response: ServerResponse, format: Format, turn: Turn, asked: Asked): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  const { events, again } = format.renderStream(turn, asked);
  if (!turn.isEndless) return void response.end(events.join(""));
  const start = events.findIndex((event) => event.includes(JSON.stringify(turn.text?.slice(0, 5)).slice(1, -1)));
  response.write(events.slice(0, start).join(""));
  while (!response.destroyed) {
    response.write(again);
    await delay(ENDLESS_MS);
  }
}
