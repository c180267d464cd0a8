import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream that answers, keeps requests until `release`, or fails, and counts them. At first it answers. */
export type HeldUpstream = {
  url: string;
  held: () => number;
  /** The most held at any time since the last `hold`. */
  most: () => number;
  /** Requests that arrived since the last `forget`. */
  count: () => number;
  forget: () => void;
  hold: () => void;
  /** Answers everything with 500. */
  fail: () => void;
  /** Answers what is held, and again everything at once. */
  release: () => void;
  close: () => Promise<void>;
};

/** What each answer reports. */
export const USED = { prompt: 10, completion: 1 } as const;

const answer = JSON.stringify({
  id: "chatcmpl-held",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "held",
  choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
  usage: {
    prompt_tokens: USED.prompt,
    completion_tokens: USED.completion,
    total_tokens: USED.prompt + USED.completion,
  },
});

export async function startHeldUpstream(): Promise<HeldUpstream> {
  const held = new Set<ServerResponse>();
  let most = 0;
  let count = 0;
  let mode: "answer" | "hold" | "fail" = "answer";
  const send = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  };
  const server = createServer((request, response) => {
    request.resume();
    count += 1;
    if (mode === "answer") return send(response);
    if (mode === "fail") return void response.writeHead(500).end('{"error":{"message":"down"}}');
    held.add(response);
    most = Math.max(most, held.size);
    response.once("close", () => held.delete(response));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held.size,
    most: () => most,
    count: () => count,
    forget() {
      count = 0;
    },
    hold() {
      mode = "hold";
      most = 0;
    },
    fail() {
      mode = "fail";
    },
    release() {
      mode = "answer";
      for (const response of held) send(response);
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
