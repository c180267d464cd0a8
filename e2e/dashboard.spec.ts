import { createAccount, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible, expectAccessibleInAll } from "./fixtures";
import { test } from "./own-server";
import { addUsage, clearUsage } from "./usage-rows";

/** An id that no channel reaches in these tests. */
const UNKNOWN_CHANNEL = 987_654;
const HOUR = 3_600;
const now = Math.floor(Date.now() / 1000);
const thisHour = now - (now % HOUR);

test.describe.configure({ mode: "serial" });
test.use({ timezoneId: "Asia/Shanghai" });

test.beforeAll(async () => {
  // Other files may have used the same server before.
  await clearUsage();
  const account = await createAccount("dash");
  const row = (i: number) => ({
    requestId: `dash-${i}`,
    userId: account.id,
    username: account.username,
    token: "laptop",
  });
  await addUsage([
    ...Array.from({ length: 11 }, (_, i) => ({
      ...row(i),
      createdAt: thisHour - 2 * HOUR + 5,
      model: `model-${i}`,
      channelId: UNKNOWN_CHANNEL,
      quota: 500_000 * (11 - i),
      other: { model_ratio: 1, group_ratio: 1, completion_ratio: 2, model_price: -1 },
    })),
    { ...row(20), createdAt: thisHour - 26 * HOUR, model: "model-0", quota: 33_000_000, channelId: UNKNOWN_CHANNEL },
    {
      ...row(21),
      createdAt: thisHour - HOUR,
      type: 5,
      model: "model-0",
      channelId: UNKNOWN_CHANNEL,
      quota: 0,
      other: { status_code: 502 },
    },
  ]);
});

test("the dashboard is by the hour and up to date on a fresh install, and in the browser's time zone; granularity and time ranges stand in the address, and an end an hour ahead is gone (A230, B308)", async ({
  rootPage,
}) => {
  await rootPage.goto("/detail");
  await expect(rootPage.getByRole("button", { name: "Hour", exact: true })).toHaveAttribute("aria-pressed", "true");
  await expect(rootPage.getByTestId("freshness")).toContainText("every 5 min");
  await expect(rootPage.getByLabel("Time zone")).toHaveValue("Asia/Shanghai");
  await expect(rootPage.getByTestId("kpi-range-quota")).toHaveText("￥66.00");
  await expect(rootPage.getByTestId("kpi-range-count")).toHaveText("11");
  await expect(rootPage.getByTestId("kpi-rpm")).toHaveText(/^0\.00\d$/);
  const granularities = rootPage.getByRole("group", { name: "Granularity" });
  for (const granularity of ["Day", "Week", "Hour"]) {
    await granularities.getByRole("button", { name: granularity, exact: true }).click();
    await expect(granularities.getByRole("button", { name: granularity, exact: true })).toHaveAttribute(
      "aria-pressed",
      "true",
    );
    await expect(rootPage).toHaveURL(new RegExp(`by=${granularity.toLowerCase()}`));
  }

  const range = (name: string) => rootPage.getByRole("button", { name, exact: true });
  await expect(range("24 h")).toHaveAttribute("aria-pressed", "true");
  for (const [name, address] of [
    ["15 min", "15m"],
    ["7 d", "7d"],
    ["This week", "week"],
    ["This month", "month"],
  ] as const) {
    await range(name).click();
    await expect(rootPage).toHaveURL(new RegExp(`range=${address}$|range=${address}&`));
    await expect(range(name)).toHaveAttribute("aria-pressed", "true");
    await expect(rootPage.getByTestId("bar-chart")).toBeVisible();
  }
  await range("Custom").click();
  await expect(rootPage).toHaveURL(/start=\d+&end=\d+/);
  const [day, timeOfDay] = [
    rootPage.getByLabel("End time", { exact: true }),
    rootPage.getByLabel("End time: time of day"),
  ];
  await expect(day).not.toHaveValue("");
  const [end] = /end=\d+/.exec(rootPage.url()) ?? [];
  // 24 hours, never AM and PM, and nothing of it is cut off.
  for (const field of [day, timeOfDay])
    expect(await field.evaluate((input) => input.scrollWidth - input.clientWidth)).toBeLessThanOrEqual(0);
  const typed = (await timeOfDay.inputValue()) === "13:05" ? "14:05" : "13:05";
  await timeOfDay.fill(typed);
  await timeOfDay.press("Enter");
  await expect(rootPage).not.toHaveURL(new RegExp(`${end}(&|$)`));
  await expect(timeOfDay).toHaveValue(typed);
});

