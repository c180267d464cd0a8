import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export type SeenFile = { name: string; fileName: string; type: string; bytes: number; sha: string };
export type SeenMedia = {
  path: string;
  method: string;
  headers: IncomingMessage["headers"];
  /** Fields of JSON or of a form. */
  fields: Record<string, unknown>;
  files: SeenFile[];
};

export type MediaUpstream = {
  url: string;
  seen: SeenMedia[];
  /** What is drawn, as base64. */
  picture: string;
  /** Requests whose connection was lost before they were answered. */
  aborts: () => number;
  close: () => Promise<void>;
};

export const PICTURE_USAGE = {
  total_tokens: 1_106,
  input_tokens: 50,
  output_tokens: 1_056,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
};
export const SPEECH_USAGE = { input_tokens: 14, output_tokens: 101, total_tokens: 115 };
export const TRANSCRIPT_USAGE = {
  type: "tokens",
  input_tokens: 24,
  input_token_details: { text_tokens: 4, audio_tokens: 20 },
  output_tokens: 9,
  total_tokens: 33,
};
export const TRANSCRIPT = "the quick brown fox";
/** Not in the alphabet of any text format. */
export const SOUND = Buffer.from(Array.from({ length: 4_000 }, (_, at) => (at * 7 + 255) % 256));
export const SUBTITLES = "1\n00:00:00,000 --> 00:00:02,500\nthe quick\n\n2\n00:00:02,500 --> 00:00:04,200\nbrown fox\n";

const FAULT = /-(429|500|silent|cut|empty|error|endless|html)$/;

/**
 * Starts an upstream of pictures and sound with OpenAI's paths, and refuses with 400 what they do not have. What the
 * model's name ends in selects a failure. `-large` draws pictures of 20 MB.
 */
export async function startMediaUpstream(): Promise<MediaUpstream> {
  let aborts = 0;
  const server = createServer((request, response) => {
    response.on("close", () => {
      if (!response.writableFinished) aborts += 1;
    });
    serve(request, response, upstream).catch(() => response.destroy());
  });
  const upstream: MediaUpstream = {
    url: "",
    seen: [],
    picture: "d2hvbGU=",
    aborts: () => aborts,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  upstream.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return upstream;
}

async function serve(request: IncomingMessage, response: ServerResponse, upstream: MediaUpstream): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const body = Buffer.concat(parts);
  const { headers, url: path = "", method = "" } = request;
  const length = headers["content-length"];
  const asked: SeenMedia = { path, method, headers, ...(await readBody(body, headers["content-type"] ?? "")) };
  upstream.seen.push(asked);
  const isKnown = headers.authorization === "Bearer good-key" || headers["api-key"] === "good-key";
  if (!isKnown) return send(response, 401, { error: { message: "wrong key" } });
  if (length !== undefined && Number(length) !== body.length) return bad(response, "content-length");
  const fault = FAULT.exec(String(asked.fields.model))?.[1] ?? "";
  if (fault === "429" || fault === "500")
    return send(response, Number(fault), { error: { message: `status ${fault}` } });
  if (fault === "silent") return;
  if (fault === "error") return send(response, 200, { error: { message: "all is lost", code: 503 } });
  if (fault === "html") {
    response.writeHead(200, { "content-type": "text/html" });
    return void response.end("<html>down for maintenance</html>");
  }
  const route = path.replace(/^\/openai\/deployments\/[^/]+/, "/v1").replace(/\?.*/, "");
  if (route === "/v1/audio/speech") return speak(response, asked, fault);
  if (route === "/v1/audio/transcriptions" || route === "/v1/audio/translations") return hear(response, asked, fault);
  if (route.startsWith("/v1/images/")) return draw(response, asked, { route, fault, picture: upstream.picture });
  return send(response, 404, { error: { message: `no ${path} here` } });
}

async function readBody(body: Buffer, type: string): Promise<Pick<SeenMedia, "fields" | "files">> {
  if (!type.startsWith("multipart/form-data")) {
    return { fields: JSON.parse(body.toString("utf8")) as Record<string, unknown>, files: [] };
  }
  const form = await new Response(new Uint8Array(body), { headers: { "content-type": type } }).formData();
  const fields: Record<string, unknown> = {};
  const files: SeenFile[] = [];
  for (const [name, value] of form.entries()) {
    if (typeof value === "string") fields[name] = value;
    else {
      const bytes = Buffer.from(await value.arrayBuffer());
      const sha = createHash("sha256").update(bytes).digest("hex");
      files.push({ name, fileName: value.name, type: value.type, bytes: bytes.length, sha });
    }
  }
  return { fields, files };
}

