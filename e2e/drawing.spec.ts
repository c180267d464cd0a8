import { createAccount, signInToApi } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectAccessible, expectInteractive, test, uniqueName } from "./fixtures";
import { addDrawings, PIXEL } from "./media-rows";

const ROOT_ID = 1;
const now = () => Date.now();

test.beforeEach(() => {
  test.skip(!hasDatabase(), "the server's database is out of reach");
});

test("columns stand in their order; image and prompt open in a window (B105, B106)", async ({ rootPage }) => {
  const id = uniqueName("view");
  await addDrawings([
    {
      mj_id: id,
      user_id: ROOT_ID,
      submit_time: now(),
      status: "FAILURE",
      code: 1,
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
  for (const [column, text] of [
    ["Duration", "—"],
    ["Type", "Imagine"],
    ["Submission", "Submitted"],
    ["Status", "Failed"],
    ["English prompt", "None"],
  ] as const)
    await expect(row.locator(`td[data-label="${column}"]`)).toHaveText(text);
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
  rootServedPage: page,
}) => {
  const id = uniqueName("own");
  const account = await createAccount("draw");
  await addDrawings([
    { mj_id: `${id}-own`, user_id: account.id, submit_time: now() },
    { mj_id: `${id}-old`, user_id: account.id, submit_time: now() - 31 * 86_400_000 },
    { mj_id: `${id}-other`, user_id: ROOT_ID, submit_time: now() },
  ]);
  await page.goto("/midjourney?channel=77&pageSize=100");
  await expect(page.getByRole("combobox", { name: "Channel ID" })).toHaveValue("77");
  await expect(page.getByText(`${id}-own`)).toBeVisible();
  await expect(page.getByText(`${id}-other`)).toBeVisible();
  await expect(page.getByText(`${id}-old`)).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Time: Last 30 days" })).toBeVisible();

  await page.context().clearCookies();
  await signInToApi(page, account.username, account.password);
  await page.goto("/midjourney");
  await expect(page.getByText(`${id}-own`)).toBeVisible();
  await expect(page.getByText(`${id}-other`)).toHaveCount(0);
  await expect(page.getByLabel("Channel ID")).toHaveCount(0);
  for (const name of ["Channel", "Submission", "Status"])
    await expect(page.getByRole("columnheader", { name })).toHaveCount(0);
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
