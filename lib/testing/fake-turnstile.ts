import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A verification service on loopback: tokens that begin with "good" pass. Records the requests. */
export async function startFakeTurnstile() {
  const asked: Record<string, string>[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const part of request) body += String(part);
    const form = Object.fromEntries(new URLSearchParams(body));
    asked.push(form);
    const token = form.response ?? "";
    response.setHeader("content-type", "application/json");
    if (token.startsWith("broken")) response.writeHead(500).end("<html>oops</html>");
    else response.end(JSON.stringify({ success: token.startsWith("good"), "error-codes": [] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/siteverify`,
    asked,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

export type FakeTurnstile = Awaited<ReturnType<typeof startFakeTurnstile>>;
