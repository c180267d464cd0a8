import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SignatureV4 } from "@smithy/signature-v4";
import { Sha256 } from "../relay/providers/auth/sigv4";
import { readChunksFixture, readJsonFixture } from "./dialect-fixtures";
import { encodeFrames } from "./encode-frames";
import { upstreamSchemas } from "./upstream-schemas";

export const FAKE_AWS_KEY = "AKIDEXAMPLE|wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY|us-east-1";

export type BedrockRequest = { url: string; body: Record<string, unknown>; status: number };

export type FakeBedrock = { url: string; requests: BedrockRequest[]; close: () => Promise<void> };

const PATH = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|converse|converse-stream)$/;

/**
 * Starts an upstream on loopback that is as strict as Bedrock's runtime: signature, path and body. What follows "fake."
 * or "claude-" in the model's id is the fixture to answer with, or a status to fail with; "silent" never answers.
 */
export async function startFakeBedrock(): Promise<FakeBedrock> {
  const requests: BedrockRequest[] = [];
  const server = createServer((request, response) => {
    answer(request, response, requests).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests, close: () => stop(server) };
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((done) => server.close(() => done()));
}

type Refusal = { status: number; type: string; message: string };

async function answer(request: IncomingMessage, response: ServerResponse, requests: BedrockRequest[]): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const { url = "" } = request;
  const seen: BedrockRequest = { url, body: JSON.parse(bytes.toString("utf8")) as BedrockRequest["body"], status: 200 };
  requests.push(seen);
  const [, id = "", verb = ""] = PATH.exec(url) ?? [];
  const format = verb.startsWith("invoke") ? "bedrock-invoke" : "bedrock-converse";
  const fixture = decodeURIComponent(id).replace(/^.*(?:fake\.|claude-)/, "");
  const refused = (await refuseKey(request, bytes)) ?? refuse(verb, format, fixture, seen.body);
  if (refused) {
    seen.status = refused.status;
    return sendError(response, refused);
  }
  if (fixture === "silent") return;
  if (!verb.endsWith("stream")) return send(response, readJsonFixture(format, `${fixture}.answer`));
  const frames = readChunksFixture(format, fixture);
  // An error comes after content that was passed on.
  const late = fixture === "error" ? frames.splice(-1) : [];
  const { contentType, bytes: sent } = encodeFrames("aws-event-stream", frames);
  response.writeHead(200, { "content-type": contentType });
  response.write(sent);
  if (fixture === "cut") setTimeout(() => response.destroy(), 20);
  else if (late.length > 0) setTimeout(() => response.end(encodeFrames("aws-event-stream", late).bytes), 50);
  else response.end();
}

/** Signs what arrived once more, as AWS does. */
async function refuseKey({ headers, url = "" }: IncomingMessage, body: Buffer): Promise<Refusal | null> {
  const { authorization = "", host = "", "content-type": type = "", "x-amz-date": date = "" } = headers;
  const [accessKeyId = "", secretAccessKey = "", region = ""] = FAKE_AWS_KEY.split("|");
  if (!authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${accessKeyId}/`)) {
    const message = "The security token included in the request is invalid.";
    return { status: 403, type: "UnrecognizedClientException", message };
  }
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({ service: "bedrock", region, credentials, sha256: Sha256 });
  const [hostname = "", port = ""] = host.split(":");
  const signingDate = new Date(String(date).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  const given = { method: "POST", protocol: "http:", hostname, port: Number(port), path: url, query: {}, body };
  const signed = await signer.sign({ ...given, headers: { host, "content-type": type } }, { signingDate });
  if (signed.headers.authorization === authorization) return null;
  const message = "The request signature we calculated does not match the signature you provided.";
  return { status: 403, type: "InvalidSignatureException", message };
}

function refuse(verb: string, format: string, fixture: string, body: unknown): Refusal | null {
  if (verb === "") return { status: 404, type: "UnknownOperationException", message: "no such operation" };
  const fault = upstreamSchemas.get(format)?.safeParse(body).error?.message;
  if (fault !== undefined) return { status: 400, type: "ValidationException", message: fault };
  if (fixture === "429") return { status: 429, type: "ThrottlingException", message: "Too many requests" };
  if (fixture === "500") return { status: 500, type: "InternalServerException", message: "it broke" };
  return null;
}

function sendError(response: ServerResponse, { status, type, message }: Refusal): void {
  response.writeHead(status, { "content-type": "application/json", "x-amzn-errortype": `${type}:http://internal/` });
  response.end(JSON.stringify({ message }));
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
