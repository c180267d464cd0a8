// Midjourney proxies: every path and mode, follow-ups at the account that made the first task, pictures, options.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpTasks } from "../tasks-harness";

const { relay, ask, rowsOf, poll } = setUpTasks({ ServerAddress: "https://weir.example" });
const heard: unknown[] = [];
const listener = createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  heard.push(JSON.parse(text));
  response.end("ok");
});
beforeAll(() => new Promise<void>((done) => listener.listen(0, "127.0.0.1", () => done())));
afterAll(() => void listener.close());

type Json = Record<string, unknown>;
const picture = "data:image/png;base64,AAAA";

async function caller() {
  const { user, token } = await relay.addCaller();
  const send = (path: string, body?: unknown) => ask(token.key, path, body);
  /** A task that has succeeded. */
  async function drawn(): Promise<string> {
    const { json } = await send("/mj/submit/imagine", { prompt: "a heron" });
    relay.proxies.tell({ status: "SUCCESS", progress: "100%", imageUrl: `${relay.proxies.url}/picture.png` });
    await poll();
    return String(json.result);
  }
  return { user, token, send, drawn };
}

const sent = () => relay.proxies.seen.at(-1);

describe("submissions (contract §7.1)", () => {
  test.each<[string, Json, string, string]>([
    ["submit/imagine", { prompt: "a heron", base64Array: [picture], botType: "NIJI_JOURNEY" }, "IMAGINE", "mj_imagine"],
    ["submit/describe", { base64: picture }, "DESCRIBE", "mj_describe"],
    ["submit/blend", { base64Array: [picture, picture], dimensions: "SQUARE" }, "BLEND", "mj_blend"],
    ["submit/shorten", { prompt: "a very long prompt" }, "SHORTEN", "mj_shorten"],
    ["submit/upload-discord-images", { base64Array: [picture] }, "UPLOAD", "mj_upload"],
    ["insight-face/swap", { sourceBase64: picture, targetBase64: picture }, "SWAP_FACE", "swap_face"],
  ])("%s, in every mode", async (path, body, action, model) => {
    const { user, send } = await caller();
    for (const mode of ["", "/mj-fast", "/mj-relax", "/mj-turbo"]) {
      const { status, json } = await send(`${mode}/mj/${path}`, body);
      expect([status, json.code]).toEqual([200, 1]);
      expect(sent()).toMatchObject({ path: `${mode}/mj/${path}`, body, key: "good-key" });
    }
    expect(await rowsOf(user)).toMatchObject([{ action }, { action }, { action }, { action }]);
    expect((await relay.logsOf(user)).map((row) => row.model)).toEqual([model, model, model, model]);
  });

  test("an upload is done at once, and its answer is the list of addresses", async () => {
    const { user, send } = await caller();
    const { json } = await send("/mj/submit/upload-discord-images", { base64Array: [picture] });
    expect(json.result).toEqual(["https://cdn.example/up.png"]);
    expect(await rowsOf(user)).toMatchObject([{ status: "SUCCESS", progress: "100%" }]);
  });

  test.each<[string, (taskId: string) => Json, string]>([
    ["submit/change", (taskId) => ({ taskId, action: "UPSCALE", index: 2 }), "UPSCALE"],
    ["submit/change", (taskId) => ({ taskId, action: "REROLL" }), "REROLL"],
    ["submit/simple-change", (taskId) => ({ content: `${taskId} V3` }), "VARIATION"],
    ["submit/simple-change", (taskId) => ({ content: `${taskId} R` }), "REROLL"],
    ["submit/action", (taskId) => ({ taskId, customId: "MJ::JOB::upsample::1::abc" }), "UPSCALE"],
    ["submit/action", (taskId) => ({ taskId, customId: "MJ::JOB::high_variation::1::abc::SOLO" }), "HIGH_VARIATION"],
    ["submit/action", (taskId) => ({ taskId, customId: "MJ::Outpaint::50::1::abc::SOLO" }), "ZOOM"],
    ["submit/action", (taskId) => ({ taskId, customId: "MJ::CustomZoom::abc" }), "CUSTOM_ZOOM"],
    ["submit/action", (taskId) => ({ taskId, customId: "MJ::JOB::pan_left::1::abc::SOLO" }), "PAN"],
    ["submit/modal", (taskId) => ({ taskId, prompt: "with a boat", maskBase64: picture }), "MODAL"],
  ])("%s of a task of one's own names the upstream's id to the upstream", async (path, body, action) => {
    const { user, send, drawn } = await caller();
    const taskId = await drawn();
    const { json, status } = await send(`/mj/${path}`, body(taskId));
    expect([status, json.code]).toEqual([200, 1]);
    const [first, second] = await rowsOf(user);
    expect(second).toMatchObject({ action });
    expect(JSON.stringify(sent()?.body)).toContain(first?.upstreamId);
    expect(JSON.stringify(sent()?.body)).not.toContain(taskId);
  });

  test("inpainting is free: the modal step pays", async () => {
    const { user, send, drawn } = await caller();
    const taskId = await drawn();
    relay.proxies.behaviour.submit = () => ({
      status: 200,
      body: { code: 21, result: "up-1", properties: { status: "MODAL" }, description: "Waiting for window confirm" },
    });
    const { json } = await send("/mj/submit/action", { taskId, customId: "MJ::Inpaint::1::abc::SOLO" });
    expect(json.code).toBe(21);
    expect((await rowsOf(user))[1]).toMatchObject({ action: "INPAINT", status: "MODAL", code: 21, quota: 0 });
  });

  test.each<[string, Json, string]>([
    ["submit/imagine", {}, "prompt_is_required"],
    ["submit/change", { action: "UPSCALE", index: 1 }, "task_id_is_required"],
    ["submit/change", { taskId: "x", index: 1 }, "action_is_required"],
    ["submit/change", { taskId: "x", action: "UPSCALE", index: 9 }, "index_is_required"],
    ["submit/simple-change", { content: "" }, "content_is_required"],
    ["submit/simple-change", { content: "x U9" }, "content_parse_failed"],
    ["submit/action", { taskId: "x" }, "custom_id_is_required"],
    ["submit/action", { taskId: "x", customId: "MJ::Else" }, "unknown_action"],
    ["submit/blend", { base64Array: [picture] }, "base64Array_must_have_2_to_5_pictures"],
    ["insight-face/swap", { sourceBase64: picture }, "sour_base64_and_target_base64_is_required"],
    ["submit/change", { taskId: "nobodys", action: "REROLL" }, "task_not_found"],
  ])("%s with %j is 400 and asks nobody", async (path, body, code) => {
    const { user, send } = await caller();
    const before = relay.proxies.seen.length;
    const { status, json } = await send(`/mj/${path}`, body);
    expect([status, json]).toEqual([400, expect.objectContaining({ description: expect.stringContaining(code) })]);
    expect(relay.proxies.seen.length).toBe(before);
    expect(await relay.logsOf(user)).toEqual([]);
  });
});

