// Who: a caller with a small balance, who has many drawings, songs and videos made at once, with every field that clients know.
// What must hold: the balance never falls below 0 where the makers make what is dearest of what a request leaves open.
import { expect, test } from "vitest";
import { operations } from "@/lib/relay/operations";
import { setUpTasks } from "../relay/tasks-harness";
import { setUpVideos } from "../relay/videos-harness";
import { type Field, fieldsIn, GOOGLE, namesIn, OPENAI } from "./operation-catalogue";
import { BALANCE, namesOf, placeOf } from "./overspend-harness";
import type { Json } from "./scripted-upstream";

/** USD a second; five seconds cost 6,500 at the lower price, and 13,000 at the higher. */
const [LOW, HIGH] = [0.0026, 0.0052];
const DEARER = { second: LOW, "second:1080p": HIGH, "second:4k": HIGH, "second:pro": HIGH, "second:std:sound": HIGH };
const videos = setUpVideos({
  ModelMeterPrices: Object.fromEntries(["sora-t", "kling-t", "veo-t", "seedance-t"].map((model) => [model, DEARER])),
});
const perCall = Object.fromEntries(
  ["imagine", "describe", "blend", "shorten", "upload", "upscale", "variation", "reroll", "modal"]
    .map((name) => `mj_${name}`)
    .concat("swap_face", "suno_music", "suno_lyrics")
    .map((model) => [model, 0.026]),
);
const tasks = setUpTasks({ ModelPrice: perCall, MjActionCheckSuccessEnabled: "false" });

/** `follows`: where the body names a task that was made before. */
type Way = { path: string; body: Json; fields?: readonly Field[]; follows?: (taskId: string) => Json };

const picture = `data:image/png;base64,iVBORw0KGgo${"A".repeat(80)}`;
const prompt = "a weir";
const veo = "/v1beta/models/veo-t:predictLongRunning";
const place =
  (under: Json) =>
  ({ what, more }: Field): Field => ({ what, more: { ...under, parameters: more } });

const VIDEOS: readonly Way[] = [
  {
    ...{ path: "/v1/videos", body: { model: "sora-t", prompt } },
    fields: [...fieldsIn(`${OPENAI}/videos.d.ts`, "VideoCreateParams"), ...namesIn(namesOf("/v1/videos"))],
  },
  ...["sora-t", "kling-t", "veo-t", "seedance-t"].map((model) => ({
    ...{ path: "/v1/video/generations", body: { model, prompt } },
    fields: namesIn(namesOf("/v1/video/generations")),
  })),
  {
    ...{ path: "/kling/v1/videos/text2video", body: { model_name: "kling-t", prompt } },
    fields: namesIn(namesOf("/kling/v1/videos/text2video")),
  },
  {
    ...{ path: veo, body: { instances: [{ prompt }] } },
    fields: fieldsIn(GOOGLE, "GenerateVideosConfig").map(place({ instances: [{ prompt }] })),
  },
  {
    path: "/api/v3/contents/generations/tasks",
    body: { model: "seedance-t", content: [{ type: "text", text: prompt }] },
    fields: namesIn(namesOf("/api/v3/contents/generations/tasks")),
  },
];
const DRAWINGS: readonly Way[] = [
  { path: "/mj/submit/imagine", body: { prompt }, fields: namesIn(namesOf("/mj/submit/imagine")) },
  { path: "/mj/submit/describe", body: { base64: picture } },
  { path: "/mj/submit/blend", body: { base64Array: [picture, picture] } },
  { path: "/mj/submit/shorten", body: { prompt } },
  { path: "/mj/submit/upload-discord-images", body: { base64Array: [picture] } },
  { path: "/mj/insight-face/swap", body: { sourceBase64: picture, targetBase64: picture } },
  { path: "/mj/submit/change", body: { action: "UPSCALE", index: 1 }, follows: (taskId) => ({ taskId }) },
  { path: "/mj/submit/simple-change", body: {}, follows: (taskId) => ({ content: `${taskId} V2` }) },
  { path: "/mj/submit/modal", body: { prompt }, follows: (taskId) => ({ taskId }) },
  { path: "/suno/submit/music", body: { prompt }, fields: namesIn(namesOf("/suno/submit/music")) },
  { path: "/suno/submit/lyrics", body: { prompt }, fields: namesIn(namesOf("/suno/submit/lyrics")) },
];

test("every path of tasks is attacked (B317)", () => {
  const attacked = new Set([...VIDEOS, ...DRAWINGS].map(({ path }) => placeOf(path)));
  const ids = ["drawing", "music", "videos"];
  const all = operations.filter(({ id }) => ids.includes(id));
  const places = all.flatMap(({ id, endpoints }) => endpoints.map((_, at) => `${id} ${at}`));
  expect([...attacked].sort()).toEqual(places.sort());
});

type System = Pick<typeof videos, "ask" | "poll"> & { relay: typeof videos.relay | typeof tasks.relay };

/**
 * All fields at once, and forty plain requests of one caller; the balances when all has come to its end. The requests of a field are
 * all alike, so one with a third of the balance shows what three would: whether it costs more than was reserved.
 */
async function attack({ relay, ask, poll }: System, { path, body, fields = [], follows }: Way) {
  const single = { times: 1, balance: Math.floor(BALANCE / 3) };
  const all = [
    { what: "plain", more: {}, times: 40, balance: BALANCE },
    ...fields.map((one) => ({ ...one, ...single })),
  ];
  const asked = all.map(async ({ what, more, times, balance }) => {
    const { user, token } = await relay.addCaller({ balance: follows ? balance + 13_000 : balance });
    const made = follows ? await ask(token.key, "/mj/submit/imagine", { prompt }) : null;
    const rest = follows?.(String(made?.json.result)) ?? {};
    const asking = Array.from({ length: times }, () => ask(token.key, path, { ...body, ...rest, ...more }));
    const statuses = (await Promise.all(asking)).map(({ status }) => status);
    return { what, user, served: statuses.filter((status) => status === 200).length };
  });
  const begun = await Promise.all(asked);
  if ("makers" in relay) while ((await poll()).asked > 0);
  const { sql } = relay.database;
  const rows = await sql<{ id: number; quota: number }[]>`
    select id, quota from users where id in ${sql(begun.map(({ user }) => user))}`;
  const left = new Map(rows.map(({ id, quota }) => [id, quota]));
  return begun.map(({ what, user, served }) => ({ what, served, left: left.get(user) ?? 0 }));
}

test.each(VIDEOS)("$path with $body, every field (B317)", async (way) => {
  videos.relay.makers.fate = { polls: 0, end: "done", usual: "1080p" };
  const attacks = await attack(videos, way);
  expect(attacks.filter(({ left }) => left < 0)).toEqual([]);
  expect(attacks[0]?.served).toBeGreaterThan(0);
});

test.each(DRAWINGS)("$path, every field (B317)", async (way) => {
  const attacks = await attack(tasks, way);
  expect(attacks.filter(({ left }) => left < 0)).toEqual([]);
  expect(attacks[0]?.served).toBe(3);
});
