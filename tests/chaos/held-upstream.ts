import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream that can keep requests until `release`, and counts how many it has at once. At first it answers. */
export type HeldUpstream = {
  url: string;
  held: () => number;
  /** The most at any time since the last `hold`. */
  most: () => number;
  hold: () => void;
  /** Answers what is held, and again everything at once. */
  release: () => void;
  close: () => Promise<void>;
};

const answer = JSON.stringify({
  id: "chatcmpl-held",
  object: "chat.completion",
  created: 1_700_000_000,
  model: "held",
  choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 },
});

export async function startHeldUpstream(): Promise<HeldUpstream> {
  const held = new Set<ServerResponse>();
  let most = 0;
  let isOpen = true;
  const send = (response: ServerResponse): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(answer);
  };
  const server = createServer((request, response) => {
    request.resume();
    if (isOpen) return send(response);
    held.add(response);
    most = Math.max(most, held.size);
    response.once("close", () => held.delete(response));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => held.size,
    most: () => most,
    hold() {
      isOpen = false;
      most = 0;
    },
    release() {
      isOpen = true;
      for (const response of held) send(response);
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
