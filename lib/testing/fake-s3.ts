import { createHash, createHmac, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

const ACCESS_KEY = "AKIATEST";
const SECRET_KEY = "secret/of+the=test";
const REGION = "eu-test-1";
/** As Amazon's: every part but the last. */
const PART_BYTES_MIN = 5 * 1024 * 1024;
const LIST_MAX = 3;

type Upload = { key: string; parts: Map<number, { etag: string; bytes: Buffer }> };
type Refusal = { status: number; code: string };

/** What a bucket of Amazon's S3 does with the requests of an archive, one page of a list being short. */
export class FakeS3 {
  readonly objects = new Map<string, Buffer>();
  readonly uploads = new Map<string, Upload>();
  readonly calls: string[] = [];
  /** Refuses what it returns something for. */
  refuse: (call: string) => Refusal | null = () => null;
  /** Ends the connection in the middle: before the answer, or within its body. */
  cut: (call: string) => boolean = () => false;
  /** Milliseconds before the answer. */
  delayMs = 0;
  readonly environment = { AWS_ACCESS_KEY_ID: ACCESS_KEY, AWS_SECRET_ACCESS_KEY: SECRET_KEY, AWS_REGION: REGION };
  private readonly server = createServer((request, response) => void this.answer(request, response));

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, "127.0.0.1", listening));
    const { port } = this.server.address() as AddressInfo;
    return `s3://bucket/some/prefix?endpoint=http://127.0.0.1:${port}&path-style=1&region=${REGION}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const held: Buffer[] = [];
    for await (const part of request) held.push(part as Buffer);
    const body = Buffer.concat(held);
    const url = new URL(request.url ?? "/", "http://bucket");
    const refused = checkSignature(request, url, body) ?? this.refusalOf(request, url);
    if (this.delayMs > 0) await new Promise((done) => setTimeout(done, this.delayMs));
    try {
      if (refused) sendError(response, refused);
      else if (this.cut(callOf(request, url))) this.cutOff(request, response, url);
      else this.act(request, response, url, body);
    } catch (error) {
      sendError(response, error as Refusal);
    }
  }

  private cutOff({ method }: IncomingMessage, response: ServerResponse, url: URL): void {
    const [, , ...rest] = decodeURIComponent(url.pathname).split("/");
    const object = this.objects.get(rest.join("/"));
    if (method !== "GET" || !object) return void response.destroy();
    response.writeHead(200, { "Content-Length": String(object.length) });
    response.write(object.subarray(0, object.length >> 1), () => response.destroy());
  }

  private refusalOf(request: IncomingMessage, url: URL): Refusal | null {
    const call = callOf(request, url);
    this.calls.push(call);
    return this.refuse(call);
  }

  private act(request: IncomingMessage, response: ServerResponse, url: URL, body: Buffer): void {
    const [, bucket, ...rest] = decodeURIComponent(url.pathname).split("/");
    if (bucket !== "bucket") throw refusal(404, "NoSuchBucket");
    const key = rest.join("/");
    const query = url.searchParams;
    const { method } = request;
    if (method === "GET" && query.get("list-type") === "2") sendXml(response, this.list(query));
    else if (query.has("uploads") || query.has("uploadId")) this.actOnUpload(request, response, { key, query, body });
    else if (method === "PUT") {
      this.objects.set(key, body);
      send(response, 200, { ETag: etagOf(body) });
    } else if (method === "DELETE") {
      this.objects.delete(key);
      send(response, 204);
    } else this.sendObject(request, response, key);
  }

  private actOnUpload(
    { method }: IncomingMessage,
    response: ServerResponse,
    { key, query, body }: { key: string; query: URLSearchParams; body: Buffer },
  ): void {
    if (method === "POST" && query.has("uploads")) sendXml(response, this.begin(key));
    else if (method === "POST") sendXml(response, this.complete(key, query, body.toString()));
    else if (method === "PUT") send(response, 200, { ETag: this.part(key, query, body) });
    else {
      this.uploads.delete(query.get("uploadId") ?? "");
      send(response, 204);
    }
  }

  private sendObject({ method, headers }: IncomingMessage, response: ServerResponse, key: string): void {
    const object = this.objects.get(key);
    if (!object) throw refusal(404, "NoSuchKey");
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? "") ?? [];
    if (method === "HEAD") send(response, 200, { "Content-Length": String(object.length) });
    else if (start === undefined || end === undefined) send(response, 200, {}, object);
    else if (Number(start) >= object.length) throw refusal(416, "InvalidRange");
    else send(response, 206, {}, object.subarray(Number(start), Number(end) + 1));
  }

  private list(query: URLSearchParams): string {
    const after = query.get("continuation-token") ?? "";
    const prefix = query.get("prefix") ?? "";
    const keys = [...this.objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, LIST_MAX);
    const contents = page.map((key) => `<Contents><Key>${key}</Key></Contents>`).join("");
    const more = keys.length > LIST_MAX;
    const next = more ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : "";
    return `<ListBucketResult>${contents}<IsTruncated>${more}</IsTruncated>${next}</ListBucketResult>`;
  }

  private begin(key: string): string {
    const id = randomBytes(8).toString("hex");
    this.uploads.set(id, { key, parts: new Map() });
    return `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;
  }

  private part(key: string, query: URLSearchParams, bytes: Buffer): string {
    const etag = etagOf(bytes);
    this.uploadOf(key, query).parts.set(Number(query.get("partNumber")), { etag, bytes });
    return etag;
  }

  private complete(key: string, query: URLSearchParams, body: string): string {
    const { parts } = this.uploadOf(key, query);
    const named = [...body.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, part = ""]) => ({
      number: Number(/<PartNumber>(\d+)</.exec(part)?.[1]),
      etag: (/<ETag>(.*?)</.exec(part)?.[1] ?? "").replaceAll("&quot;", '"'),
    }));
    const bytes = named.map(({ number, etag }, index) => {
      const stored = parts.get(number);
      if (number !== index + 1 || stored?.etag !== etag) throw refusal(400, "InvalidPart");
      if (index < named.length - 1 && stored.bytes.length < PART_BYTES_MIN) throw refusal(400, "EntityTooSmall");
      return stored.bytes;
    });
    this.objects.set(key, Buffer.concat(bytes));
    this.uploads.delete(query.get("uploadId") ?? "");
    return "<CompleteMultipartUploadResult><ETag>done</ETag></CompleteMultipartUploadResult>";
  }

  private uploadOf(key: string, query: URLSearchParams): Upload {
    const upload = this.uploads.get(query.get("uploadId") ?? "");
    if (upload?.key !== key) throw refusal(404, "NoSuchUpload");
    return upload;
  }
}

