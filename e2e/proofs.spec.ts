// What is made by other means than a conversation, each from the key to the charge in the log, which is opened at the end.
import { writeFileSync } from "node:fs";
import type { Locator, Page } from "@playwright/test";
import { startMediaUpstream } from "../lib/testing/fake-media";
import { startTaskProxies } from "../lib/testing/fake-task-proxies";
import { startVideoUpstreams } from "../lib/testing/fake-video";
import { asRoot, call, deleteChannels, setOptions } from "./accounts";
import { COLOUR_RULES, expect, expectAccessible, expectFits, expectInteractive, turn } from "./fixtures";
import { makePng, makeWav, WEBM } from "./media-files";
import { test } from "./own-server";
import { TokenPage } from "./pages/token-page";

// One story: the first test makes the key and submits what takes its time, the last ones look at it.
test.describe.configure({ mode: "serial" });

const SONG_URL = "https://cdn.example/over-the-weir.wav";
const PICTURE = makePng(480, 320);
const TYPE = { openai: 1, midjourneyPlus: 5, suno: 36, sora: 55 };

let media: Awaited<ReturnType<typeof startMediaUpstream>>;
let proxies: Awaited<ReturnType<typeof startTaskProxies>>;
let makers: Awaited<ReturnType<typeof startVideoUpstreams>>;
let key = "";
const ids = { song: "", video: "", drawing: "" };

test.beforeAll(async ({ ownServer: _ }) => {
  [media, proxies, makers] = await Promise.all([startMediaUpstream(), startTaskProxies(), startVideoUpstreams()]);
  await deleteChannels();
  media.picture = PICTURE.toString("base64");
  proxies.behaviour.picture = PICTURE;
  Object.assign(makers, { video: WEBM, videoType: "video/webm" });
  await setOptions({
    ModelPrice: { suno_music: 0.1, mj_imagine: 0.08 },
    ModelMeterPrices: { "dall-e-3": { picture: 0.04 }, "sora-t": { second: 0.001 }, "whisper-1": { second: 0.0001 } },
  });
  const channels = [
    { name: "media", type: TYPE.openai, base_url: media.url, models: "dall-e-3,whisper-1" },
    { name: "songs", type: TYPE.suno, base_url: proxies.url, models: "suno_music" },
    { name: "drawings", type: TYPE.midjourneyPlus, base_url: proxies.url, models: "mj_imagine" },
    { name: "videos", type: TYPE.sora, base_url: `${makers.url}/sora`, models: "sora-t" },
  ];
  await asRoot(async (root) => {
    for (const channel of channels) {
      await call(root, "POST", "/api/channel/", { ...channel, key: "good-key", group: "default" });
    }
  });
});
test.afterAll(() => Promise.all([media.close(), proxies.close(), makers.close()]));

type Json = Record<string, unknown>;

