import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { jwtVerify } from "jose";
import { z } from "zod";
import { arkBody, klingImageBody, klingTextBody, openaiVideoBody, veoBody } from "./fake-video-schemas";

export type SeenVideo = { method: string; path: string; headers: IncomingMessage["headers"]; body: unknown };

/** What becomes of a task: how many questions it stays unfinished, and how it ends. */
export type Fate = {
  polls: number;
  end: "done" | "failed" | "withheld" | "failed at once";
  seconds?: number;
  resolution?: string;
  /** What is made where the request names none; default 720p. */
  usual?: string;
};

export type VideoUpstreams = {
  url: string;
  /** Every request that was received, in order. */
  seen: SeenVideo[];
  /** Of the tasks that are submitted from now on. */
  fate: Fate;
  video: Buffer;
  /** How files are sent; "page" = something that a browser would run. */
  files: "whole" | "cut" | "page";
  videoType: string;
  close: () => Promise<void>;
};

type Made = { id: string; maker: string; model: string; asked: Record<string, unknown>; fate: Fate; polls: number };

/**
 * Starts makers of videos, one under each one's name as the first part of the path: /sora, /kling, /veo, /vertex, /ark.
 * Each refuses with 400 what its maker's documentation does not have. What the model's name ends in selects a failure of
 * the submission: `-429`, `-500`, `-silent`, `-cut`, `-empty`, `-error` (an error with status 200).
 */
