import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import * as channels from "@/app/api/channel/[[...path]]/route";
import * as tokens from "@/app/api/token/[[...path]]/route";
import * as users from "@/app/api/user/[[...path]]/route";
import * as playground from "@/app/pg/chat/completions/route";
import { consoleDatabase } from "@/lib/console-database";
import { relayHost } from "@/lib/playground/relay-host";

// Calls the route tables as Next.js does. Started by console-process.ts.

type Handler = (request: Request, context: { params: Promise<{ path?: string[] }> }) => Promise<Response>;
type Table = Partial<Record<string, Handler>>;

const tables: [prefix: string, table: Table][] = [
  ["/api/channel", channels as Table],
  ["/api/token", tokens as Table],
  ["/api/user", users as Table],
  ["/pg/chat/completions", playground as Table],
];

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "", "http://weir.example");
  const [prefix = "", table] = tables.find(([start]) => url.pathname.startsWith(start)) ?? [];
  const handler = table?.[request.method ?? ""];
  if (!handler) {
    response.writeHead(404).end();
    return;
  }
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const path = url.pathname
    .slice(prefix.length)
    .split("/")
    .filter((segment) => segment !== "");
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as [string, string]);
  const init = parts.length === 0 ? {} : { body: Buffer.concat(parts) };
  const asked = new Request(url, { method: request.method ?? "GET", headers, ...init });
  const answer = await handler(asked, { params: Promise.resolve({ path }) });
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body) await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  else response.end();
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.destroy());
});
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));

process.once("SIGTERM", async () => {
  server.close();
  server.closeAllConnections();
  await (await relayHost()).stop();
  await consoleDatabase().end();
  process.exit(0);
});
// Exits when the test does, however that one ended.
process.once("disconnect", () => process.exit(0));
