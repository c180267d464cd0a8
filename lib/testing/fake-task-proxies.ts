import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { z } from "zod";

type Json = Record<string, unknown>;
type Reply = { status: number; type?: string; body: unknown };
export type ProxyTask = { id: string; action: string; body: Json; state: Json };

const text = z.string().min(1);
const common = { state: z.string().optional(), botType: z.string().optional() };
const taskId = z.string().regex(/^up-\d+$/);
const base64s = z.array(text);

/** What a Midjourney proxy takes; anything else is refused with 400, so that no field is sent by mistake. */
const DRAWINGS: Readonly<Record<string, z.ZodType>> = {
  "submit/imagine": z.strictObject({
    ...common,
    prompt: text,
    base64Array: base64s.optional(),
    accountFilter: z.looseObject({}).optional(),
  }),
  "submit/change": z.strictObject({
    ...common,
    taskId,
    action: z.enum(["UPSCALE", "VARIATION", "REROLL"]),
    index: z.int().min(1).max(4).optional(),
  }),
  "submit/simple-change": z.strictObject({ ...common, content: z.string().regex(/^up-\d+ (?:[UV][1-4]|R)$/) }),
  "submit/describe": z.strictObject({ ...common, base64: text }),
  "submit/blend": z.strictObject({ ...common, base64Array: base64s.min(2).max(5), dimensions: z.string().optional() }),
  "submit/shorten": z.strictObject({ ...common, prompt: text }),
  "submit/action": z.strictObject({ ...common, taskId, customId: text }),
  "submit/modal": z.strictObject({
    ...common,
    taskId,
    maskBase64: z.string().optional(),
    prompt: z.string().optional(),
  }),
  "submit/upload-discord-images": z.strictObject({ ...common, base64Array: base64s.min(1) }),
  "insight-face/swap": z.strictObject({ ...common, sourceBase64: text, targetBase64: text }),
};
const MUSIC: Readonly<Record<string, z.ZodType>> = {
  MUSIC: z.strictObject({
    gpt_description_prompt: z.string().optional(),
    prompt: z.string().optional(),
    title: z.string().optional(),
    tags: z.string().optional(),
    mv: text,
    make_instrumental: z.boolean().optional(),
    task_id: taskId.optional(),
    continue_clip_id: z.string().optional(),
    continue_at: z.number().optional(),
  }),
  LYRICS: z.strictObject({ prompt: text }),
};

export type TaskProxies = Awaited<ReturnType<typeof startTaskProxies>>;

/** An odd answer; "hang" = none, "destroy" = the connection is closed. */
type Odd = Reply | "hang" | "destroy";

const PICTURES: Readonly<Record<string, Reply>> = {
  "/picture.png": { status: 200, type: "image/png", body: "PNG" },
  "/picture.html": { status: 200, type: "text/html", body: "<script>" },
  "/picture.svg": { status: 200, type: "image/svg+xml", body: "<svg/>" },
};

class Proxies {
  readonly tasks = new Map<string, ProxyTask>();
  readonly seen: { method: string; path: string; body: Json; key: string }[] = [];
  readonly behaviour = {
    /** Answers submissions instead of taking them; null = they are taken. */
    submit: null as ((body: Json) => Odd) | null,
    poll: null as (() => Odd) | null,
    /** What a task is when it was taken. */
    first: { status: "IN_PROGRESS", progress: "10%" } as Json,
    /** Sent as /picture.png instead of a text; null = the text. */
    picture: null as Buffer | null,
  };
  private count = 0;

  answer(method: string, path: string, key: string, body: Json): Odd {
    this.seen.push({ method, path, body, key });
    const picture = PICTURES[path];
    if (picture && this.behaviour.picture && path.endsWith(".png")) return { ...picture, body: this.behaviour.picture };
    if (picture) return picture;
    const isMusic = path.startsWith("/suno/");
    if (key !== (isMusic ? "Bearer good-key" : "good-key"))
      return { status: 401, body: { description: `bad key ${key}` } };
    const { submit, poll } = this.behaviour;
    if (submit && /submit|insight-face/.test(path)) return submit(body);
    if (poll && /list-by-condition|suno\/fetch/.test(path)) return poll();
    return isMusic ? this.answerMusic(path, body) : this.answerDrawing(path, body);
  }

  private take(action: string, body: Json): ProxyTask {
    this.count += 1;
    const task: ProxyTask = { id: `up-${this.count}`, action, body, state: { ...this.behaviour.first } };
    this.tasks.set(task.id, task);
    return task;
  }

  private answerDrawing(path: string, body: Json): Reply {
    const name = path.replace(/^(?:\/mj-(?:fast|relax|turbo))?\/mj\//, "");
    const schema = DRAWINGS[name];
    if (schema) {
      const parsed = schema.safeParse(body);
      if (!parsed.success) return { status: 400, body: { description: parsed.error.message } };
      const done = { code: 1, description: "Submit success" };
      if (name.includes("upload")) return { status: 200, body: { ...done, result: ["https://cdn.example/up.png"] } };
      return { status: 200, body: { ...done, result: this.take(name, body).id, properties: { instance: "d1" } } };
    }
    if (name === "task/list-by-condition")
      return { status: 200, body: this.known(body).map(({ id, state }) => ({ id, ...state })) };
    if (/^task\/up-\d+\/image-seed$/.test(name)) return { status: 200, body: { code: 1, result: "12345" } };
    return { status: 404, body: { description: "no such path" } };
  }

  private answerMusic(path: string, body: Json): Reply {
    const action = /^\/suno\/submit\/(MUSIC|LYRICS)$/.exec(path)?.[1] ?? "";
    const schema = MUSIC[action];
    if (schema) {
      const parsed = schema.safeParse(body);
      if (!parsed.success) return { status: 400, body: { code: "invalid_request", message: parsed.error.message } };
      return { status: 200, body: { code: "success", message: "", data: this.take(action, body).id } };
    }
    if (path !== "/suno/fetch") return { status: 404, body: { code: "not_found", message: "no such path" } };
    const data = this.known(body).map(({ id, state }) => ({ task_id: id, ...state }));
    return { status: 200, body: { code: "success", data } };
  }

  private known({ ids }: Json): ProxyTask[] {
    return (Array.isArray(ids) ? ids : []).flatMap((id) => this.tasks.get(String(id)) ?? []);
  }

  /** Gives a task this state, or all of them. */
  tell(state: Json, id?: string): void {
    for (const task of this.tasks.values()) if (id === undefined || task.id === id) task.state = { ...state };
  }

  last(): ProxyTask | undefined {
    return [...this.tasks.values()].at(-1);
  }
}

/** Proxies of Midjourney (`mj-api-secret`) and Suno (bearer) in one server. The key of both is `good-key`. */
export async function startTaskProxies() {
  const proxies = new Proxies();
  const server = createServer((request, response) => {
    serve(proxies, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  return Object.assign(proxies, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  });
}

async function serve(proxies: Proxies, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const text = Buffer.concat(parts).toString("utf8");
  const { method = "", url = "", headers } = request;
  const key = String(headers["mj-api-secret"] ?? headers.authorization ?? "");
  const reply = proxies.answer(method, url, key, text === "" ? {} : (JSON.parse(text) as Json));
  if (reply === "hang") return;
  if (reply === "destroy") {
    request.socket.destroy();
    return;
  }
  response.writeHead(reply.status, { "content-type": reply.type ?? "application/json" });
  const isWhole = typeof reply.body === "string" || Buffer.isBuffer(reply.body);
  response.end(isWhole ? reply.body : JSON.stringify(reply.body));
}