async function speak(response: ServerResponse, { fields }: SeenMedia, fault: string): Promise<void> {
  if (typeof fields.input !== "string" || typeof fields.voice !== "string") return bad(response, "voice");
  if (fields.stream_format === "sse") {
    const deltas = ["AAEC", "AwQF"].map((audio) => ({ type: "speech.audio.delta", audio }));
    return sendEvents(response, [...deltas, { type: "speech.audio.done", usage: SPEECH_USAGE }], fault);
  }
  response.writeHead(200, { "content-type": "audio/mpeg" });
  if (fault === "empty") return void response.end();
  const step = 1_000;
  for (let at = 0; at < SOUND.length; at += step) {
    response.write(SOUND.subarray(at, at + step));
    await delay(2);
    if (fault === "cut" && at >= step) return void response.destroy();
  }
  if (fault !== "endless") response.end();
}

function hear(response: ServerResponse, { fields, files, path }: SeenMedia, fault: string): Promise<void> | void {
  const format = String(fields.response_format ?? "json");
  if (files.length !== 1 || files[0]?.name !== "file") return bad(response, "file");
  if (fields.stream === "true" && path.endsWith("/transcriptions") && !String(fields.model).startsWith("whisper")) {
    const deltas = ["the quick ", "brown fox"].map((delta) => ({ type: "transcript.text.delta", delta }));
    return sendEvents(
      response,
      [...deltas, { type: "transcript.text.done", text: TRANSCRIPT, usage: TRANSCRIPT_USAGE }],
      fault,
    );
  }
  if (fault === "empty") return send(response, 200, {});
  if (format === "srt" || format === "vtt" || format === "text") {
    response.writeHead(200, { "content-type": "text/plain; charset=utf-8" });
    return void response.end(format === "text" ? `${TRANSCRIPT}\n` : SUBTITLES);
  }
  const usage = String(fields.model).startsWith("gpt-") ? TRANSCRIPT_USAGE : { type: "duration", seconds: 3 };
  const isSilent = String(fields.model).includes("no-usage");
  const verbose = format === "verbose_json" ? { language: "english", duration: 2.4, segments: [] } : {};
  return finish(response, { text: TRANSCRIPT, ...verbose, ...(isSilent ? {} : { usage }) }, fault);
}

type Drawing = { route: string; fault: string; picture: string };

function draw(response: ServerResponse, asked: SeenMedia, drawing: Drawing): Promise<void> | void {
  const { fields, files } = asked;
  const { route, fault, picture } = drawing;
  if (route !== "/v1/images/generations" && files.length === 0 && !fields.images) return bad(response, "image");
  if (route !== "/v1/images/variations" && typeof fields.prompt !== "string") return bad(response, "prompt");
  const kind = route === "/v1/images/generations" ? "image_generation" : "image_edit";
  const isTokens = String(fields.model).startsWith("gpt-image");
  const told = isTokens ? { size: "1024x1024", quality: "medium", usage: PICTURE_USAGE } : {};
  if (fields.stream === true || fields.stream === "true") {
    const partials = Array.from({ length: Number(fields.partial_images ?? 0) }, (_, at) => ({
      type: `${kind}.partial_image`,
      b64_json: "cGFydA==",
      partial_image_index: at,
    }));
    const large = String(fields.model).includes("large") ? "QUJD".repeat(200_000) : picture;
    return sendEvents(response, [...partials, { type: `${kind}.completed`, b64_json: large, ...told }], fault);
  }
  if (fault === "empty") return send(response, 200, { created: 1, data: [] });
  const one = fields.response_format === "url" ? { url: "https://x.invalid/1.png" } : { b64_json: picture };
  const item = String(fields.model).includes("large") ? { b64_json: "QUJD".repeat(7_000_000) } : one;
  return finish(
    response,
    { created: 1, data: Array.from({ length: Number(fields.n ?? 1) }, () => item), ...told },
    fault,
  );
}

async function finish(response: ServerResponse, value: unknown, fault: string): Promise<void> {
  if (fault !== "cut") return send(response, 200, value);
  const text = JSON.stringify(value);
  response.writeHead(200, { "content-type": "application/json", "content-length": text.length });
  response.write(text.slice(0, text.length - 10));
  await delay(20);
  response.destroy();
}

async function sendEvents(
  response: ServerResponse,
  events: readonly ({ type: string } & Record<string, unknown>)[],
  fault: string,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  if (fault === "empty") return void response.end();
  for (const event of fault === "cut" || fault === "endless" ? events.slice(0, -1) : events) {
    response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
    await delay(2);
  }
  if (fault === "endless") return;
  if (fault === "cut") response.destroy();
  else response.end();
}

function bad(response: ServerResponse, param: string): void {
  send(response, 400, { error: { message: `${param} is missing`, type: "invalid_request_error", param } });
}

function send(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
