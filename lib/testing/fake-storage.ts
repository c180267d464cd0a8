import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { answerBatches } from "./fake-storage-batches";
import {
  type Answered,
  type FakeAccount,
  type Fault,
  failed,
  type Json,
  newId,
  type StorageCall,
} from "./fake-storage-calls";
import { answerFiles } from "./fake-storage-files";
import { answerResponses } from "./fake-storage-responses";

export type FakeStorage = {
  url: string;
  calls: StorageCall[];
  /** What becomes of the requests whose method and path begin like this. */
  faults: Map<string, Fault>;
  account: (key: string) => FakeAccount;
  /** Ends a response that runs in the background. */
  endResponse: (id: string, values: Json) => void;
  endBatch: (id: string, values: Json, output: string | null, errors?: string) => void;
  close: () => Promise<void>;
};

/**
 * Starts an upstream on loopback that keeps answers, files and batches as OpenAI does, by account: what another key made
 * is not found. What OpenAI's documentation does not have is refused.
 */
export async function startFakeStorage(): Promise<FakeStorage> {
  const accounts = new Map<string, FakeAccount>();
  const fake = { calls: [] as StorageCall[], faults: new Map<string, Fault>() };
  const accountOf = (key: string): FakeAccount => {
    const known = accounts.get(key) ?? { responses: new Map(), files: new Map(), batches: new Map() };
    accounts.set(key, known);
    return known;
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    const call: StorageCall = {
      method: request.method ?? "",
      url: new URL(request.url ?? "/", "http://fake"),
      key,
      body: Buffer.concat(parts),
      type: request.headers["content-type"] ?? "",
      account: accountOf(key),
    };
    fake.calls.push(call);
    const place = `${call.method} ${call.url.pathname}`;
    const fault = [...fake.faults].find(([start]) => place.startsWith(start))?.[1];
    call.fault = fault;
    if (fault === "silent") return;
    if (typeof fault === "number") return send(response, failed(fault, `status ${fault} it is`));
    if (fault === "quote") return send(response, failed(400, `the key ${key} may not do that`));
    if (fault === "slow") await new Promise((done) => setTimeout(done, 300));
    const answer = (await answerResponses(call)) ?? (await answerFiles(call)) ?? (await answerBatches(call));
    send(response, answer ?? failed(404, `no ${place} here`), fault);
  }

  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return {
    ...fake,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    account: accountOf,
    endResponse(id, values) {
      for (const { responses } of accounts.values()) {
        const known = responses.get(id);
        if (known) responses.set(id, { ...known, ...values });
      }
    },
    endBatch(id, values, output, errors) {
      for (const { batches, files } of accounts.values()) {
        const known = batches.get(id);
        if (!known) continue;
        const add = (text: string | null | undefined): string | undefined => {
          if (text === null || text === undefined) return undefined;
          const object = { id: newId("file-"), object: "file", purpose: "batch_output", filename: "out.jsonl" };
          files.set(object.id, { object: { ...object, bytes: text.length }, content: Buffer.from(text) });
          return object.id;
        };
        batches.set(id, { ...known, ...values, output_file_id: add(output), error_file_id: add(errors) });
      }
    },
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

function send(response: ServerResponse, answer: Answered, fault?: Fault): void {
  const { status, json, events, bytes } = answer ?? { status: 404 };
  const type = events ? "text/event-stream" : bytes ? "application/octet-stream" : "application/json";
  const body = bytes ?? Buffer.from(events ? renderEvents(events) : JSON.stringify(json));
  response.writeHead(status, { "content-type": type, ...(fault === "half" ? { "content-length": body.length } : {}) });
  if (fault === "hangs") return void response.write(body);
  if (fault !== "cut" && fault !== "half") return void response.end(body);
  response.write(body.subarray(0, Math.ceil(body.length / 2)), () => response.destroy());
}

function renderEvents(events: Json[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
}
