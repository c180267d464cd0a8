import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { formats, streamOf } from "./formats";

// A fake upstream that streams prepared bytes of the format at whose path it is asked.
const PACE_MS = Number(process.env.BENCH_PACE_MS ?? 10);
const streams = formats.map(({ id, arrives }) => ({ arrives, parts: streamOf(id) }));

function send(response: ServerResponse, parts: readonly Buffer[]): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  let sent = 0;
  const timer = setInterval(() => {
    response.write(parts[sent] ?? "");
    sent += 1;
    if (sent < parts.length) return;
    clearInterval(timer);
    response.end();
  }, PACE_MS);
  response.on("close", () => clearInterval(timer));
}

const server = createServer((request, response) => {
  const stream = streams.find(({ arrives }) => request.url?.startsWith(arrives));
  request.resume().on("end", () => {
    if (stream) send(response, stream.parts);
    else response.writeHead(404).end();
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

// Exits when the parent process does, however that one ended.
process.on("disconnect", () => process.exit(0));