describe("the proxy's refusals cost nothing", () => {
  test.each([
    [24, 400],
    [4, 400],
    [23, 429],
    [3, 503],
    [9, 502],
  ])("code %i is %i", async (code, status) => {
    const { user, send } = await caller();
    relay.proxies.behaviour.submit = () => ({ status: 200, body: { code, description: "no, by good-key" } });
    const answer = await send("/mj/submit/imagine", { prompt: "a heron" });
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ code });
    expect(answer.text).not.toContain("good-key");
    expect(await rowsOf(user)).toEqual([]);
    expect(await relay.balanceOf(user)).toEqual({ quota: 1_000_000, used: 0 });
  });

  test("an answer without an id takes no task", async () => {
    const { user, send } = await caller();
    for (const body of [{ code: 1 }, { code: 1, result: "" }, [1], "<html>", ""]) {
      relay.proxies.behaviour.submit = () => ({ status: 200, body });
      expect((await send("/mj/submit/imagine", { prompt: "a heron" })).status).toBeGreaterThanOrEqual(500);
    }
    expect(await rowsOf(user)).toEqual([]);
  });

  test("a user without quota is refused before the proxy is asked", async () => {
    const { token } = await relay.addCaller({ balance: 1 });
    const before = relay.proxies.seen.length;
    const { status } = await ask(token.key, "/mj/submit/imagine", { prompt: "a heron" });
    expect([status, relay.proxies.seen.length]).toEqual([429, before]);
  });
});

describe("whose tasks", () => {
  test("what others made can neither be fetched, listed, asked about nor gone on with", async () => {
    const { drawn } = await caller();
    const taskId = await drawn();
    const other = await caller();
    expect((await other.send(`/mj/task/${taskId}/fetch`)).json.description).toContain("task_no_found");
    expect((await other.send("/mj/task/list-by-condition", { ids: [taskId] })).text).toBe("[]");
    expect((await other.send(`/mj/task/${taskId}/image-seed`)).status).toBe(404);
    expect((await other.send("/mj/submit/change", { taskId, action: "REROLL" })).status).toBe(400);
    expect((await other.send("/mj/submit/simple-change", { content: `${taskId} U1` })).status).toBe(400);
  });

  test("many are listed in the order that was asked for; a seed is asked of the task's own account", async () => {
    const { send, drawn } = await caller();
    const [first, second] = [await drawn(), await drawn()];
    const { json } = await send("/mj/task/list-by-condition", { ids: [second, "nothing", first] });
    expect((json as unknown as Json[]).map(({ id }) => id)).toEqual([second, first]);
    expect((await send(`/mj/task/${first}/image-seed`)).json).toEqual({ code: 1, result: "12345" });
    expect((await send("/mj/task/list-by-condition", { ids: Array(501).fill("x") })).status).toBe(400);
  });

  test("a follow-up goes to the channel that made the task, or to none", async () => {
    const { send, drawn, user } = await caller();
    const taskId = await drawn();
    const baseUrl = relay.proxies.url;
    const better = { type: CHANNEL_TYPE.midjourneyPlus, baseUrl, models: "mj_reroll", priority: 99, key: "bad-key" };
    const id = await relay.addChannel(better);
    await relay.inForce();
    expect((await send("/mj/submit/change", { taskId, action: "REROLL" })).json.code).toBe(1);
    expect((await rowsOf(user))[1]?.channelId).toBe(relay.channelIds[0]);
    await relay.database.sql`update channels set status = 2 where id = ${relay.channelIds[0] ?? 0}`;
    await relay.inForce();
    const refused = await send("/mj/submit/change", { taskId, action: "REROLL" });
    expect([refused.status, refused.json.description]).toEqual([
      503,
      expect.stringContaining("get_channel_info_failed"),
    ]);
    await relay.database.sql`update channels set status = 1 where id = ${relay.channelIds[0] ?? 0}`;
    await relay.database.sql`delete from channels where id = ${id}`;
    await relay.inForce();
  });
});

