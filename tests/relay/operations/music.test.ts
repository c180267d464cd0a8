// Suno proxies (contract §7.2): songs and their texts, fetched one and many, continued at the account that made them.
import { expect, test } from "vitest";
import { setUpTasks } from "../tasks-harness";

const { relay, ask, rowsOf, poll } = setUpTasks();
type Json = Record<string, unknown>;

async function caller() {
  const { user, token } = await relay.addCaller();
  return { user, send: (path: string, body?: unknown) => ask(token.key, path, body) };
}

const songs = [{ id: "clip-1", title: "Over the weir", audio_url: "https://cdn.example/1.mp3", status: "complete" }];

test("a song from its submission to its address, charged once", async () => {
  const { user, send } = await caller();
  const submitted = await send("/suno/submit/music", { gpt_description_prompt: "a folk song", tags: "calm" });
  expect(submitted).toMatchObject({ status: 200, json: { code: "success", data: expect.stringMatching(/^\w{32}$/) } });
  const taskId = String(submitted.json.data);
  expect(relay.proxies.last()).toMatchObject({ action: "MUSIC", body: { mv: "chirp-v3-0", tags: "calm" } });
  relay.proxies.tell({ status: "SUCCESS", progress: "100%", start_time: 1_790_000_000, data: songs });
  await poll();
  const { json } = await send(`/suno/fetch/${taskId}`);
  expect(json).toMatchObject({
    code: "success",
    data: { task_id: taskId, action: "MUSIC", status: "SUCCESS", start_time: 1_790_000_000, data: songs },
  });
  expect((json.data as Json).submit_time).toBeLessThan(10_000_000_000);
  expect(await relay.logsOf(user)).toMatchObject([{ model: "suno_music", quota: 50_000 }]);
  const many = await send("/suno/fetch", { ids: [taskId, "nothing"] });
  expect((many.json.data as Json[]).map(({ task_id }) => task_id)).toEqual([taskId]);
});

test("lyrics cost what lyrics cost, and a failure gives it back with its reason", async () => {
  const { user, send } = await caller();
  const { json } = await send("/suno/submit/lyrics", { prompt: "a weir" });
  expect(await relay.balanceOf(user)).toEqual({ quota: 995_000, used: 5_000 });
  relay.proxies.tell({ status: "FAILURE", fail_reason: "moderated" }, relay.proxies.last()?.id);
  await poll();
  expect((await send(`/suno/fetch/${json.data}`)).json.data).toMatchObject({
    status: "FAILURE",
    fail_reason: "moderated",
  });
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
});

test("a song is continued under the upstream's own id, and only by its owner", async () => {
  const { send, user } = await caller();
  const first = await send("/suno/submit/music", { prompt: "one" });
  const body = { prompt: "two", continue_clip_id: "clip-1", continue_at: 60, task_id: first.json.data };
  expect((await send("/suno/submit/music", body)).status).toBe(200);
  expect(relay.proxies.last()?.body).toMatchObject({ task_id: (await rowsOf(user))[0]?.upstreamId });
  const other = await caller();
  expect((await other.send("/suno/submit/music", body)).json).toMatchObject({ code: "task_not_found", data: null });
  expect((await other.send(`/suno/fetch/${first.json.data}`)).json).toMatchObject({ code: "task_not_exist" });
});

test("what cannot be a song is refused before anybody is asked, and a refusal of the proxy costs nothing", async () => {
  const { user, send } = await caller();
  const before = relay.proxies.seen.length;
  for (const body of [{}, { prompt: "" }, { prompt: "x", continue_clip_id: "c" }, []]) {
    expect((await send("/suno/submit/music", body)).status).toBe(400);
  }
  expect((await send("/suno/submit/lyrics", {})).status).toBe(400);
  expect(relay.proxies.seen.length).toBe(before);
  relay.proxies.behaviour.submit = () => ({ status: 200, body: { code: "invalid_request", message: "too long" } });
  expect((await send("/suno/submit/music", { prompt: "x" })).json).toMatchObject({
    message: expect.stringContaining("too long"),
  });
  relay.proxies.behaviour.submit = () => ({ status: 200, body: { code: "success", data: "" } });
  expect((await send("/suno/submit/music", { prompt: "x" })).status).toBeGreaterThanOrEqual(500);
  expect(await rowsOf(user)).toEqual([]);
  expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
});
