import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { asRoot, call, setOptions } from "./accounts";
import { expect, expectAccessible, expectFits, speak, turn } from "./fixtures";
import { test } from "./own-server";
import { addUsage } from "./usage-rows";

// Prices are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

const PRICES = { second: 0.0005, picture: 0.01, "picture:1024x1024:hd": 0.08 };
const LIST = {
  "gpt-4o": { litellm_provider: "x", mode: "chat", input_cost_per_token: 2e-6, output_cost_per_token: 1e-5 },
  "whisper-1": {
    litellm_provider: "x",
    mode: "audio_transcription",
    input_cost_per_second: 0.0002,
    output_cost_per_second: 0,
  },
};
/** What the rounding of the lines makes of 12.5 seconds and one picture, in the group with ratio 0.5. */
const LINES = [
  { kind: "second", quantity: 12.5, unitPrice: 250, amount: 1_563 },
  { kind: "picture", variant: "1024x1024:hd", quantity: 1, unitPrice: 40_000, amount: 20_000 },
];

let server: Server;
test.beforeAll(async ({ ownServer: _ }) => {
  server = createServer((_request, response) => void response.end(JSON.stringify(LIST)));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  await setOptions({
    ModelRatio: { "live-model": 2.5 },
    ModelMeterPrices: { "live-model": PRICES, "page-model": { page: 0.004 } },
    ModelPrice: "{}",
  });
  await asRoot(async (root) => {
    const models = "live-model,page-model,whisper-1";
    const channel = { name: "meters", type: 1, models, group: "default", groups: ["default"], key: "sk-meters" };
    await call(root, "POST", "/api/channel/", channel);
    const { id } = (await call(root, "GET", "/api/user/self")) as { id: number };
    await addUsage([
      {
        requestId: "meters-1",
        username: "root",
        userId: id,
        createdAt: Math.floor(Date.now() / 1_000),
        model: "live-model",
        quota: 21_563,
        other: {
          model_ratio: 0,
          group_ratio: 0.5,
          model_price: -1,
          quota_per_unit: 500_000,
          lines: LINES,
          unpriced: ["page"],
          meters: [
            { meter: "second", quantity: 12.5, price: 0.0005 },
            { meter: "picture", variant: "1024x1024:hd", quantity: 1, price: 0.08 },
          ],
        },
      },
    ]);
  });
});
test.afterAll(async () => {
  server.close();
  // Other files use this server too, and would be sent to a channel that does not exist.
  await asRoot(async (root) => {
    const items = (await call(root, "GET", "/api/channel/search?keyword=meters")) as { id: number }[];
    for (const { id } of items) await call(root, "DELETE", `/api/channel/${id}`);
  });
  await setOptions({ ModelMeterPrices: "{}" });
});

/** On a wide screen in the light and English, then on a phone in the dark and Chinese: the open page, changed. */
async function onBoth(page: Page, look: (locale: "en" | "zh") => Promise<void>): Promise<void> {
  await look("en");
  await expectFits(page);
  await expectAccessible(page);
  await speak(page, "zh");
  await page.setViewportSize({ width: 390, height: 900 });
  await turn(page, "dark");
  await look("zh");
  await expectFits(page);
  await expectAccessible(page);
}

test("the price page has the prices of a model's other units beside those of its tokens", async ({
  rootPage: page,
}) => {
  const row = page.getByRole("row").filter({ hasText: "live-model" });
  // The channel was added a moment ago.
  await expect(async () => {
    // Other files leave models on this server.
    const prices = await (await page.request.get("/api/pricing")).text();
    expect(prices).toContain("live-model");
  }).toPass();
  await page.goto("/pricing?search=-model");
  await onBoth(page, async (locale) => {
    await expect(row).toContainText(locale === "en" ? "Prompt ￥5 / 1M tokens" : "提示 ￥5 / 1M Tokens");
    await expect(row).toContainText(locale === "en" ? "￥0.0005 / second" : "￥0.0005 / 秒");
    await expect(row).toContainText("(1024x1024:hd)");
    await expect(page.getByRole("row").filter({ hasText: "page-model" })).toContainText(
      locale === "en" ? "￥0.004 / page" : "￥0.004 / 页",
    );
  });
});

test("the log shows a charge by units as a sum that fits, and names what has no price", async ({ rootPage: page }) => {
  await page.goto("/log?model=live-model");
  await page
    .getByRole("row")
    .getByRole("button", { name: /live-model/ })
    .first()
    .click();
  await onBoth(page, async (locale) => {
    const bill = page.getByTestId("bill");
    await expect(bill).toContainText("1024x1024:hd");
    await expect(bill.getByTestId("bill-total")).toHaveText("￥0.043126");
    await expect(
      page.getByText(locale === "en" ? "there is no price for: Pages" : "没有价格，未计费：页数"),
    ).toBeVisible();
    const excess = () => bill.evaluate((table) => table.scrollWidth - (table.parentElement?.clientWidth ?? 0));
    if (locale === "en") await expect.poll(excess, "the table is cut off").toBeLessThanOrEqual(0);
  });
});

test("the editor of other units is readable on a phone, and changes a price", async ({ rootPage: page }) => {
  await page.goto("/setting?tab=operation#pricing");
  const unit = page.getByRole("dialog").getByRole("combobox").first();
  await onBoth(page, async (locale) => {
    const name = locale === "en" ? "Prices of other units: live-model" : "live-model 的其他计量价格";
    const button = page.getByRole("button", { name, includeHidden: true });
    if (locale === "en") await button.click();
    // Behind the open editor.
    else await expect(button).toBeAttached();
    await expect(unit).toHaveValue("second");
    expect((await unit.boundingBox())?.width).toBeGreaterThan(150);
  });
  const price = page.getByRole("dialog").getByRole("textbox").nth(1);
  await price.fill("0.0006");
  await page.getByRole("dialog").getByRole("button", { name: "提交" }).click();
  await expect(page.getByRole("row").filter({ hasText: "live-model" })).toContainText("音视频时长 $0.0006");
});

test("the price sync compares prices of other units", async ({ rootPage: page }) => {
  const { port } = server.address() as AddressInfo;
  await page.goto("/setting/prices");
  await page.getByLabel("Address of the price list").fill(`http://127.0.0.1:${port}/prices.json`);
  await page.getByRole("button", { name: "Compare" }).click();
  const row = page.getByRole("row").filter({ hasText: "whisper-1" });
  await expect(row).toContainText("Audio or video time");
  await expect(row).toContainText("+100%");
});
