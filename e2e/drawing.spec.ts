import type { Page } from "@playwright/test";
import { createAccount, signInToApi } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectAccessible, expectInteractive, test, uniqueName } from "./fixtures";
import { addDrawings, PIXEL } from "./media-rows";

const ROOT_ID = 1;
const inChinese = (page: Page) =>
  page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
const now = () => Date.now();

// In the order of B167, with the Chinese names of console §4.
const ACTIONS = {
  IMAGINE: "绘图",
  UPSCALE: "放大",
  VARIATION: "变换",
  HIGH_VARIATION: "强变换",
  LOW_VARIATION: "弱变换",
  PAN: "平移",
  DESCRIBE: "图生文",
  BLEND: "图混合",
  UPLOAD: "上传文件",
  SHORTEN: "缩词",
  REROLL: "重绘",
  INPAINT: "局部重绘",
  ZOOM: "变焦",
  CUSTOM_ZOOM: "自定义变焦",
  MODAL: "窗口处理",
  SWAP_FACE: "换脸",
};
const STATUSES = {
  SUCCESS: "成功",
  NOT_START: "未启动",
  SUBMITTED: "队列中",
  IN_PROGRESS: "执行中",
  FAILURE: "失败",
  MODAL: "窗口等待",
  STRANGE: "未知",
};
const CODES = { 1: "已提交", 21: "等待中", 22: "重复提交", 0: "未提交", 5: "未知" };

test.beforeEach(() => {
  test.skip(!hasDatabase(), "the server's database is out of reach");
});

test("actions, states and submit codes have the required names and others are unknown (B165, B166, B167, B168)", async ({
  rootPage,
}) => {
  const prefix = uniqueName("labels");
  const actions = Object.keys(ACTIONS).map((action) => ({ action }));
  const statuses = Object.keys(STATUSES).map((status) => ({ status }));
  const codes = Object.keys(CODES).map((code) => ({ code: Number(code) }));
  const rows = [...actions, ...statuses, ...codes];
  await addDrawings(
    rows.map((row, at) => ({
      status: "SUCCESS",
      code: 1,
      mj_id: `${prefix}-${at}`,
      user_id: ROOT_ID,
      submit_time: now(),
      ...row,
    })),
  );
  await inChinese(rootPage);
  await rootPage.goto("/midjourney?pageSize=100");
  await expectInteractive(rootPage);
  const names = [...Object.values(ACTIONS), ...Object.values(STATUSES), ...Object.values(CODES)];
  const columns = { 类型: actions.length, 任务状态: statuses.length, 提交结果: codes.length };
  let at = 0;
  for (const [column, count] of Object.entries(columns)) {
    for (const end = at + count; at < end; at++) {
      const row = rootPage.getByRole("row").filter({ has: rootPage.getByText(`${prefix}-${at}`, { exact: true }) });
      await expect(row.locator(`td[data-label="${column}"]`)).toHaveText(names[at] ?? "");
    }
  }
});

test("a duration is red above 60 seconds, and a dash while the task runs (B294)", async ({ rootPage }) => {
  const prefix = uniqueName("time");
  const start = now() - 300_000;
  const finished = [60_000, 60_100, 0].map((ms, at) => ({
    mj_id: `${prefix}-${at}`,
    user_id: ROOT_ID,
    submit_time: start,
    finish_time: ms === 0 ? 0 : start + ms,
  }));
  await addDrawings(finished);
  await rootPage.goto(`/midjourney?pageSize=100`);
  await expectInteractive(rootPage);
  const cell = (at: number) =>
    rootPage
      .getByRole("row")
      .filter({ has: rootPage.getByText(`${prefix}-${at}`, { exact: true }) })
      .locator('td[data-label="Duration"]');
  await expect(cell(0).getByTestId("duration")).toHaveText("60.0 s");
  await expect(cell(0).getByTestId("duration")).toHaveClass(/green/);
  await expect(cell(1).getByTestId("duration")).toHaveText("60.1 s");
  await expect(cell(1).getByTestId("duration")).toHaveClass(/red/);
  await expect(cell(2)).toHaveText("—");
});

