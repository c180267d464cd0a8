import type { Page } from "@playwright/test";
import { createAccount, signInToApi } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectAccessible, expectFits, expectInteractive, test, uniqueName } from "./fixtures";
import { addTasks, PIXEL, withDatabase } from "./media-rows";
import { awayFromFullHour } from "./turns";

const ROOT_ID = 1;
const seconds = () => Math.floor(Date.now() / 1000);
const rowOf = (page: Page, id: string) =>
  page.getByRole("row").filter({ has: page.getByRole("button", { name: id, exact: true }) });

test.beforeEach(() => {
  test.skip(!hasDatabase(), "the server's database is out of reach");
});

test("columns stand in their order; the id opens the whole record, and a finished song can be heard (B109)", async ({
  rootPage,
}) => {
  const id = uniqueName("song");
  const song = {
    title: "Over the weir",
    audio_url: "data:audio/wav;base64,UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=",
    image_url: PIXEL,
    metadata: { prompt: "The river runs", tags: "folk" },
  };
  const start = seconds() - 100;
  await addTasks([
    {
      task_id: id,
      user_id: ROOT_ID,
      submit_time: start,
      finish_time: start + 61,
      status: "SUCCESS",
      progress: "100%",
      data: [song],
    },
  ]);
  await rootPage.goto(`/task?id=${id}`);
  await expect(rootPage.getByRole("columnheader")).toHaveText([
    "Submitted at",
    "Finished at",
    "Progress",
    "Duration",
    "Channel",
    "Platform",
    "Type",
    "Task ID",
    "Status",
    "Failure reason",
    "Result",
    "Cost",
  ]);
  await expectInteractive(rootPage);
  const row = rowOf(rootPage, id);
  for (const [column, text] of [
    ["Platform", "Suno"],
    ["Type", "Generate music"],
    ["Status", "Succeeded"],
  ] as const)
    await expect(row.locator(`td[data-label="${column}"]`)).toHaveText(text);
  // Times are in seconds here, not in milliseconds.
  await expect(row.getByTestId("duration")).toHaveText("61.0 s");
  await expect(row.getByTestId("duration")).toHaveClass(/red/);
  await row.getByRole("button", { name: id, exact: true }).click();
  const record = rootPage.getByRole("dialog", { name: "Task record" });
  await expect(record).toContainText('"audio_url"');
  await expect(record).toContainText('"channel_id": 77');
  await rootPage.keyboard.press("Escape");
  await row.getByRole("button", { name: `Listen ${id}` }).click();
  const result = rootPage.getByRole("dialog", { name: "Result" });
  await expect(result.locator("audio")).toHaveAttribute("src", song.audio_url);
  await expect(result).toContainText("The river runs");
  await expectAccessible(rootPage, { within: result });
});

test("today's tasks are shown first; channels are a filter of administrators (B108, B296)", async ({
  rootServedPage,
  page,
}) => {
  await awayFromFullHour();
  const id = uniqueName("day");
  const account = await createAccount("task");
  const base = { user_id: account.id };
  await addTasks([
    { ...base, task_id: `${id}-today`, submit_time: seconds() },
    { ...base, task_id: `${id}-before`, submit_time: seconds() - 2 * 86_400 },
    { task_id: `${id}-other`, user_id: ROOT_ID, submit_time: seconds() },
  ]);
  await rootServedPage.goto("/task?channel=77&pageSize=100");
  await expect(rootServedPage.getByRole("button", { name: `${id}-today`, exact: true })).toBeVisible();
  await expect(rootServedPage.getByRole("button", { name: `${id}-before`, exact: true })).toHaveCount(0);
  await expect(rootServedPage.getByRole("button", { name: "Time: Today" })).toBeVisible();

  await signInToApi(page, account.username, account.password);
  await page.goto("/task");
  await expect(page.getByRole("button", { name: `${id}-today`, exact: true })).toBeVisible();
  await expect(page.getByRole("button", { name: `${id}-other`, exact: true })).toHaveCount(0);
  await expect(page.getByLabel("Channel ID")).toHaveCount(0);
  await expect(page.getByRole("columnheader", { name: "Channel" })).toHaveCount(0);
  await page.getByRole("button", { name: `${id}-today`, exact: true }).click();
  await expect(page.getByRole("dialog")).not.toContainText("channel_id");
});

