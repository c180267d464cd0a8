import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { taskUpstreams } from "@/lib/relay/operations/tasks/upstreams";
import { pollTasks } from "@/lib/relay/side/tasks/poll-tasks";
import { serviceAccount } from "@/lib/testing/service-account";
import { setUpRelay } from "../harness";

type Json = Record<string, unknown>;

/** How a platform is asked, and how it answers that it has taken a task. */
type Platform = {
  channel: (url: string) => { type: number; key?: string; other?: string };
  models: string;
  path: string;
  body: Json;
  /** What tells of a task; `word`: its state, where the answer to a submission has one. */
  taken: (id: string, word: unknown) => Json;
  /** What comes for a question about it. */
  polled: (id: string, word: unknown) => Json | Json[];
  ids?: readonly ((id: string) => Json)[];
  /** The platform says no, with a good status. */
  refusal: Json;
  /** An id as the platform gives them. */
  id: (count: number) => string;
};

const video = (model: string): Pick<Platform, "models" | "path" | "body"> => ({
  models: model,
  path: "/v1/video/generations",
  body: { model, prompt: "a heron", duration: 8 },
});

/**
 * Formats: https://platform.openai.com/docs/api-reference/videos/create,
 * https://app.klingai.com/global/dev/document-api/apiReference/model/textToVideo, https://ai.google.dev/gemini-api/docs/video,
 * https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/veo-video-generation,
 * https://www.volcengine.com/docs/82379/1520757, https://github.com/novicezk/midjourney-proxy/blob/main/docs/api.md,
 * https://docs.newapi.pro/en/api/suno-music
 */
