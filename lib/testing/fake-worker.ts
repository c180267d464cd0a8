import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

const asked = z.strictObject({
  url: z.url(),
  key: z.string(),
  method: z.enum(["GET", "POST"]),
  headers: z.record(z.string(), z.string()),
  body: z.string().optional(),
});

export type AskedWorker = { headers: IncomingHttpHeaders; text: string; asked: z.output<typeof asked> };

export const FAKE_WORKER_KEY = "key-of-the-worker";

type Fetch = (
  url: string,
  init: { method: string; headers: Record<string, string>; body?: string },
) => Promise<Response>;

/** A proxy worker on loopback, as strict as contract §3.2: it makes the request that it is told, by `fetchIt`. */
export async function startFakeWorker(fetchIt: Fetch = fetch) {
  const requests: AskedWorker[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const part of request) text += String(part);
    const read = asked.safeParse(JSON.parse(text));
    if (request.method !== "POST" || !read.success) return void response.writeHead(400).end('{"success":false}');
    requests.push({ headers: request.headers, text, asked: read.data });
    const { key, url, body, ...init } = read.data;
    if (key !== FAKE_WORKER_KEY) {
      return void response.writeHead(403).end(JSON.stringify({ success: false, error: `Unauthorized key ${key}` }));
    }
    const answer = await fetchIt(url, body === undefined ? init : { ...init, body });
    const type = answer.headers.get("content-type") ?? "application/octet-stream";
    response.writeHead(answer.status, { "content-type": type }).end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