test("columns stand in their order; image and prompt open in a window (B105, B106)", async ({ rootPage }) => {
  const id = uniqueName("view");
  await addDrawings([
    {
      mj_id: id,
      user_id: ROOT_ID,
      submit_time: now(),
      status: "FAILURE",
      progress: "40%",
      image_url: PIXEL,
      prompt: "first line\nsecond line",
      fail_reason: "banned",
    },
  ]);
  await rootPage.goto(`/midjourney?id=${id}`);
  await expectInteractive(rootPage);
  await expect(rootPage.getByRole("columnheader")).toHaveText([
    "Submitted at",
    "Duration",
    "Channel",
    "Type",
    "Task ID",
    "Submission",
    "Status",
    "Progress",
    "Result image",
    "Prompt",
    "English prompt",
    "Failure reason",
    "Cost",
  ]);
  const row = rootPage.getByRole("row").filter({ hasText: id });
  await expect(row.getByRole("progressbar")).toHaveAttribute("aria-valuenow", "40");
  await expect(row.locator('td[data-label="English prompt"]')).toHaveText("None");
  await row.getByRole("button", { name: /^Prompt:/ }).click();
  await expect(rootPage.getByRole("dialog", { name: "Prompt" })).toContainText("second line");
  await rootPage.keyboard.press("Escape");
  await row.getByRole("button", { name: `View image ${id}` }).click();
  const viewer = rootPage.getByRole("dialog", { name: id });
  await expect(viewer.getByRole("img")).toHaveAttribute("src", PIXEL);
  await expectAccessible(rootPage, { within: viewer });
  await rootPage.keyboard.press("Escape");
  await rootPage.goto(`/midjourney?id=${id}&view=gallery`);
  await expectInteractive(rootPage);
  await expect(rootPage.getByRole("button", { name: "Table" })).toBeVisible();
  await expect(rootPage.getByRole("button", { name: `View image ${id}` })).toBeVisible();
  await expectAccessible(rootPage);
});

test("the window is 30 days back to one hour ahead; channels are a filter of administrators (B104, B295)", async ({
  rootPage,
  browser,
}) => {
  const id = uniqueName("own");
  const account = await createAccount("draw");
  await addDrawings([
    { mj_id: `${id}-own`, user_id: account.id, submit_time: now() },
    { mj_id: `${id}-old`, user_id: account.id, submit_time: now() - 31 * 86_400_000 },
    { mj_id: `${id}-other`, user_id: ROOT_ID, submit_time: now() },
  ]);
  await rootPage.goto("/midjourney?channel=77&pageSize=100");
  await expectInteractive(rootPage);
  await expect(rootPage.getByRole("combobox", { name: "Channel ID" })).toHaveValue("77");
  await expect(rootPage.getByText(`${id}-own`)).toBeVisible();
  await expect(rootPage.getByText(`${id}-other`)).toBeVisible();
  await expect(rootPage.getByText(`${id}-old`)).toHaveCount(0);
  await expect(rootPage.getByRole("button", { name: "Time: Last 30 days" })).toBeVisible();

  const context = await browser.newContext({ locale: "en-US", baseURL: process.env.WEIR_E2E_URL ?? "" });
  const page = await context.newPage();
  await signInToApi(page, account.username, account.password);
  await page.goto("/midjourney");
  await expectInteractive(page);
  await expect(page.getByText(`${id}-own`)).toBeVisible();
  await expect(page.getByText(`${id}-other`)).toHaveCount(0);
  await expect(page.getByLabel("Channel ID")).toHaveCount(0);
  for (const name of ["Channel", "Submission", "Status"])
    await expect(page.getByRole("columnheader", { name })).toHaveCount(0);
  await context.close();
});

test("an image opens large and really loads, the arrow keys lead to the next, and a prompt opens whole (B105)", async ({
  rootPage,
}) => {
  const id = uniqueName("look");
  const drawing = { user_id: ROOT_ID, status: "SUCCESS", image_url: PIXEL, submit_time: now() };
  await addDrawings([
    { ...drawing, mj_id: `${id}-old`, prompt: `a river\n${"very ".repeat(40)}long` },
    { ...drawing, mj_id: `${id}-new`, prompt: "the newer one" },
  ]);
  await rootPage.goto("/midjourney?pageSize=10");
  await expectInteractive(rootPage);
  const loaded = (name: string) =>
    rootPage
      .getByRole("dialog", { name })
      .getByRole("img")
      .evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth));
  await expect(rootPage.getByRole("dialog")).toHaveCount(0);
  await rootPage.getByRole("button", { name: `View image ${id}-new` }).click();
  expect(await loaded(`${id}-new`)).toBe(8);
  await rootPage.keyboard.press("ArrowRight");
  expect(await loaded(`${id}-old`)).toBe(8);
  await rootPage.keyboard.press("Escape");
  await expect(rootPage.getByRole("dialog")).toHaveCount(0);
  const row = rootPage.getByRole("row").filter({ hasText: `${id}-old` });
  await row.getByRole("button", { name: /^Prompt:/ }).click();
  await expect(rootPage.getByRole("dialog", { name: "Prompt" })).toContainText(`${"very ".repeat(40)}long`);
});
