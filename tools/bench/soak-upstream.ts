import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { CHUNK_TEXT, sendAnswer } from "./upstream-answers";

// The upstream of the soak that fails. Every third request for one of these models meets the fault of that name.

const FAULTY_OF = 3;
const CUT_AFTER_MS = 200;

type Fault = (response: ServerResponse) => void | Promise<void>;

const refuse = (response: ServerResponse, status: number, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ error: { message: `soak: status ${status}`, type: "server_error", code: null } }));
};

const faults: Record<string, Fault> = {
  "soak-reset": (response) => void response.socket?.resetAndDestroy(),
  "soak-cut": async (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const choices = [{ index: 0, delta: { content: CHUNK_TEXT }, finish_reason: null }];
    response.write(`data: ${JSON.stringify({ id: "soak", object: "chat.completion.chunk", choices })}\n\n`);
    await delay(CUT_AFTER_MS);
    response.socket?.resetAndDestroy();
  },
  "soak-500": (response) => refuse(response, 500),
  "soak-429": (response) => refuse(response, 429, { "retry-after": "1" }),
  // Nothing is said until the other side gives up.
  "soak-stall": () => {},
};

const asked = new Map<string, number>();
const met: Record<string, number> = {};

/** The fault that this request meets; null = none. */
function faultOf(model: string): Fault | null {
  const fault = faults[model];
  const count = (asked.get(model) ?? 0) + 1;
  asked.set(model, count);
  if (!fault || count % FAULTY_OF !== 0) return null;
  met[model] = (met[model] ?? 0) + 1;
  return fault;
}

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("error", () => {});
  response.on("error", () => {});
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const { model, stream } = JSON.parse(Buffer.concat(parts).toString()) as { model: string; stream?: boolean };
    const fault = faultOf(model);
    if (fault) return void fault(response);
    sendAnswer(response, { isStream: stream === true, isBulk: model === "bench-bulk" });
  });
});
server.keepAliveTimeout = 60_000;
server.listen(Number(process.env.PORT), "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});
process.on("message", () => process.send?.({ met }));

// Exits when the parent process does, however that one ended.
process.on("disconnect", () => process.exit(0));
