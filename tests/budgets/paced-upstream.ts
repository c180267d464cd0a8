import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CHUNK_TEXT, WHOLE_TEXT } from "@/tools/bench/upstream-answers";

const usage = { prompt_tokens: 200, completion_tokens: 300, total_tokens: 500 };
const whole = JSON.stringify({
  id: "chatcmpl-counted",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "counted",
  choices: [{ index: 0, message: { role: "assistant", content: WHOLE_TEXT }, finish_reason: "stop" }],
  usage,
});

function frame(choices: object[], more: object = {}): string {
  const head = { id: "chatcmpl-counted", object: "chat.completion.chunk", created: 1_700_000_000, model: "counted" };
  return `data: ${JSON.stringify({ ...head, choices, ...more })}\n\n`;
}

const chunk = frame([{ index: 0, delta: { content: CHUNK_TEXT }, finish_reason: null }]);
const tail = `${frame([{ index: 0, delta: {}, finish_reason: "stop" }])}${frame([], { usage })}data: [DONE]\n\n`;

/** Statuses that the upstream refuses with, by the model that is asked for. */
const refusals: Record<string, number> = { "refused-400": 400 };

/**
 * An upstream that speaks chat completions. It sends the next piece of a stream only when it is told to, so that each
 * arrives alone, however busy the machine is.
 */
export async function startPacedUpstream() {
  let chunks = 0;
  let open: { response: ServerResponse; left: number } | null = null;

  function sendNext(): void {
    if (open === null) return;
    const { response, left } = open;
    open.left -= 1;
    if (left > 0) return void response.write(chunk);
    open = null;
    response.end(tail);
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { model, stream } = JSON.parse(Buffer.concat(parts).toString("utf8")) as {
        model: string;
        stream?: boolean;
      };
      const refused = refusals[model];
      if (refused !== undefined) {
        const body = JSON.stringify({ error: { message: "no", type: "refused", code: "refused" } });
        response.writeHead(refused, { "content-type": "application/json", "content-length": body.length }).end(body);
      } else if (stream) {
        response.writeHead(200, { "content-type": "text/event-stream" });
        open = { response, left: chunks };
        sendNext();
      } else {
        response.writeHead(200, { "content-type": "application/json", "content-length": whole.length }).end(whole);
      }
    });
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Streams have so many pieces from now on, beside their end. */
    setChunks(count: number): void {
      chunks = count;
    },
    sendNext,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