const PLATFORMS: Readonly<Record<string, Platform>> = {
  sora: {
    channel: () => ({ type: CHANNEL_TYPE.openai }),
    ...video("sora-l"),
    id: (count) => `video_${count}`,
    taken: (id, status) => ({ id, object: "video", status, progress: 0 }),
    polled: (id, status) => ({ id, object: "video", status }),
    ids: [
      (id) => ({ task_id: id }),
      (id) => ({ data: { id, status: "queued" } }),
      (id) => ({ code: 0, data: { task_id: id } }),
      (id) => ({ code: "success", message: "", data: id }),
      (id) => ({ data: [{ id }] }),
      (id) => ({ code: 0, data: { task: { id } } }),
      (id) => ({ jobId: id, state: "queued" }),
    ],
    refusal: { error: { message: "no such voice", type: "invalid_request_error", code: "bad" } },
  },
  kling: {
    channel: () => ({ type: CHANNEL_TYPE.kling, key: "access|secret" }),
    ...video("kling-l"),
    id: (count) => `8${count}`,
    taken: (id, word) => ({ code: 0, message: "SUCCEED", data: { task_id: id, task_status: word } }),
    polled: (id, word) => ({ code: 0, data: { task_id: id, task_status: word } }),
    ids: [
      (id) => ({ task_id: id }),
      (id) => ({ code: 0, data: { id } }),
      (id) => ({ code: 200, data: { task_id: Number(id) } }),
    ],
    refusal: { code: 1303, message: "parallel task over resource pack limit", request_id: "r" },
  },
  veo: {
    channel: () => ({ type: CHANNEL_TYPE.gemini }),
    ...video("veo-l"),
    id: (count) => `models/veo-l/operations/o${count}`,
    taken: (name, word) => ({ name, metadata: { state: word } }),
    polled: (name, word) => ({ name, metadata: { state: word } }),
    refusal: { error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED" } },
  },
  vertex: {
    channel: (url) => ({
      type: CHANNEL_TYPE.vertex,
      other: "us-central1",
      key: serviceAccount({ token_uri: `${url}/oauth/token` }),
    }),
    ...video("veo-vertex-l"),
    id: (count) => `projects/p/locations/us-central1/publishers/google/models/veo-vertex-l/operations/o${count}`,
    taken: (name, word) => ({ name, metadata: { state: word } }),
    polled: (name, word) => ({ name, metadata: { state: word } }),
    refusal: { error: { code: 429, message: "quota", status: "RESOURCE_EXHAUSTED" } },
  },
  seedance: {
    channel: () => ({ type: CHANNEL_TYPE.volcengine }),
    ...video("seedance-l"),
    id: (count) => `cgt-${count}`,
    taken: (id, status) => ({ id, status }),
    polled: (id, status) => ({ id, status }),
    ids: [(id) => ({ task_id: id }), (id) => ({ data: { id } }), (id) => ({ data: { task_id: id }, error: null })],
    refusal: { error: { code: "AccountOverdueError", message: "overdue" } },
  },
  mj: {
    channel: () => ({ type: CHANNEL_TYPE.midjourneyPlus }),
    models: "mj_imagine",
    path: "/mj/submit/imagine",
    body: { prompt: "a heron" },
    id: (count) => `17000000000${count}`,
    taken: (id, word) => ({ code: 1, description: "ok", result: id, properties: { status: word } }),
    polled: (id, status) => [{ id, status }],
    ids: [
      (id) => ({ code: 1, result: Number(id) }),
      (id) => ({ code: 22, result: id }),
      (id) => ({ code: 200, description: "created", result: id }),
    ],
    refusal: { code: 23, description: "the queue is full", result: "14001929738841620" },
  },
  suno: {
    channel: () => ({ type: CHANNEL_TYPE.suno }),
    models: "suno_music",
    path: "/suno/submit/music",
    body: { prompt: "a song" },
    id: (count) => `song-${count}`,
    taken: (id, word) => ({ code: "success", message: "", data: id, status: word }),
    polled: (id, status) => ({ code: "success", data: [{ task_id: id, status }] }),
    ids: [
      (id) => ({ code: 200, msg: "success", data: { taskId: id } }),
      (id) => ({ code: "success", data: { task_id: id } }),
      (id) => ({ code: "ok", message: "taken", data: id }),
    ],
    refusal: { code: "fail", message: "no credits", data: null },
  },
};

const WORDS = [
  ...["unknown", "pending", "submitted", "succeeded", "", "queued", "in_progress", "processing", "running"],
  ...["completed", "succeed", "SUCCESS", "NOT_START", "TASK_STATUS_QUEUED", "Zzz…", 7, null, undefined],
];

/** What an answer may be instead of the task; `made`: the platform has made it all the same, or may have. */
const LOSSES: Readonly<Record<string, { made: boolean; answer: (response: ServerResponse, refusal: Json) => void }>> = {
  "cut before an answer": { made: true, answer: (response) => response.destroy() },
  "cut within its answer": {
    made: true,
    answer: (response) => {
      response.writeHead(200, { "content-length": "900" }).write('{"id":"x');
      response.destroy();
    },
  },
  "500 of the maker": { made: true, answer: (response) => send(response, 500, { error: { message: "internal" } }) },
  "500 without words": { made: true, answer: (response) => response.writeHead(500).end() },
  "502 of a proxy": { made: true, answer: (response) => response.writeHead(502).end("<html>Bad Gateway</html>") },
  504: { made: true, answer: (response) => response.writeHead(504).end() },
  520: { made: true, answer: (response) => response.writeHead(520).end() },
  524: { made: true, answer: (response) => response.writeHead(524).end() },
  408: { made: true, answer: (response) => send(response, 408, { error: { message: "timeout" } }) },
  "200 without an id": { made: true, answer: (response) => send(response, 200, { object: "task", created: 1 }) },
  "200 with nothing": { made: true, answer: (response) => response.writeHead(200).end() },
  "200 with a page": { made: true, answer: (response) => response.writeHead(200).end("<html>") },
  "200 with an empty id": { made: true, answer: (response) => send(response, 200, { id: "", name: "", data: "" }) },
  "200 with a good code alone": { made: true, answer: (response) => send(response, 200, { code: 200, data: null }) },
  "200 with good words alone": {
    made: true,
    answer: (response) => send(response, 200, { code: 0, message: "SUCCEED" }),
  },
  "200 with success as its message": { made: true, answer: (response) => send(response, 200, { message: "success" }) },
  "200 that says it is queued": { made: true, answer: (response) => send(response, 200, { msg: "queued", data: {} }) },
  503: { made: false, answer: (response) => send(response, 503, { error: { message: "overloaded" } }) },
  529: { made: false, answer: (response) => send(response, 529, { error: { message: "overloaded" } }) },
  429: { made: false, answer: (response) => send(response, 429, { error: { message: "slow down" } }) },
  "200 with words of a refusal": {
    made: false,
    answer: (response) => send(response, 200, { code: 500, message: "busy" }),
  },
  "200 that has failed": {
    made: false,
    answer: (response) => send(response, 200, { success: false, message: "failed" }),
  },
  "200 with a refusal": { made: false, answer: (response, refusal) => send(response, 200, refusal) },
};

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

const models = Object.values(PLATFORMS).map(({ models }) => models);
const relay = setUpRelay({
  prices: "unused",
  channels: [],
  options: {
    RetryTimes: "3",
    ModelMeterPrices: Object.fromEntries(
      models.filter((name) => name.endsWith("-l")).map((name) => [name, { second: 0.001 }]),
    ),
  },
});

/** How the submissions of a request are answered, by a word in its prompt; and what is told of tasks. */
type Plan = { asked: number; answer: (response: ServerResponse, asked: number) => void };
const plans = new Map<string, Plan>();
let told: unknown = null;
let count = 0;

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  if (request.url?.startsWith("/oauth")) return send(response, 200, { access_token: "t", expires_in: 3_600 });
  const plan = plans.get(/heron (\d+)/.exec(Buffer.concat(parts).toString("utf8"))?.[1] ?? "");
  if (!plan) return send(response, 200, told);
  plan.asked += 1;
  plan.answer(response, plan.asked);
});

