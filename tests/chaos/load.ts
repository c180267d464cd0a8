import { Agent, request as send } from "node:http";

/** A response that arrived completely: up to the end of the JSON body, or the [DONE] frame of a stream. */
export type WholeAnswer = { requestId: string; isStream: boolean; seed: number };

export type Load = { whole: WholeAnswer[]; broken: () => number; stop: () => Promise<void> };

type Outcome = WholeAnswer | null;

/**
 * Keeps `callers` requests in flight, half of them streams, until stopped. Failures are expected and counted. Every
 * request has its own seed, starting at 1, and is sent once.
 */
export function startLoad(port: number, key: string, callers: number): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const whole: WholeAnswer[] = [];
  let broken = 0;
  let seed = 0;
  let running = true;
  const caller = async (index: number) => {
    while (running) {
      const outcome = await callOnce(agent, port, key, index % 2 === 0, ++seed);
      if (outcome) whole.push(outcome);
      else {
        broken += 1;
        await new Promise((resolve) => setTimeout(resolve, 25));
      }
    }
  };
  const all = Promise.all(Array.from({ length: callers }, (_, index) => caller(index)));
  return {
    whole,
    broken: () => broken,
    stop: async () => {
      running = false;
      await all;
      agent.destroy();
    },
  };
}

function callOnce(agent: Agent, port: number, key: string, isStream: boolean, seed: number): Promise<Outcome> {
  const model = isStream ? "fake-gpt:chunks=20:pace=5" : "fake-gpt";
  // The upstream reports as many prompt tokens as the seed, which are not believed of a shorter body.
  const messages = [{ role: "user", content: `hi${"x".repeat(Math.max(0, seed - 3_000))}` }];
  const body = JSON.stringify({ model, max_tokens: 50, stream: isStream, seed, messages });
  return new Promise((resolve) => {
    const call = send(
      {
        agent,
        host: "127.0.0.1",
        port,
        path: "/v1/chat/completions",
        method: "POST",
        timeout: 30_000,
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => {
          text += part;
        });
        response.on("error", () => resolve(null));
        response.on("close", () => {
          const requestId = String(response.headers["x-oneapi-request-id"] ?? "");
          const isWhole = response.statusCode === 200 && (isStream ? text.includes("data: [DONE]") : isJson(text));
          resolve(isWhole ? { requestId, isStream, seed } : null);
        });
      },
    );
    call.on("timeout", () => call.destroy());
    call.on("error", () => resolve(null));
    call.end(body);
  });
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}
