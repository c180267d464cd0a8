// Anybody sends TRACE, which echoes a request with its cookies, or a method that exists nowhere, to the console and to the
// relay. The gateway answers 405 itself: neither of them sees it, and none may fail on it.
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startRelay } from "../relay/harness";

let consoleServer: Server;
let relay: Awaited<ReturnType<typeof startRelay>>;
let served = 0;

beforeAll(async () => {
  consoleServer = createServer((_request, response) => {
    served += 1;
    response.end("served");
  });
  await new Promise<void>((done) => consoleServer.listen(0, "127.0.0.1", () => done()));
  const consolePort = (consoleServer.address() as AddressInfo).port;
  relay = await startRelay({ channels: [{}], gateway: { consolePort } });
});
afterAll(async () => {
  await relay.close();
  consoleServer.closeAllConnections();
  consoleServer.close();
});

/** fetch refuses to send TRACE, so the request is written by hand. */
function send(method: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(new URL(relay.url).port), "127.0.0.1", () =>
      socket.write(
        `${method} ${path} HTTP/1.1\r\nHost: weir.example\r\nCookie: session=stolen\r\nConnection: close\r\n\r\n`,
      ),
    );
    socket.on("data", (piece) => {
      text += piece;
    });
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

test.each(["TRACE", "PROPFIND", "PURGE"])(
  "%s is a 405 on every path, and nothing of the request comes back",
  async (method) => {
    const before = served;
    for (const path of ["/", "/api/status", "/api/auth/session", "/pg/chat/completions", "/v1/chat/completions"]) {
      const answer = await send(method, path);
      expect(answer).toMatch(/^HTTP\/1.1 405 /);
      expect(answer).toContain("allow: GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS");
      expect(answer).not.toContain("stolen");
    }
    expect(served).toBe(before);
  },
);

test("the methods that are served go on", async () => {
  expect(await send("GET", "/")).toContain("served");
});
