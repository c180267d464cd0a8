import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { startDocumentUpstream } from "../lib/testing/fake-documents";
import { startMediaUpstream } from "../lib/testing/fake-media";
import { asRoot, call, deleteChannels } from "./accounts";
import { COLOUR_RULES, expect, expectAccessible, expectFits, expectInteractive, turn } from "./fixtures";
import { test } from "./own-server";

// Channels and prices are site-wide, so these tests have their own server.

const VECTORS = "text-embedding-3-small,text-embedding-3-small-429";
const MEDIA = "gpt-image-1,tts-1,whisper-1";
let documents: Awaited<ReturnType<typeof startDocumentUpstream>>;
let media: Awaited<ReturnType<typeof startMediaUpstream>>;

test.beforeAll(async ({ ownServer }) => {
  expect(ownServer).not.toBe("");
  [documents, media] = await Promise.all([startDocumentUpstream(), startMediaUpstream()]);
  await deleteChannels();
  await asRoot(async (root) => {
    const channel = { type: 1, key: "good-key", group: "default" };
    const vectors = { ...channel, name: "vectors", base_url: `${documents.url}/openai`, models: VECTORS };
    await call(root, "POST", "/api/channel/", vectors);
    await call(root, "POST", "/api/channel/", { ...channel, name: "media", base_url: media.url, models: MEDIA });
    const ratios = Object.fromEntries(VECTORS.split(",").map((model) => [model, 1]));
    await call(root, "PUT", "/api/option/", { key: "ModelRatio", value: JSON.stringify(ratios) });
  });
});
test.afterAll(() => Promise.all([documents.close(), media.close()]));

const run = (page: Page) => page.getByTestId("run");
const figures = (page: Page) => page.getByTestId("call-figures");

async function open(page: Page, tab: string): Promise<void> {
  await page.goto(`/playground?tab=${tab}`);
  await page.getByRole("navigation", { name: "Operations" }).waitFor();
  await expectInteractive(page);
}

/** Answers the next calls of an operation with this instead of an upstream's. */
const pretend = (
  page: Page,
  path: string,
  body: string | Buffer,
  { status = 200, contentType = "application/json", charge = 4_000 } = {},
) =>
  Promise.all([
    page.route(`**/pg/${path}?*`, (route) =>
      route.fulfill({ status, contentType, body, headers: { "x-oneapi-request-id": "request-1" } }),
    ),
    page.route("**/pg/charge?*", (route) =>
      route.fulfill({ json: { success: true, data: { quota: charge, prompt_tokens: 0, completion_tokens: 0 } } }),
    ),
  ]);