describe("pictures", () => {
  test("a picture is public to those who know its id, and nothing that a browser would run", async () => {
    const { drawn, user } = await caller();
    const taskId = await drawn();
    const get = () => fetch(`${relay.url}/mj/image/${taskId}`);
    const good = await get();
    expect([good.status, await good.text(), good.headers.get("content-type")]).toEqual([200, "PNG", "image/png"]);
    expect(good.headers.get("content-security-policy")).toContain("sandbox");
    for (const name of ["picture.html", "picture.svg", "none"]) {
      await relay.database.sql`
        update tasks set results = ${JSON.stringify([`${relay.proxies.url}/${name}`])}::text::jsonb where user_id = ${user}`;
      expect((await get()).status).toBe(502);
    }
    expect((await fetch(`${relay.url}/mj/image/nothing`)).status).toBe(404);
  });

  test("an address on the private network that the channel does not have is not fetched (contract §12 no. 32)", async () => {
    const { drawn, user } = await caller();
    const taskId = await drawn();
    const inside = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/`;
    await relay.database
      .sql`update tasks set results = ${JSON.stringify([inside])}::text::jsonb where user_id = ${user}`;
    const before = heard.length;
    expect((await fetch(`${relay.url}/mj/image/${taskId}`)).status).toBe(502);
    expect(heard.length).toBe(before);
  });

  test("addresses are the site's own while MjForwardUrlEnabled is on, else the proxy's (B322)", async () => {
    const { send, drawn } = await caller();
    const taskId = await drawn();
    const url = async () => (await send(`/mj/task/${taskId}/fetch`)).json.imageUrl;
    expect(await url()).toBe(`https://weir.example/mj/image/${taskId}`);
    await relay.setOption("MjForwardUrlEnabled", "false");
    await relay.inForce();
    expect(await url()).toBe(`${relay.proxies.url}/picture.png`);
    await relay.setOption("MjForwardUrlEnabled", "true");
    await relay.inForce();
  });
});

describe("options (A102)", () => {
  const body = {
    prompt: "a heron --fast --ar 3:2 --turbo",
    accountFilter: { instanceId: "x" },
    notifyHook: "http://x",
  };

  test("by default accounts cannot be chosen, and the proxy learns no address of the caller's", async () => {
    const { send } = await caller();
    await send("/mj/submit/imagine", body);
    expect(sent()?.body).toEqual({ prompt: body.prompt });
  });

  test("MjModeClearEnabled takes the speed out of the prompt; MjAccountFilterEnabled passes the filter on", async () => {
    const { send } = await caller();
    await relay.setOption("MjModeClearEnabled", "true");
    await relay.setOption("MjAccountFilterEnabled", "true");
    await relay.inForce();
    await send("/mj/submit/imagine", body);
    expect(sent()?.body).toEqual({ prompt: "a heron --ar 3:2", accountFilter: { instanceId: "x" } });
  });

  test("MjActionCheckSuccessEnabled: a follow-up needs a task that has succeeded", async () => {
    const { send } = await caller();
    const { json } = await send("/mj/submit/imagine", { prompt: "a heron" });
    const change = { taskId: json.result, action: "REROLL" };
    expect((await send("/mj/submit/change", change)).json.description).toContain("task_status_not_success");
    await relay.setOption("MjActionCheckSuccessEnabled", "false");
    await relay.inForce();
    expect((await send("/mj/submit/change", change)).json.code).toBe(1);
  });

  test("MjNotifyEnabled: an address on the private network is not told (contract §12 no. 32)", async () => {
    const { send } = await caller();
    await relay.setOption("MjNotifyEnabled", "true");
    const notifyHook = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/hook`;
    await relay.inForce();
    await send("/mj/submit/imagine", { prompt: "a heron", notifyHook });
    relay.proxies.tell({ status: "SUCCESS", imageUrl: `${relay.proxies.url}/picture.png` });
    await poll();
    expect(heard).toEqual([]);
  });
});