beforeAll(async () => {
  vi.stubEnv("WEIR_EGRESS_ALLOW", "127.0.0.1");
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  for (const { channel, models } of Object.values(PLATFORMS)) {
    for (const priority of [0, -1]) await relay.addChannel({ ...channel(url), baseUrl: url, models, priority });
  }
  const { user } = await relay.addCaller();
  await relay.database.sql`update users set role = 100 where id = ${user}`;
  await relay.inForce();
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

/** Submits a task; `answer` gets an id that no other has. */
async function submitted(platform: Platform, answer: (response: ServerResponse, id: string, asked: number) => void) {
  count += 1;
  const id = platform.id(count);
  const plan: Plan = { asked: 0, answer: (response, asked) => answer(response, id, asked) };
  plans.set(String(count), plan);
  const body = JSON.stringify({ ...platform.body, prompt: `heron ${count}` });
  const { user, token } = await relay.addCaller();
  const headers = { "content-type": "application/json", authorization: `Bearer ${token.key}` };
  const response = await fetch(relay.url + platform.path, { method: "POST", headers, body });
  const text = await response.text();
  const rows = await rowsOf(user);
  return { id, text, rows, status: response.status, asked: plan.asked, ...(await relay.balanceOf(user)) };
}

type Row = { status: string; quota: number; upstreamId: string };
const rowsOf = (user: number) => relay.database.sql<Row[]>`
  select status, quota, upstream_id as "upstreamId" from tasks where user_id = ${user}`;

test("every platform of tasks is tried here", () => {
  expect(Object.keys(PLATFORMS).sort()).toEqual([...taskUpstreams.keys()].sort());
});

describe.each(Object.entries(PLATFORMS))("%s", (name, platform) => {
  test("a job that was taken is made once, followed and charged, whatever its state is called", async () => {
    const made = WORDS.map(async (word) => {
      const answered = await submitted(platform, (response, id) => send(response, 200, platform.taken(id, word)));
      const { status, asked, rows, used } = answered;
      return {
        word,
        status,
        asked,
        rows: rows.length,
        upstreamId: rows[0]?.upstreamId === answered.id,
        ...chargeOf(rows, used),
      };
    });
    const right = { status: 200, asked: 1, rows: 1, upstreamId: true, isRunning: true, isCharged: true };
    expect(await Promise.all(made)).toEqual(WORDS.map((word) => ({ word, ...right })));
  });

  test("a job that has failed when it is submitted is made nowhere else, and charged at most until that is seen", async () => {
    const made = ["failed", "FAILURE", "cancelled"].map((word) =>
      submitted(platform, (response, id) => send(response, 200, platform.taken(id, word))),
    );
    for (const { status, asked, rows, used } of await Promise.all(made)) {
      expect([asked, rows.length]).toEqual([1, status === 200 ? 1 : 0]);
      expect(used > 0).toBe(status === 200);
    }
  });

  test("its id is found wherever it stands", async () => {
    const made = (platform.ids ?? []).map((answer) =>
      submitted(platform, (response, id) => send(response, 200, answer(id))),
    );
    for (const { id, status, asked, rows } of await Promise.all(made)) {
      expect([status, asked, rows.map(({ upstreamId }) => upstreamId)]).toEqual([200, 1, [id]]);
    }
  });

  test("a job whose answer is lost is not made again, and costs nothing", async () => {
    const losses = Object.entries(LOSSES).filter(([, { made }]) => made);
    const lost = losses.map(async ([loss, { answer }]) => {
      const { status, text, asked, rows, used } = await submitted(platform, (response) =>
        answer(response, platform.refusal),
      );
      const isTold = text.includes("no other channel was asked; nothing is charged");
      return { loss, asked, isError: status >= 400, isTold, rows: rows.length, used };
    });
    const right = { asked: 1, isError: true, isTold: true, rows: 0, used: 0 };
    expect(await Promise.all(lost)).toEqual(losses.map(([loss]) => ({ loss, ...right })));
  });

  test("a job that was refused is made by the next channel", async () => {
    const refusals = Object.entries(LOSSES).filter(([, { made }]) => !made);
    const moved = refusals.map(async ([loss, { answer }]) => {
      const { status, asked, rows } = await submitted(platform, (response, id, asked) => {
        if (asked === 1) answer(response, platform.refusal);
        else send(response, 200, platform.taken(id, "queued"));
      });
      return [loss, status, asked, rows.length];
    });
    expect(await Promise.all(moved)).toEqual(refusals.map(([loss]) => [loss, 200, 2, 1]));
  });

  test("a word that is not known is no end, and root is told of it once", async () => {
    const { sql } = relay.database;
    const { id } = await submitted(platform, (response, id) => send(response, 200, platform.taken(id, "queued")));
    told = platform.polled(id, "pondering");
    // Only this one is asked about.
    await sql`update tasks set status = 'SUCCESS' where upstream_id <> ${id}`;
    await pollTasks(sql);
    await pollTasks(sql);
    const [row] = await sql<
      Row[]
    >`select status, quota, upstream_id as "upstreamId" from tasks where upstream_id = ${id}`;
    expect(row && chargeOf([row], row.quota)).toEqual({ isRunning: true, isCharged: true });
    // Google's operations have no word: they are done or not.
    if (name === "veo" || name === "vertex") return;
    const words = await sql`
      select from notifications where event = 'task_state_unknown' and params->>'platform' = ${name}
        and params->>'word' = 'pondering'`;
    expect(words).toHaveLength(1);
  });
});

function chargeOf(rows: readonly Row[], used: number): { isRunning: boolean; isCharged: boolean } {
  const [{ status, quota } = { status: "none", quota: 0 }] = rows;
  return {
    isRunning: !["SUCCESS", "FAILURE", "UNKNOWN", "none"].includes(status),
    isCharged: quota > 0 && quota === used,
  };
}