const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const event = (type: string) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: PICTURE.toString("base64") })}\n\n`;

/** Looks at the page in both themes, and on a phone. */
async function look(page: Page, shot: string): Promise<void> {
  const keep = async (name: string) => {
    if (process.env.WEIR_SHOTS) writeFileSync(`${process.env.WEIR_SHOTS}/${name}.png`, await page.screenshot());
  };
  await expectAccessible(page);
  await keep(`${shot}-light`);
  await turn(page, "dark");
  await expectAccessible(page, { rules: COLOUR_RULES });
  await page.setViewportSize({ width: 390, height: 844 });
  await expectFits(page);
  await keep(`${shot}-phone-dark`);
  await turn(page, "light");
  await page.setViewportSize({ width: 1440, height: 900 });
}

test("texts become vectors with their similarity, their cost as the log has it, and a place in the history; a busy upstream is explained, and a call can be stopped", async ({
  rootPage,
  problems,
}) => {
  await open(rootPage, "embeddings");
  const panel = rootPage.getByRole("complementary", { name: "Parameters" });
  await panel.getByRole("button", { name: /^Model:/ }).click();
  const models = rootPage.getByRole("listbox", { name: "Model" }).getByRole("option");
  // Other files may have left channels on the same server.
  await expect(models.filter({ hasText: "text-embedding-3-small-429" })).toBeVisible();
  await expect(models.filter({ hasNotText: "embedding" })).toHaveCount(0);
  await models.filter({ hasText: /^text-embedding-3-small$/ }).click();
  await panel.getByLabel("Dimensions").fill("12");
  const texts = rootPage.getByRole("textbox", { name: "Texts" });
  await texts.fill("river\nweir\n\nstream");
  const sent = rootPage.waitForRequest("**/pg/embeddings?*");
  await texts.press("Control+Enter");
  expect((await sent).postDataJSON()).toEqual({
    model: "text-embedding-3-small",
    input: ["river", "weir", "stream"],
    dimensions: 12,
    encoding_format: "float",
  });
  await expect(run(rootPage)).toHaveAttribute("data-state", "done");
  const vectors = run(rootPage).getByRole("region", { name: "Vectors" });
  await expect(vectors.getByRole("row").nth(1)).toContainText("5.0000, 0.0000, 0.5000");
  await expect(run(rootPage).getByRole("table", { name: "Similarity (cosine)" })).toContainText("1.000");
  await expect(figures(rootPage)).toContainText("21 in · 0 out");
  await expect(figures(rootPage)).toContainText("charged");
  await look(rootPage, "embeddings");

  await rootPage.reload();
  await expect(panel.getByLabel("Dimensions")).toHaveValue("12");
  await rootPage.getByRole("button", { name: "History" }).click();
  await rootPage.getByRole("button", { name: /^river/ }).click();
  await expect(texts).toHaveValue("river\nweir\n\nstream");
  await expect(run(rootPage)).toContainText("5.0000");
  await rootPage.getByRole("button", { name: "View code" }).click();
  const code = rootPage.getByRole("dialog", { name: "View code" }).locator("pre");
  await expect(code).toContainText("/v1/embeddings");
  await expect(code).toContainText('"dimensions": 12');
  await rootPage.keyboard.press("Escape");

  await rootPage.getByRole("textbox", { name: "Texts" }).fill("one");
  await pretend(rootPage, "embeddings", '{"error":{"message":"slow down"}}', { status: 429 });
  await rootPage.getByRole("button", { name: "Embed", exact: true }).click();
  await expect(run(rootPage).getByRole("alert")).toContainText("slow down");
  await expect(run(rootPage).getByRole("alert")).toContainText("Too many requests");
  await rootPage.unrouteAll();
  const poor = JSON.stringify({ error: { message: "no quota", code: "insufficient_quota" } });
  await pretend(rootPage, "embeddings", poor, { status: 403 });
  await rootPage.getByRole("button", { name: "Embed", exact: true }).click();
  await expect(run(rootPage).getByRole("link", { name: "Go to the wallet" })).toBeVisible();
  await rootPage.unrouteAll();
  await rootPage.route("**/pg/embeddings?*", () => {});
  await rootPage.getByRole("button", { name: "Embed", exact: true }).click();
  await rootPage.getByRole("button", { name: "Stop" }).click();
  await expect(run(rootPage)).toHaveAttribute("data-state", "stopped");
  problems.splice(0);
});

test("a picture is drawn with its sketches, opens large, and its small copy is kept", async ({ rootPage }) => {
  await open(rootPage, "images");
  const panel = rootPage.getByRole("complementary", { name: "Parameters" });
  await expect(panel.getByRole("button", { name: "Model: gpt-image-1" })).toBeVisible();
  await panel.getByLabel("Size").fill("1024x1024");
  await panel.getByLabel("Quality").selectOption("high");
  await panel.getByLabel("Previews while drawing").fill("1");
  await rootPage.getByRole("textbox", { name: "Prompt" }).fill("a weir at dawn");
  const stream = `${event("image_generation.partial_image")}${event("image_generation.completed")}`;
  await pretend(rootPage, "images/generations", stream, { contentType: "text/event-stream" });
  const sent = rootPage.waitForRequest("**/pg/images/generations?*");
  await rootPage.getByRole("button", { name: "Draw" }).click();
  expect((await sent).postDataJSON()).toMatchObject({ size: "1024x1024", quality: "high", partial_images: 1 });
  const picture = run(rootPage).getByRole("button", { name: "Enlarge Image 1" });
  await expect(picture).toHaveAttribute("data-kind", "whole");
  await expect(figures(rootPage)).toContainText("￥0.008000 charged");
  const shown = await picture
    .getByRole("img")
    .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
  expect(shown).toBe(1);
  await look(rootPage, "images");
  await picture.click();
  await expect(rootPage.getByRole("dialog", { name: "Image 1" })).toContainText("a weir at dawn");
  await rootPage.keyboard.press("Escape");
  await rootPage.reload();
  await rootPage.getByRole("button", { name: "History" }).click();
  await rootPage.getByRole("button", { name: /^a weir at dawn/ }).click();
  await expect(picture).toHaveAttribute("data-kind", "thumbnail");
});

test("a model in the URL opens its tab, and a tab goes on while another is shown; a text is spoken by an upstream, with its charge, and can be played and downloaded", async ({
  rootPage,
}) => {
  await rootPage.goto("/playground?model=whisper-1");
  const tabs = rootPage.getByRole("navigation", { name: "Operations" });
  await expect(tabs.getByRole("button", { name: "Transcription" })).toHaveAttribute("aria-current", "page");
  await expectInteractive(rootPage);
  await tabs.getByRole("button", { name: "Embeddings" }).click();
  await rootPage.getByRole("textbox", { name: "Texts" }).fill("kept");
  await tabs.getByRole("button", { name: "Speech" }).click();
  await expect(rootPage.getByRole("textbox", { name: "Texts" })).toBeHidden();
  await tabs.getByRole("button", { name: "Embeddings" }).click();
  await expect(rootPage.getByRole("textbox", { name: "Texts" })).toHaveValue("kept");
  await expect(rootPage).toHaveURL(/tab=embeddings/);
  await tabs.getByRole("button", { name: "Speech" }).click();
  const panel = rootPage.getByRole("complementary", { name: "Parameters" });
  await panel.getByLabel("Voice").fill("nova");
  await rootPage.getByRole("textbox", { name: "Text", exact: true }).fill("The river runs.");
  await rootPage.getByRole("button", { name: "Speak" }).click();
  await expect(run(rootPage).getByLabel("Spoken text")).toHaveAttribute("src", /^blob:/);
  // 15 characters at $0.000015.
  await expect(figures(rootPage)).toContainText("￥0.000226 charged");
  expect(media.seen.at(-1)?.fields).toMatchObject({ model: "tts-1", input: "The river runs.", voice: "nova" });
  await look(rootPage, "speech");
  const download = rootPage.waitForEvent("download");
  await run(rootPage).getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("speech.mp3");
});

test("a chosen file is transcribed by an upstream; one that is too large is not sent (zh)", async ({ rootPage }) => {
  await rootPage.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await rootPage.goto("/playground?tab=transcriptions");
  await expectInteractive(rootPage);
  const choose = rootPage.getByLabel("选择文件");
  const send = rootPage.getByRole("button", { name: "转写", exact: true }).and(rootPage.locator("[data-slot=button]"));
  // Made in the page: half of the test's time would go into sending it to the browser.
  const dropped = await rootPage.evaluateHandle(
    (bytes) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(bytes)], "a.mp3", { type: "audio/mpeg" }));
      return data;
    },
    25 * 1_048_576 + 1,
  );
  await rootPage.getByTestId("file-drop").dispatchEvent("drop", { dataTransfer: dropped });
  await expect(rootPage.getByText("文件过大。")).toBeVisible();
  await expect(send).toBeDisabled();
  await choose.setInputFiles({ name: "b.mp3", mimeType: "audio/mpeg", buffer: Buffer.alloc(100_000) });
  await rootPage.getByRole("complementary", { name: "参数" }).getByLabel("音频语言").fill("en");
  await send.click();
  await expect(rootPage.getByTestId("transcript")).toHaveText("the quick brown fox");
  // 3 seconds at $0.0001.
  await expect(figures(rootPage)).toContainText("扣费 ￥0.000300");
  expect(media.seen.at(-1)).toMatchObject({
    fields: { language: "en" },
    files: [{ fileName: "b.mp3", bytes: 100_000 }],
  });
  await look(rootPage, "transcription");
});
