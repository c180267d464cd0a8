import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { readChunksFixture, readJsonFixture } from "./dialect-fixtures";
import { encodeFrames } from "./encode-frames";
import { upstreamSchemas } from "./upstream-schemas";

/** How an application of a provider is asked. */
export type FakeApplicationFormat = {
  format: string;
  path: string;
  /** An error in the provider's own shape. */
  refusal(status: number, message: string): { status: number; body: object };
  upload?: { path: string; answer(id: string): { status: number; body: object } };
};

type Taken = { user: string | null; name: string; type: string; text: string };

export type FakeApplication = {
  url: string;
  /** The bodies that were accepted. */
  bodies: Record<string, unknown>[];
  /** The files that were uploaded, by the ids that they got. */
  files: Map<string, Taken>;
  /** Uploads that were begun. */
  uploading: number;
  /** Connections that were closed before their answer. */
  left: number;
  close: () => Promise<void>;
};

export const APPLICATION_KEY = "app-secret-of-the-application";

/**
 * Starts an application on loopback. The first part of the path says what it does: a fixture's name is answered with that
 * fixture, a status with that status, "silent" and "silent-upload" not at all, "no-upload" takes no files.
 */
export async function startFakeApplication(kind: FakeApplicationFormat): Promise<FakeApplication> {
  const server = createServer((request, response) => void answer(request, response, kind, fake));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const fake: FakeApplication = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies: [],
    files: new Map(),
    uploading: 0,
    left: 0,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
  return fake;
}

function send(response: ServerResponse, { status, body }: { status: number; body: object }): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  kind: FakeApplicationFormat,
  fake: FakeApplication,
): Promise<void> {
  const [, does = "", path = ""] = /^\/([^/]+)(\/.*)$/.exec(request.url ?? "") ?? [];
  response.once("close", () => {
    if (!response.writableEnded) fake.left += 1;
  });
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  if (request.headers.authorization !== `Bearer ${APPLICATION_KEY}`) {
    return void send(response, kind.refusal(401, `The token ${request.headers.authorization} is not valid`));
  }
  if (path === kind.upload?.path) return void (await takeFile(request, response, { kind, fake, does, bytes }));
  if (path !== kind.path) return void send(response, kind.refusal(404, `nothing at ${path}`));
  answerRequest(response, { kind, fake, does, bytes });
}

type Asked = { kind: FakeApplicationFormat; fake: FakeApplication; does: string; bytes: Buffer };

async function takeFile(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { kind, fake, does, bytes }: Asked,
): Promise<void> {
  fake.uploading += 1;
  if (does === "silent-upload") return;
  if (does === "no-upload") return void send(response, kind.refusal(415, "File type not allowed."));
  const type = headers["content-type"] ?? "";
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData();
  const file = form.get("file");
  if (!(file instanceof File)) return void send(response, kind.refusal(400, "no file"));
  const id = randomUUID();
  fake.files.set(id, { user: form.get("user") as string, name: file.name, type: file.type, text: await file.text() });
  const reply = kind.upload?.answer(id);
  if (reply) send(response, reply);
}

function answerRequest(response: ServerResponse, { kind, fake, does, bytes }: Asked): void {
  const body = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  const fault = upstreamSchemas.get(kind.format)?.safeParse(body).error?.message;
  if (fault !== undefined) return void send(response, kind.refusal(400, fault));
  fake.bodies.push(body);
  if (does === "silent") return;
  if (/^\d{3}$/.test(does)) return void send(response, kind.refusal(Number(does), "It failed."));
  const name = does.endsWith("-upload") ? "text" : does;
  if (body.stream === false) return void sendWhole(response, kind, name);
  const { contentType, bytes: sent } = encodeFrames("sse", readChunksFixture(kind.format, name));
  response.writeHead(200, { "content-type": contentType });
  response.write(sent);
  if (does === "cut") setTimeout(() => response.destroy(), 20);
  else response.end();
}

function sendWhole(response: ServerResponse, { format }: FakeApplicationFormat, name: string): void {
  if (name !== "cut") return void send(response, { status: 200, body: readJsonFixture(format, `${name}.answer`) });
  response.writeHead(200, { "content-type": "application/json", "content-length": 1_000 });
  response.write("{");
  setTimeout(() => response.destroy(), 20);
}