/** Calls the gateway as a program does, with the key alone. */
async function ask(path: string, body?: unknown): Promise<Json> {
  const answer = await fetch(`${process.env.WEIR_E2E_URL}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(answer.status, path).toBe(200);
  return (await answer.json()) as Json;
}

async function keep(page: Page, name: string): Promise<void> {
  if (process.env.WEIR_SHOTS) writeFileSync(`${process.env.WEIR_SHOTS}/${name}.png`, await page.screenshot());
}

/** Looks at what is open on a wide screen in the light, then on a phone in the dark. */
async function onBoth(page: Page, name: string): Promise<void> {
  for (const [theme, width] of [
    ["light", 1440],
    ["dark", 390],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await turn(page, theme);
    await expectFits(page);
    await expectAccessible(page, theme === "light" ? {} : { rules: COLOUR_RULES });
    await keep(page, `${name}-${theme}`);
  }
}

/** How much of the table the page's width cuts off. */
const cutOff = (page: Page) =>
  page.getByRole("table").evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0));

const size = (image: Locator) =>
  image.evaluate((element: HTMLImageElement) =>
    element.decode().then(() => [element.naturalWidth, element.naturalHeight]),
  );

test("a key made in the console submits a song, a video and a drawing, and draws a picture", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  await tokens.open();
  await expectInteractive(rootPage);
  key = await tokens.create("proofs");
  ids.song = String((await ask("/suno/submit/music", { gpt_description_prompt: "a folk song", tags: "calm" })).data);
  ids.video = String((await ask("/v1/videos", { model: "sora-t", prompt: "a weir at dawn", seconds: "4" })).id);
  ids.drawing = String((await ask("/mj/submit/imagine", { prompt: "a weir at dawn" })).result);
  const song = { id: "clip-1", title: "Over the weir", audio_url: SONG_URL, metadata: { prompt: "The river runs" } };
  for (const { id, action } of proxies.tasks.values()) {
    const isSong = action === "MUSIC";
    const made = isSong ? { data: [song] } : { imageUrl: `${proxies.url}/picture.png` };
    proxies.tell({ status: "SUCCESS", progress: "100%", ...made }, id);
  }
  const drawn = await ask("/v1/images/generations", {
    model: "dall-e-3",
    prompt: "a weir",
    response_format: "b64_json",
  });
  expect(drawn.data).toMatchObject([{ b64_json: PICTURE.toString("base64") }]);
});

test("a picture is drawn in the browser", async ({ rootPage: page }) => {
  await page.goto("/playground?tab=images");
  await expectInteractive(page);
  await page.getByRole("textbox", { name: "Prompt" }).fill("a weir at dawn");
  await page.getByRole("button", { name: "Draw" }).click();
  const picture = page.getByTestId("run").getByRole("button", { name: "Enlarge Image 1" });
  expect(await size(picture.getByRole("img"))).toEqual([480, 320]);
  await expect(page.getByTestId("call-figures")).toContainText("￥0.040000 charged");
  await page.getByLabel("Edit an image").setInputFiles({ name: "weir.png", mimeType: "image/png", buffer: PICTURE });
  await expect(page.getByRole("img", { name: "weir.png" })).toBeVisible();
  await page.getByRole("button", { name: "Draw" }).click();
  await expect.poll(() => media.seen.at(-1)?.files).toMatchObject([{ name: "image", fileName: "weir.png" }]);
  expect(await size(picture.getByRole("img"))).toEqual([480, 320]);
  await expect(page.getByTestId("call-figures")).toContainText("￥0.040000 charged");
  await expectAccessible(page);
  await keep(page, "picture-light");
});

test("a recording is transcribed in the browser", async ({ rootPage: page }) => {
  await page.goto("/playground?tab=transcriptions");
  await expectInteractive(page);
  const file = { name: "river.wav", mimeType: "audio/wav", buffer: makeWav(1) };
  await page.getByLabel("Choose a file").setInputFiles(file);
  await page.getByRole("button", { name: "Transcribe", exact: true }).click();
  await expect(page.getByTestId("transcript")).toHaveText("the quick brown fox");
  expect(media.seen.at(-1)?.files).toMatchObject([{ fileName: "river.wav", bytes: file.buffer.length }]);
  await expect(page.getByTestId("call-figures")).toContainText("￥0.000300 charged");
});

test("a song that was asked for by HTTP is heard in the browser", async ({ rootPage: page }) => {
  test.slow();
  const state = async () => (await ask(`/suno/fetch/${ids.song}`)).data as Json;
  await expect.poll(state, { timeout: 40_000, intervals: [250] }).toMatchObject({ status: "SUCCESS" });
  await page.route(SONG_URL, (route) => route.fulfill({ contentType: "audio/wav", body: makeWav(1) }));
  await page.goto(`/task?id=${ids.song}`);
  await expectInteractive(page);
  await expect.poll(() => cutOff(page)).toBeLessThanOrEqual(0);
  await page.getByRole("button", { name: `Listen ${ids.song}` }).click();
  const audio = page.getByRole("dialog").locator("audio");
  await expect(page.getByRole("dialog")).toContainText("The river runs");
  await audio.evaluate((element: HTMLAudioElement) => {
    element.muted = true;
    return element.play();
  });
  await expect.poll(() => audio.evaluate((element: HTMLAudioElement) => element.currentTime)).toBeGreaterThan(0);
  expect(await audio.evaluate((element: HTMLAudioElement) => element.duration)).toBeCloseTo(1, 1);
  await onBoth(page, "song");
});

test("a video is watched and downloaded in the browser; both are offered in Chinese, too", async ({
  rootPage: page,
  rootServedPage,
}) => {
  test.slow();
  const state = () => ask(`/v1/videos/${ids.video}`);
  await expect.poll(state, { timeout: 40_000, intervals: [250] }).toMatchObject({ status: "completed" });
  await page.goto(`/task?id=${ids.video}`);
  await expectInteractive(page);
  const sent = page.waitForResponse("**/pg/videos/*/content");
  await page.getByRole("button", { name: `Watch ${ids.video}` }).click();
  const headers = (await sent).headers();
  expect(headers).toMatchObject({ "content-type": "video/webm", "x-content-type-options": "nosniff" });
  expect(headers["content-security-policy"]).toBe("default-src 'none'; sandbox");
  const video = page.getByRole("dialog").locator("video");
  const loaded = (element: HTMLVideoElement) => [element.readyState > 0, element.videoWidth, element.duration];
  await expect.poll(() => video.evaluate(loaded)).toEqual([true, 8, 1]);
  // It is over at once, which play() reports as an error.
  await video.evaluate((element: HTMLVideoElement) => void element.play().catch(() => {}));
  await expect.poll(() => video.evaluate((element: HTMLVideoElement) => element.ended)).toBe(true);
  await onBoth(page, "video");
  const download = page.waitForEvent("download");
  await page.getByRole("dialog").getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toMatch(/^video-\d+\.webm$/);

  const address = process.env.WEIR_E2E_URL ?? "";
  await rootServedPage.context().addCookies([{ name: "locale", value: "zh", url: address }]);
  await rootServedPage.goto("/task?pageSize=100");
  await expect(rootServedPage.getByRole("button", { name: `试听 ${ids.song}` })).toBeVisible();
  await expect(rootServedPage.getByRole("button", { name: `观看 ${ids.video}` })).toBeVisible();
});

test("a drawing of Midjourney is seen small and large in the browser", async ({ rootPage: page }) => {
  test.slow();
  const state = () => ask(`/mj/task/${ids.drawing}/fetch`);
  await expect.poll(state, { timeout: 40_000, intervals: [250] }).toMatchObject({ status: "SUCCESS" });
  await page.goto(`/midjourney?id=${ids.drawing}`);
  await expectInteractive(page);
  await expect.poll(() => cutOff(page)).toBeLessThanOrEqual(0);
  const small = page.getByRole("row").filter({ hasText: ids.drawing }).locator("img");
  await expect(small).toHaveAttribute("src", `/mj/image/${ids.drawing}`);
  expect(await size(small)).toEqual([480, 320]);
  await small.click();
  const large = page.getByRole("dialog").getByRole("img");
  expect(await size(large)).toEqual([480, 320]);
  await onBoth(page, "drawing");
  const title = page.getByRole("dialog").getByRole("heading", { name: ids.drawing });
  expect(await title.evaluate((text) => text.scrollWidth - text.clientWidth), "a long id").toBe(0);
  expect(await size(large)).toEqual([480, 320]);
});

/** meters.spec.ts looks at such a bill on a phone, in Chinese and in the dark. */
test("the charge of each is in the log, with how it came about", async ({ rootPage: page }) => {
  const charges = [
    { model: "dall-e-3", item: "Images", quantity: "1", total: "￥0.040000" },
    { model: "whisper-1", item: "Audio or video time", quantity: "3", total: "￥0.000300" },
    { model: "suno_music", item: "Call", quantity: "1", total: "￥0.100000" },
    { model: "sora-t", item: "Audio or video time", quantity: "4", total: "￥0.004000" },
    { model: "mj_imagine", item: "Call", quantity: "1", total: "￥0.080000" },
  ];
  const charged = async (model: string) =>
    (await asRoot((root) => call(root, "GET", `/api/log/?p=1&type=2&model_name=${model}`))) as { items: Json[] };
  for (const { model } of charges)
    await expect.poll(async () => (await charged(model)).items.length, "the log has the charge").toBeGreaterThan(0);
  await page.goto("/log?type=2&pageSize=100");
  await expectInteractive(page);
  for (const { model, item, quantity, total } of charges) {
    const button = page.getByRole("button", { name: `Show details of ${model}` }).first();
    await button.click();
    const bill = page.getByTestId("bill");
    await expect(bill.getByRole("row").nth(1)).toContainText(item);
    await expect(bill.getByRole("row").nth(1).getByRole("cell").first()).toHaveText(quantity);
    await expect(bill.getByTestId("bill-total")).toHaveText(total);
    await keep(page, `log-${model}`);
    await page.keyboard.press("Escape");
    await expect(bill).toHaveCount(0);
  }
});