function callOf({ method }: IncomingMessage, url: URL): string {
  const kind = ["uploads", "partNumber", "uploadId", "list-type"].find((name) => url.searchParams.has(name)) ?? "";
  return `${method} ${kind}`.trim();
}

const refusal = (status: number, code: string): Refusal => ({ status, code });
const etagOf = (bytes: Buffer): string => `"${createHash("md5").update(bytes).digest("hex")}"`;
const sha256 = (text: string | Buffer): string => createHash("sha256").update(text).digest("hex");
const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** AWS Signature Version 4, in the Authorization header, with the checksum of the body. */
function checkSignature({ method, headers }: IncomingMessage, url: URL, body: Buffer): Refusal | null {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? "",
    );
  if (!found) return refusal(403, "AccessDenied");
  const [, accessKey, date = "", region = "", names = "", signature] = found;
  if (accessKey !== ACCESS_KEY || region !== REGION) return refusal(403, "InvalidAccessKeyId");
  const bodyHash = String(headers["x-amz-content-sha256"]);
  if (bodyHash !== sha256(body)) return refusal(400, "XAmzContentSHA256Mismatch");
  if (!names.split(";").includes("host")) return refusal(403, "SignatureDoesNotMatch");
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join("&");
  const lines = names
    .split(";")
    .map((name) => `${name}:${String(headers[name]).trim()}\n`)
    .join("");
  const canonical = [method, url.pathname, query, lines, names, bodyHash].join("\n");
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const key = [date, region, "s3", "aws4_request"].reduce<string | Buffer>(hmac, `AWS4${SECRET_KEY}`);
  return hmac(key, text).toString("hex") === signature ? null : refusal(403, "SignatureDoesNotMatch");
}

function send(response: ServerResponse, status: number, headers: Record<string, string> = {}, body?: Buffer): void {
  response.writeHead(status, headers).end(body);
}

function sendXml(response: ServerResponse, xml: string): void {
  response.writeHead(200, { "Content-Type": "application/xml" }).end(`<?xml version="1.0"?>${xml}`);
}

function sendError(response: ServerResponse, { status, code }: Refusal): void {
  const text = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} of the test</Message></Error>`;
  response.writeHead(status, { "Content-Type": "application/xml" });
  response.end(response.req.method === "HEAD" ? "" : text);
}