test("while a task is unfinished the list looks again by itself, until that is switched off", async ({ rootPage }) => {
  const id = uniqueName("live");
  await addTasks([{ user_id: ROOT_ID, task_id: id, status: "IN_PROGRESS", progress: "10%", submit_time: seconds() }]);
  await rootPage.clock.install();
  await rootPage.goto(`/task?id=${id}`);
  // Moves the browser's clock on until the list has looked again, instead of waiting five seconds.
  const expectSoon = (value: string) =>
    expect(async () => {
      await rootPage.clock.fastForward(5_000);
      await expect(bar).toHaveAttribute("aria-valuenow", value, { timeout: 1_000 });
    }).toPass();
  const bar = rootPage.getByRole("progressbar", { name: new RegExp(id) });
  await expect(bar).toHaveAttribute("aria-valuenow", "10");
  const live = rootPage.getByRole("switch", { name: "Auto-refresh" });
  await expect(live).toBeChecked();
  await expectAccessible(rootPage);
  await withDatabase((sql) => sql`update tasks set progress = '60%' where task_id = ${id}`);
  await expectSoon("60");
  await live.click();
  await rootPage.reload();
  await expect(live).not.toBeChecked();
  await live.click();
  await withDatabase((sql) => sql`update tasks set progress = '100%', status = 'SUCCESS' where task_id = ${id}`);
  await expectSoon("100");
  await expect(live).toHaveCount(0);
});

test("a video has its player and address, a task says what it cost, and a failed one why and that it is free", async ({
  rootPage,
}) => {
  const id = uniqueName("video");
  const base = { user_id: ROOT_ID, submit_time: seconds(), platform: "kling", action: "text2video" };
  const url = "https://cdn.example/river.mp4";
  await rootPage.route(url, (route) => route.fulfill({ contentType: "video/mp4", body: "" }));
  await addTasks([
    { ...base, task_id: `${id}-done`, status: "SUCCESS", data: { data: { task_result: { videos: [{ url }] } } } },
    { ...base, task_id: `${id}-lost`, status: "FAILURE", fail_reason: "risk control\nsecond line" },
  ]);
  await withDatabase((sql) => sql`update tasks set quota = 250000 where task_id = ${`${id}-done`}`);
  await rootPage.goto("/task?pageSize=100");
  await expect(rowOf(rootPage, `${id}-done`).locator('td[data-label="Platform"]')).toHaveText("Kling");
  await expect(rowOf(rootPage, `${id}-done`).locator('td[data-label="Cost"]')).toHaveText("￥0.500000");
  await expect(rowOf(rootPage, `${id}-lost`).locator('td[data-label="Cost"]')).toHaveText("Not charged");
  await expectInteractive(rootPage);
  await rootPage.getByRole("button", { name: `${id}-lost`, exact: true }).click();
  await expect(rootPage.getByRole("dialog", { name: "Task record" }).getByRole("note")).toContainText("second line");
  await rootPage.keyboard.press("Escape");
  await rootPage.getByRole("button", { name: `Watch ${id}-done` }).click();
  const result = rootPage.getByRole("dialog", { name: "Result" });
  await expect(result.getByRole("link", { name: "Open the file" })).toHaveAttribute("href", url);
  // What was sent is no video: its place says so.
  await expect(result).toContainText("could not be loaded");
  await expectAccessible(rootPage, { within: result });
  await rootPage.keyboard.press("Escape");
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await expectFits(rootPage);
});