export async function startVideoUpstreams(): Promise<VideoUpstreams> {
  const made = new Map<string, Made>();
  const fake: VideoUpstreams = {
    url: "",
    seen: [],
    fate: { polls: 0, end: "done" },
    files: "whole",
    video: Buffer.from("0123456789".repeat(20_000)),
    videoType: "video/mp4",
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    serve(request, response, fake, made).catch((error: unknown) =>
      send(response, 500, { error: { message: String(error) } }),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

type Context = { request: IncomingMessage; response: ServerResponse; fake: VideoUpstreams; made: Map<string, Made> };

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  fake: VideoUpstreams,
  made: Map<string, Made>,
): Promise<void> {
  const { method = "", url = "", headers } = request;
  const body = await readBody(request);
  fake.seen.push({ method, path: url, headers, body });
  const [, maker = "", rest = ""] = /^\/(\w+)(\/.*)$/.exec(url) ?? [];
  const context = { request, response, fake, made };
  if (maker === "oauth") return send(response, 200, { access_token: "token-1", expires_in: 3_600 });
  if (maker === "cdn") return sendVideo(context, headers.authorization === undefined);
  if (!(await isAuthorized(maker, headers))) return send(response, 401, { error: { message: "wrong key" } });
  const place = MAKERS[maker];
  if (!place) return send(response, 404, { error: { message: "no such maker" } });
  if (method === "POST" && place.submit.test(rest)) return submit(context, maker, place, rest, body);
  place.other(context, rest, body);
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const bytes = Buffer.concat(parts);
  const type = request.headers["content-type"] ?? "";
  if (type.startsWith("multipart/")) {
    const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
    return Object.fromEntries(form.entries());
  }
  if (type.includes("urlencoded")) return bytes.toString("utf8");
  return bytes.length === 0 ? null : (JSON.parse(bytes.toString("utf8")) as unknown);
}

async function isAuthorized(maker: string, headers: IncomingMessage["headers"]): Promise<boolean> {
  if (maker === "veo") return headers["x-goog-api-key"] === "good-key";
  const bearer = headers.authorization?.replace(/^Bearer /, "") ?? "";
  if (maker === "vertex") return bearer === "token-1";
  if (maker !== "kling") return bearer === "good-key";
  return jwtVerify(bearer, new TextEncoder().encode("secret"), {
    issuer: "access",
    algorithms: ["HS256"],
    requiredClaims: ["exp", "nbf"],
  }).then(
    () => true,
    () => false,
  );
}

type Maker = {
  submit: RegExp;
  schema(path: string): z.ZodType;
  model(body: Record<string, unknown>, path: string): string;
  /** The answer to a submission. */
  taken(task: Made): unknown;
  error(message: string): unknown;
  other(context: Context, path: string, body: unknown): void;
};

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const openaiError = (message: string) => ({ error: { message, type: "server_error", code: null } });

const MAKERS: Readonly<Record<string, Maker>> = {
  sora: {
    submit: /^\/v1\/videos$/,
    schema: () => openaiVideoBody,
    model: (body) => text(body.model),
    taken: (task) => soraVideo(task, task.fate.end === "failed at once" ? "failed" : "queued"),
    error: openaiError,
    other(context, path) {
      const [, id = "", content] = /^\/v1\/videos\/([\w-]+)(\/content)?(?:\?.*)?$/.exec(path) ?? [];
      const task = context.made.get(id);
      if (!task) return send(context.response, 404, openaiError("no such video"));
      if (content) return sendVideo(context, true);
      if (context.request.method === "DELETE") {
        context.made.delete(id);
        return send(context.response, 200, { id, object: "video.deleted", deleted: true });
      }
      const end = endOf(task);
      send(
        context.response,
        200,
        soraVideo(task, end === null ? "in_progress" : end === "done" ? "completed" : "failed"),
      );
    },
  },
  kling: {
    submit: /^\/v1\/videos\/(text2video|image2video)$/,
    schema: (path) => (path.endsWith("image2video") ? klingImageBody : klingTextBody),
    model: (body) => text(body.model_name),
    taken: ({ id, fate }) => {
      const status = fate.end === "failed at once" ? "failed" : "submitted";
      return klingAnswer({ task_id: id, task_status: status, created_at: 1, updated_at: 1 });
    },
    error: (message) => ({ code: 5000, message, request_id: "r" }),
    other({ response, made, fake }, path) {
      const [, action, id = ""] = /^\/v1\/videos\/(\w+)\/([\w-]+)$/.exec(path) ?? [];
      const task = made.get(id);
      const isFromPicture = task?.asked.image !== undefined || task?.asked.image_tail !== undefined;
      if (!task || action !== (isFromPicture ? "image2video" : "text2video")) {
        return send(response, 404, { code: 1203, message: "resource not found", request_id: "r" });
      }
      const end = endOf(task);
      const base = { task_id: id, created_at: 1, updated_at: 2 };
      if (end === null) return send(response, 200, klingAnswer({ ...base, task_status: "processing" }));
      if (end !== "done") {
        return send(response, 200, klingAnswer({ ...base, task_status: "failed", task_status_msg: "risk control" }));
      }
      const videos = [{ id: "v1", url: `${fake.url}/cdn/${id}.mp4`, duration: "5.1" }];
      send(response, 200, klingAnswer({ ...base, task_status: "succeed", task_result: { videos } }));
    },
  },
  veo: {
    submit: /^\/v1beta\/models\/[^/]+:predictLongRunning$/,
    schema: () => veoBody,
    model: (_body, path) => decodeURIComponent(/models\/([^/]+):/.exec(path)?.[1] ?? ""),
    taken: ({ id, model }) => ({ name: `models/${model}/operations/${id}` }),
    error: googleError,
    other(context, path) {
      if (/^\/v1beta\/files\/[\w-]+:download\?alt=media$/.test(path)) return sendVideo(context, true);
      const [, name = "", id = ""] = /^\/v1beta\/(models\/[^/]+\/operations\/([\w-]+))$/.exec(path) ?? [];
      const task = context.made.get(id);
      if (!task) return send(context.response, 404, googleError("no such operation"));
      const uri = `${context.fake.url}/veo/v1beta/files/${id}:download?alt=media`;
      const samples = { generatedSamples: [{ video: { uri } }] };
      sendOperation(context.response, name, endOf(task), { generateVideoResponse: samples });
    },
  },
  vertex: {
    submit: /^\/v1\/projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/[^/]+:predictLongRunning$/,
    schema: () => veoBody,
    model: (_body, path) => decodeURIComponent(/models\/([^/]+):/.exec(path)?.[1] ?? ""),
    taken: ({ id, model }) => ({
      name: `projects/project-1/locations/us-central1/publishers/google/models/${model}/operations/${id}`,
    }),
    error: googleError,
    other({ response, made, fake }, path, body) {
      const name = text((body as Record<string, unknown> | null)?.operationName);
      const task = made.get(name.split("/").at(-1) ?? "");
      if (!task || !path.endsWith(":fetchPredictOperation"))
        return send(response, 404, googleError("no such operation"));
      const videos = [{ bytesBase64Encoded: fake.video.toString("base64"), mimeType: "video/mp4" }];
      sendOperation(response, name, endOf(task), { videos });
    },
  },
  ark: {
    submit: /^\/api\/v3\/contents\/generations\/tasks$/,
    schema: () => arkBody,
    model: (body) => text(body.model),
    taken: ({ id }) => ({ id }),
    error: (message) => ({ error: { code: "InternalServiceError", message, type: "InternalServerError" } }),
    other({ response, made, fake }, path) {
      const id = /^\/api\/v3\/contents\/generations\/tasks\/([\w-]+)$/.exec(path)?.[1] ?? "";
      const task = made.get(id);
      if (!task) return send(response, 404, { error: { code: "NotFound", message: "no such task" } });
      const { model, asked, fate } = task;
      const end = endOf(task);
      const base = { id, model, created_at: 1, updated_at: 2 };
      if (end === null) return send(response, 200, { ...base, status: "running" });
      if (end !== "done") {
        return send(response, 200, { ...base, status: "failed", error: { code: "Risk", message: "risk control" } });
      }
      send(response, 200, {
        ...base,
        status: "succeeded",
        content: { video_url: `${fake.url}/cdn/${id}.mp4` },
        usage: { completion_tokens: 108_900, total_tokens: 108_900 },
        duration: fate.seconds ?? asked.duration,
        resolution: fate.resolution ?? asked.resolution ?? fate.usual ?? "720p",
      });
    },
  },
};

function soraVideo({ id, model, asked, fate }: Made, status: string): unknown {
  return {
    id,
    object: "video",
    model,
    status,
    progress: status === "completed" ? 100 : 37,
    seconds: String(fate.seconds ?? asked.seconds ?? "4"),
    size: asked.size ?? (fate.usual === "1080p" ? "1080x1920" : "720x1280"),
    created_at: 1,
    ...(status === "failed" ? { error: { code: "moderation_blocked", message: "risk control" } } : {}),
  };
}

const klingAnswer = (data: unknown) => ({ code: 0, message: "SUCCEED", request_id: "r", data });

function googleError(message: string): unknown {
  return { error: { code: 500, message, status: "INTERNAL" } };
}

function sendOperation(response: ServerResponse, name: string, end: Fate["end"] | null, result: unknown) {
  if (end === null) return send(response, 200, { name });
  if (end === "failed") return send(response, 200, { name, done: true, error: { code: 3, message: "risk control" } });
  const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ["risk control"] };
  const withheld = name.startsWith("projects/") ? filtered : { generateVideoResponse: filtered };
  send(response, 200, { name, done: true, response: end === "withheld" ? withheld : result });
}

/** Null = it runs on. */
function endOf(task: Made): Fate["end"] | null {
  task.polls += 1;
  return task.polls > task.fate.polls ? task.fate.end : null;
}

function submit(context: Context, maker: string, place: Maker, path: string, body: unknown) {
  const { response, made, fake } = context;
  const checked = place.schema(path).safeParse(body);
  if (!checked.success) return send(response, 400, place.error(z.prettifyError(checked.error)));
  const asked = checked.data as Record<string, unknown>;
  const model = place.model(asked, path);
  const kind = /-(429|500|silent|cut|empty|error)$/.exec(model)?.[1] ?? "";
  if (kind === "429" || kind === "500") return send(response, Number(kind), place.error(`status ${kind} it is`));
  if (kind === "silent") return;
  if (kind === "empty") return send(response, 200, {});
  if (kind === "error") return send(response, 200, place.error("all is lost"));
  if (kind === "cut") {
    response.writeHead(200, { "content-type": "application/json", "content-length": 100 });
    response.write('{"id":');
    setTimeout(() => response.destroy(), 20);
    return;
  }
  const task: Made = { id: `${maker}-up-${made.size + 1}`, maker, model, asked, fate: fake.fate, polls: 0 };
  made.set(task.id, task);
  send(response, 200, place.taken(task));
}

function sendVideo({ request, response, fake }: Context, isAllowed: boolean) {
  // A key that is sent to a strange host is lost.
  if (!isAllowed) return send(response, 403, { error: { message: "no keys here" } });
  if (fake.files === "page") {
    response.writeHead(200, { "content-type": "text/html" });
    return void response.end("<script>alert(1)</script>");
  }
  if (fake.files === "cut") {
    response.writeHead(200, { "content-type": "video/mp4", "content-length": fake.video.length });
    return void response.write(fake.video.subarray(0, 1_000), () => response.destroy());
  }
  const [, from = "", to = ""] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "") ?? [];
  if (from === "") {
    response.writeHead(200, { "content-type": fake.videoType, "content-length": fake.video.length });
    return void response.end(fake.video);
  }
  const part = fake.video.subarray(Number(from), to === "" ? undefined : Number(to) + 1);
  const range = `bytes ${from}-${Number(from) + part.length - 1}/${fake.video.length}`;
  response.writeHead(206, { "content-type": fake.videoType, "content-length": part.length, "content-range": range });
  response.end(part);
}

function send(response: ServerResponse, status: number, value: unknown) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(value));
}
