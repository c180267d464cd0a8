// The file of a video task, as players in the console get it.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { GET } from "@/app/pg/[...path]/route";
import { channels, tasks } from "@/db/schema";
import { seal } from "@/lib/crypto";
import { relayHost } from "@/lib/playground/relay-host";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { startVideoUpstreams } from "@/lib/testing/fake-video";
import { type Person, setUpApi } from "./harness";

const api = setUpApi();
let makers: Awaited<ReturnType<typeof startVideoUpstreams>>;
let channelId = 0;

beforeAll(async () => {
  makers = await startVideoUpstreams();
  const channel = { type: CHANNEL_TYPE.soraVideo, baseUrl: `${makers.url}/sora`, models: "sora-t" };
  const [row] = await api.database.db
    .insert(channels)
    .values({ ...channel, name: "sora", group: "default", keyCipher: seal("good-key") })
    .returning({ id: channels.id });
  channelId = row?.id ?? 0;
});
beforeEach(() => {
  makers.videoType = "video/mp4";
});
afterAll(async () => {
  await (await relayHost()).stop();
  await makers.close();
});

let count = 0;

/** A task of this person that the maker has made. Returns its row's id. */
async function addTask(owner: Person, more: Partial<typeof tasks.$inferInsert> = {}): Promise<number> {
  const made = await fetch(`${makers.url}/sora/v1/videos`, {
    method: "POST",
    headers: { authorization: "Bearer good-key", "content-type": "application/json" },
    body: JSON.stringify({ model: "sora-t", prompt: "a weir" }),
  });
  const { id: upstreamId } = (await made.json()) as { id: string };
  count += 1;
  const [row] = await api.database.db
    .insert(tasks)
    .values({
      taskId: `video_${count}`,
      platform: "sora",
      wire: "video",
      action: "text2video",
      userId: owner.id,
      channelId,
      upstreamId,
      status: "SUCCESS",
      createdAt: 1,
      updatedAt: 1,
      ...more,
    })
    .returning({ id: tasks.id });
  return row?.id ?? 0;
}

type Asking = { headers?: Record<string, string>; signal?: AbortSignal };

/** As a player asks: with the cookie, and without the header of the user's id. */
function ask(as: Person | null, id: number, { headers = {}, signal }: Asking = {}): Promise<Response> {
  const request = new Request(`http://weir.example/pg/videos/${id}/content`, {
    headers: { ...(as ? { cookie: as.cookie, "sec-fetch-site": "same-origin" } : {}), ...headers },
    ...(signal ? { signal } : {}),
  });
  return GET(request, { params: Promise.resolve({ path: ["videos", String(id), "content"] }) });
}

test("a user's own video comes whole and in parts, and as nothing that a browser would run", async () => {
  const id = await addTask(api.alice);
  const whole = await ask(api.alice, id);
  expect(whole.status).toBe(200);
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "video/mp4",
    "content-length": String(makers.video.length),
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "cache-control": "private, max-age=3600",
    "content-disposition": `inline; filename="video-${id}.mp4"`,
  });
  expect(Buffer.from(await whole.arrayBuffer()).equals(makers.video)).toBe(true);
  const part = await ask(api.alice, id, { headers: { range: "bytes=100-199" } });
  expect(part.status).toBe(206);
  expect(part.headers.get("content-range")).toBe(`bytes 100-199/${makers.video.length}`);
  expect(Buffer.from(await part.arrayBuffer()).equals(makers.video.subarray(100, 200))).toBe(true);
  makers.videoType = "video/webm";
  expect((await ask(api.alice, id)).headers.get("content-disposition")).toContain(".webm");
});

test("administrators see all videos, users only their own, and nobody without a session of this site", async () => {
  const id = await addTask(api.alice);
  const asked = () => makers.seen.length;
  expect((await ask(api.admin, id)).status).toBe(200);
  const before = asked();
  expect(await (await ask(api.bob, id)).json()).toMatchObject({ success: false, message: "任务不存在" });
  expect(await (await ask(api.alice, 2_000_000_000)).json()).toMatchObject({ success: false });
  expect((await ask(null, id)).status).toBe(401);
  const bearer = { authorization: `Bearer ${api.alice.accessToken}`, "new-api-user": String(api.alice.id) };
  expect((await ask(null, id, { headers: bearer })).status, "a system access token").toBe(401);
  expect((await ask(api.alice, id, { headers: { "sec-fetch-site": "cross-site" } })).status).toBe(401);
  expect(asked(), "the maker was asked for none of them").toBe(before);
});

test("what is no finished video is refused, and so is what a browser would run", async () => {
  const song = await addTask(api.alice, { wire: "suno", platform: "suno" });
  expect(await (await ask(api.alice, song)).json()).toMatchObject({ success: false });
  const running = await addTask(api.alice, { status: "IN_PROGRESS" });
  expect((await ask(api.alice, running)).status).toBe(409);
  const gone = await addTask(api.alice, { upstreamId: "sora-up-none" });
  expect((await ask(api.alice, gone)).status).toBe(404);
  const id = await addTask(api.alice);
  for (const type of ["text/html", "image/svg+xml", "application/javascript"]) {
    makers.videoType = type;
    const answer = await ask(api.alice, id);
    expect([answer.status, answer.headers.get("content-type")]).toEqual([502, "application/json; charset=utf-8"]);
    expect(await answer.text()).not.toContain("good-key");
  }
  makers.videoType = "video/mp4";
  const odd = await ask(api.alice, id, { headers: { range: "bytes=0-1,5-9" } });
  expect(odd.status, "several parts at a time are not asked for").toBe(200);
  await odd.body?.cancel();
});

test("a user holds so many players at a time, and a player that leaves gives its place back", async () => {
  const { video } = makers;
  // More than the connections on the way hold.
  makers.video = Buffer.alloc(24 * 1_048_576, 1);
  const id = await addTask(api.bob);
  const players = Array.from({ length: 8 }, () => new AbortController());
  await Promise.all(players.map(({ signal }) => ask(api.bob, id, { signal })));
  const refused = await ask(api.bob, id);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"]);
  await refused.body?.cancel();
  for (const player of players) player.abort();
  makers.video = video;
  const again = async () => {
    const answer = await ask(api.bob, id);
    await answer.arrayBuffer();
    return answer.status;
  };
  await expect.poll(again, { interval: 20 }).toBe(200);
});