test("the chart has nine models and the others, is a table as well, and leads to the rows behind it", async ({
  rootPage,
}) => {
  await rootPage.goto("/detail?by=day");
  const legend = rootPage.getByRole("list", { name: "Legend" });
  await expect(legend.getByRole("button")).toHaveCount(10);
  await expect(legend).toContainText("Other models");
  await expect(rootPage.getByTestId("bar-chart").locator("svg").first()).toBeVisible();
  await expect(rootPage.getByTestId("donut-chart").locator("svg").first()).toBeVisible();
  await rootPage.getByRole("button", { name: "Table", exact: true }).click();
  const table = rootPage.getByRole("table", { name: "Spend by model" });
  await expect(table.locator("tbody tr")).toHaveCount(8);
  await expectAccessible(rootPage, { within: table });
  await rootPage.goto("/detail");
  await rootPage.getByRole("region", { name: "Breakdown" }).getByRole("button", { name: "Channel" }).click();
  await expect(rootPage).toHaveURL(/split=channel/);
  await rootPage.getByTestId("bar-chart").locator(".recharts-bar-rectangle path").first().click();
  await expect(rootPage).toHaveURL(/\/log\?type=2&start=\d+&end=\d+&model=model-\d+/);
  await expect(rootPage.locator("tbody tr")).toHaveCount(1);
});

test("administrators break consumption down by user and channel and see errors; others see their own (B254)", async ({
  rootServedPage: page,
}) => {
  await page.goto("/detail?split=user");
  const breakdown = page.getByRole("region", { name: "Breakdown" });
  await expect(breakdown.getByRole("link", { name: /^dash/ })).toBeVisible();
  await page.goto("/detail?split=channel");
  await expect(breakdown).toContainText(`deleted (ID ${UNKNOWN_CHANNEL})`);
  await expect(page.getByTestId("health-success")).toHaveText("91.67%");
  await page.goto("/detail?username=nobody");
  await expect(page.getByTestId("kpi-range-count")).toHaveText("0");
  await page.goto("/detail?start=1&end=2000000000");
  await expect(page.getByText("This time range cannot be shown")).toBeVisible();
  const other = await createAccount("plain");
  await page.context().clearCookies();
  await signInToApi(page, other.username, other.password);
  await page.goto("/detail?split=user&username=root");
  await expect(page.getByTestId("kpi-range-count")).toHaveText("0");
  await expect(page.getByLabel("Username")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Channel" })).toHaveCount(0);
  await expect(page.getByTestId("health-success")).toHaveCount(0);
});

test("the chart adds up, is laid beside the period before, and both stand in the address (B254, B308)", async ({
  rootPage,
}) => {
  await rootPage.goto(`/detail?start=${thisHour - 25 * HOUR}&end=${thisHour + HOUR}`);
  await rootPage.getByRole("button", { name: "Cumulative" }).click();
  await rootPage.getByRole("button", { name: "Compare" }).click();
  await expect(rootPage).toHaveURL(/running=true/);
  await expect(rootPage).toHaveURL(/compare=true/);
  await expect(rootPage.getByText("Previous period: ￥66.00")).toBeVisible();
  await expect(rootPage.getByTestId("bar-chart").locator(".recharts-line")).toBeVisible();
  await rootPage.getByRole("button", { name: "Requests", exact: true }).click();
  await rootPage.reload();
  await expect(rootPage.getByRole("button", { name: "Requests", exact: true })).toHaveAttribute("aria-pressed", "true");
  await expect(rootPage.getByText("Previous period: 1")).toBeVisible();
});

test("the dashboard is accessible in both themes and fits a phone", async ({ rootPage }) => {
  await rootPage.goto("/detail");
  await expect(rootPage.getByTestId("bar-chart").locator("svg").first()).toBeVisible();
  await expectAccessibleInAll(rootPage);
});

test("the entry and the page are there only while data export is on; the default granularity is the setting's (B132, A230)", async ({
  rootServedPage: page,
}) => {
  await setOptions({ DataExportDefaultTime: "week" });
  await page.goto("/detail");
  await expect(page.getByRole("button", { name: "Week", exact: true })).toHaveAttribute("aria-pressed", "true");
  const entry = page.getByRole("navigation", { name: "Main navigation" }).locator('a[href="/detail"]');
  await expect(entry).toBeVisible();
  await setOptions({ DataExportEnabled: "false" });
  await page.goto("/detail");
  await expect(page.getByText("The dashboard is off")).toBeVisible();
  await expect(entry).toHaveCount(0);
  await setOptions({ DataExportEnabled: "true", DataExportDefaultTime: "hour" });
});
