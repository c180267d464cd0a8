import { readFileSync } from "node:fs";
import { call, createAccount, signInToApi } from "./accounts";
import { hasDatabase } from "./database";
import {
  COLOUR_RULES,
  expect,
  expectAccessible,
  expectFits,
  expectInteractive,
  ROOT,
  test,
  turn,
  uniqueName,
} from "./fixtures";
import { addUsage, type UsageRow } from "./usage-rows";

const DAY = 86_400;
const now = () => Math.floor(Date.now() / 1000);

test.skip(() => !hasDatabase(), "needs the database of the run's own server");

/** Rows of one user, with names that no other test has. */
function rowsOf(username: string, userId: number) {
  const model = uniqueName("model");
  const token = uniqueName("token");
  const row = (fields: Partial<UsageRow> = {}): UsageRow => ({
    requestId: uniqueName("request"),
    username,
    userId,
    model,
    token,
    createdAt: now() - 30,
    ...fields,
  });
  return { model, token, row };
}

const LINES = [
  { kind: "prompt", quantity: 30, unitPrice: 1.25, amount: 38 },
  { kind: "completion", quantity: 40, unitPrice: 5, amount: 200 },
];
const CHARGED = {
  model_ratio: 1.25,
  completion_ratio: 4,
  group_ratio: 1,
  model_price: -1,
  quota_per_unit: 500_000,
  lines: LINES,
};
const ATTEMPTS = {
  ...CHARGED,
  bad_events: 2,
  drained: { ms: 1_250, whole: true, completion_tokens: 52 },
  admin_info: {
    use_channel: ["3", "7"],
    attempts: [
      { channel: 3, start_ms: 0, ms: 400, outcome: "limited", status: 429, message: "slow down, please" },
      { channel: 7, start_ms: 400, ms: 1_100, outcome: "ok" },
    ],
  },
};

test("administrators have every required column and filter, and chips as the sums say (B096, B097, B098, B099, B102, B103, B164, B207, B208)", async ({
  rootServedPage: page,
}) => {
  const { token, row } = rowsOf("root", 1);
  await addUsage([
    // Within the last minute until the end of the test.
    row({ channelId: 7, quota: 250_000, firstTokenMs: 700, other: ATTEMPTS, createdAt: now() }),
    row({
      type: 1,
      quota: 500_000,
      model: "",
      token,
      other: { event: "redeemed", params: { quota: 500_000, code: 12 } },
      content: "通过兑换码充值",
    }),
    row({
      type: 3,
      model: "",
      token,
      quota: 0,
      other: { event: "userQuotaChanged", params: { before: 0, after: 50_000 } },
    }),
    row({ type: 4, model: "", token, quota: 0, other: { event: "newUserGift", params: { quota: 1_000_000 } } }),
    row({ type: 9, model: "", token, quota: 0, content: "of a kind that nobody knows" }),
  ]);
  await page.setViewportSize({ width: 1920, height: 1000 });
  await page.goto(`/log?token=${token}`);
  const table = page.getByRole("table");
  await expect(table.getByRole("columnheader")).toHaveText([
    "Time",
    "Channel",
    "User",
    "API key",
    "Group",
    "Type",
    "Model",
    "Time / first token",
    "Prompt",
    "Completion",
    "Cost",
    "Upstream cost",
    "Margin",
    "Route",
    "Details",
  ]);
  for (const label of ["API key name", "Model name", "Group", "Channel ID", "Username"]) {
    await expect(page.getByLabel(label, { exact: true })).toBeVisible();
  }
  await expect(page.getByRole("button", { name: /^Time: / })).toBeVisible();
  for (const type of ["Top-up", "Usage", "Admin", "System", "Unknown"]) {
    await expect(table.getByText(type, { exact: true })).toBeVisible();
  }
  await expect(table).toContainText("3->7");
  await expect(table).toContainText("Redeemed a code for ￥1.00 (code ID 12)");
  await expect(table).toContainText("from ￥0.00 to ￥0.10");
  await expect(table).toContainText("Sign-up bonus of ￥2.00");
  await expect(page.getByTestId("sum-quota")).toHaveText("￥0.50");
  const root = await signInToApi(page, ROOT.username, ROOT.password);
  const sums = (await call(root, "GET", `/api/log/stat?token_name=${token}`)) as { quota: number; rpm: number };
  expect(sums.quota).toBe(250_000);
  await expect(page.getByTestId("sum-rpm")).toHaveText(String(sums.rpm));
  await page.goto(`/log?token=${token}&type=1`);
  await expect(table.locator("tbody tr")).toHaveCount(1);
});

test("an opened row has the charge line by line and how its prices came about (B099, A224, A225)", async ({
  rootServedPage: page,
}) => {
  const { row } = rowsOf("root", 1);
  const charged = row({ quota: 238, other: CHARGED });
  await addUsage([charged]);
  await page.goto(`/log?request=${charged.requestId}`);
  await expect(page.getByTestId("bill")).toContainText("30");
  const prices = page.getByTestId("prices");
  await expect(prices).toContainText("model ratio 1.25 × group ratio 1 = 1.25");
  await expect(prices).toContainText("model ratio 1.25 × completion ratio 4 × group ratio 1 = 5");
  await expect(prices).toContainText("÷ 500,000");
});

test("the time is one of the named periods, which the URL keeps, or a start and an end in the user's zone (B097, B295)", async ({
  rootPage,
}) => {
  const { token, row } = rowsOf("root", 1);
  const ages = [60, 3_600, 3 * DAY, 20 * DAY, 31 * DAY];
  await addUsage(ages.map((age) => row({ createdAt: now() - age })));
  await rootPage.goto(`/log?token=${token}`);
  const time = rootPage.getByRole("button", { name: /^Time: / });
  const rows = rootPage.locator("tbody tr");
  await expect(time).toHaveText("Last 30 days");
  await expect(rows).toHaveCount(4);
  await expectInteractive(rootPage);
  await rootPage.getByLabel("Type", { exact: true }).selectOption({ label: "Usage" });
  await expect(rootPage).toHaveURL(/type=2/);
  await expect(rows).toHaveCount(4);
  for (const [name, range, count] of [
    ["Last 15 minutes", "15m", 1],
    ["Last 24 hours", "24h", 2],
    ["Last 7 days", "7d", 3],
  ] as const) {
    await time.click();
    await rootPage.getByRole("dialog", { name: "Time" }).getByRole("button", { name }).click();
    await expect(rootPage).toHaveURL(new RegExp(`range=${range}`));
    await expect(rows).toHaveCount(count);
  }
  await time.click();
  const dialog = rootPage.getByRole("dialog", { name: "Time" });
  const day = (age: number) => {
    const date = new Date((now() - age) * 1_000);
    return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
      .map((part) => String(part).padStart(2, "0"))
      .join("-");
  };
  await dialog.getByLabel("From", { exact: true }).fill(day(32 * DAY));
  await dialog.getByLabel("Until", { exact: true }).fill(day(10 * DAY));
  await dialog.getByLabel("Until: time of day").fill("25:00");
  await expect(dialog.getByRole("button", { name: "Apply" })).toBeDisabled();
  await dialog.getByLabel("Until: time of day").fill("13:30");
  await expectAccessible(rootPage, { within: dialog });
  await dialog.getByRole("button", { name: "Apply" }).click();
  await expect(rows).toHaveCount(2);
  await expect(rootPage).not.toHaveURL(/range=/);
  await expect(time).toContainText(`${day(32 * DAY)} 00:00 – ${day(10 * DAY)} 13:30`);
});

test("a row opens beside the list, with the next and the previous one, and the URL and a step back know it; a filter without a match says so and offers to clear it", async ({
  rootPage,
}) => {
  const { token, row } = rowsOf("root", 1);
  const models = ["newest", "middle", "oldest"].map(uniqueName);
  await addUsage(models.map((model, at) => row({ model, createdAt: now() - 30 - at })));
  await rootPage.goto(`/log?token=${token}`);
  const [newest = "", middle = "", oldest = ""] = models;
  const peek = rootPage.getByRole("dialog");
  const button = (model: string) => rootPage.getByRole("button", { name: `Show details of ${model}` });
  await rootPage.getByRole("row").filter({ hasText: newest }).getByRole("cell").nth(9).click();
  await expect(peek).toContainText(newest);
  await expect(rootPage).toHaveURL(/peek=/);
  await expect(peek.getByRole("button", { name: "Previous" })).toBeDisabled();
  await rootPage.keyboard.press("j");
  await expect(peek).toContainText(middle);
  await peek.getByRole("button", { name: "Next" }).click();
  await expect(peek).toContainText(oldest);
  await expect(peek.getByText("3 of 3")).toBeVisible();
  await rootPage.keyboard.press("k");
  await expect(peek).toContainText(middle);
  await expectAccessible(rootPage, { within: peek });
  await rootPage.keyboard.press("Escape");
  await expect(peek).toBeHidden();
  await expect(button(middle)).toBeFocused();
  await button(oldest).click();
  await expect(peek).toContainText(oldest);
  // New rows may move the open one to another page: the link still opens it.
  const link = new URL(rootPage.url());
  await rootPage.goBack();
  await expect(peek).toBeHidden();
  link.searchParams.set("model", newest);
  await rootPage.goto(link.toString());
  await expect(peek).toContainText(oldest);
  await rootPage.goto(`/log?token=another-token&peek=${link.searchParams.get("peek")}`);
  // While the page streams in, the text may be there twice.
  await expect(rootPage.getByText("No matching log entries").filter({ visible: true })).toHaveCount(1);
  await expect(rootPage.getByRole("dialog")).toHaveCount(0);
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await expect(rootPage).toHaveURL(/\/log\?peek=[^&]+$/);
});

test("a username opens who that is: balance, consumption and requests; the filtered rows are taken away as a file (B100)", async ({
  rootPage,
}) => {
  const account = await createAccount("peek");
  const { token, row } = rowsOf(account.username, account.id);
  await addUsage([row({ other: ATTEMPTS }), row(), { ...row(), token: "another" }]);
  await rootPage.goto(`/log?token=${token}`);
  await rootPage
    .getByRole("button", { name: `Show user ${account.username}` })
    .first()
    .click();
  const dialog = rootPage.getByRole("dialog", { name: "User info" });
  await expect(dialog).toContainText(account.username);
  await expect(dialog.getByTestId("user-quota")).toContainText("￥");
  await expect(dialog.getByTestId("user-usedQuota")).toHaveText("￥0.00");
  await expect(dialog.getByTestId("user-requestCount")).toHaveText("0");
  await expectAccessible(rootPage, { within: dialog });
  await rootPage.keyboard.press("Escape");
  await expect(dialog).toBeHidden();

  for (const [item, lines] of [
    ["Export as CSV", 3],
    ["Export as JSONL", 2],
  ] as const) {
    await rootPage.getByRole("button", { name: "Export" }).click();
    const download = rootPage.waitForEvent("download");
    await rootPage.getByRole("menuitem", { name: item }).click();
    const file = await download;
    expect(file.suggestedFilename()).toMatch(/^usage-logs-\d{4}-\d\d-\d\d\.(csv|jsonl)$/);
    expect(
      readFileSync(await file.path(), "utf8")
        .trim()
        .split("\n"),
    ).toHaveLength(lines);
  }
});

test("a request's link shows its tries in time, what it cost, and a curl without the key", async ({ rootPage }) => {
  const { model, row } = rowsOf("root", 1);
  const wanted = row({ channelId: 7, firstTokenMs: 700, other: ATTEMPTS, createdAt: now() - 29 * DAY });
  await addUsage([wanted, row()]);
  await rootPage.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await rootPage.goto(`/log?request=${wanted.requestId}`);
  const tries = rootPage.getByTestId("attempts");
  await expect(tries.getByText("#3")).toBeVisible();
  await expect(tries).toContainText("Rate limited");
  await expect(tries).toContainText("HTTP 429");
  await expect(tries).toContainText("slow down, please");
  await expect(tries).toContainText("started at 400 ms, took 1100 ms");
  const shown = rootPage.getByRole("main");
  await expect(shown).toContainText("2 were left out of the response");
  await expect(shown).toContainText("read to the end in 1.3 s, 52 completion tokens in total");
  await rootPage.getByRole("button", { name: "Copy as curl" }).click();
  const command = () => rootPage.evaluate(() => navigator.clipboard.readText());
  await expect.poll(command).toContain(`"model":"${model}"`);
  expect(await command()).toContain("$WEIR_API_KEY");
  await expectAccessible(rootPage);
  await turn(rootPage, "dark");
  await expectAccessible(rootPage, { rules: COLOUR_RULES });
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await expectFits(rootPage);
});

test("ordinary users see their own rows of three days, nothing of channels, and are told so (B101, B207, B208, B209, B210, B297)", async ({
  servedPage: page,
}) => {
  const account = await createAccount("own");
  const { token, row } = rowsOf(account.username, account.id);
  const own = row({ channelId: 7, other: ATTEMPTS });
  await addUsage([own, row({ createdAt: now() - 4 * DAY }), { ...row(), userId: 1, username: "root" }]);
  const caller = await signInToApi(page, account.username, account.password);
  await page.setViewportSize({ width: 1920, height: 1000 });
  await page.goto(`/log?token=${token}&start=${now() - 20 * DAY}`);
  await expect(page.getByRole("note")).toContainText("last 3 days");
  await expect(page.getByRole("columnheader").first()).toBeVisible();
  const headers = await page.getByRole("columnheader").allTextContents();
  for (const hidden of ["Channel", "User", "Route"]) expect(headers).not.toContain(hidden);
  await expect(page.getByLabel("Channel ID")).toHaveCount(0);
  await expect(page.getByLabel("Username")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /^Show user/ })).toHaveCount(0);
  await expect(page.locator("tbody tr")).toHaveCount(1);
  await page.goto(`/log?request=${own.requestId}`);
  await expect(page.getByTestId("bill")).toBeVisible();
  await expect(page.getByTestId("attempts")).toHaveCount(0);
  await expect(page.getByText("left out of the response")).toHaveCount(0);
  for (const path of ["/api/log/", "/api/log/stat"]) {
    await expect(call(caller, "GET", path)).rejects.toThrow();
  }
});

test("a live log shows new rows by itself, holds them while paused, and is accessible", async ({ rootPage }) => {
  const { token, row } = rowsOf("root", 1);
  await rootPage.goto(`/log?token=${token}`);
  await expect(rootPage.getByText("No matching log entries")).toBeVisible();
  await rootPage.getByRole("button", { name: "Live", exact: true }).click();
  await expect(rootPage.getByRole("status").filter({ hasText: "Connected" })).toBeVisible();
  const rows = rootPage.locator("tbody tr");
  await addUsage([row({ createdAt: now() })]);
  await expect(rows).toHaveCount(1);
  await rootPage.getByRole("button", { name: "Pause" }).click();
  await addUsage([row({ createdAt: now() }), row({ createdAt: now() })]);
  await expect(rootPage.getByText("Paused, 2 new entries waiting")).toBeVisible();
  await expect(rows).toHaveCount(1);
  await expectAccessible(rootPage);
  await rootPage.getByRole("button", { name: "Resume" }).click();
  await expect(rows).toHaveCount(3);
  await rootPage.getByRole("button", { name: "Live", exact: true }).click();
  await expect(rootPage.getByRole("navigation", { name: "Pages" })).toBeVisible();
});

test("filters are kept as a view, applied, renamed and deleted", async ({ rootPage }) => {
  const name = uniqueName("view");
  await rootPage.goto("/log?type=5&model=gpt-4o");
  const open = () => rootPage.getByRole("button", { name: /^(Views|view-)/ }).click();
  await open();
  await rootPage.getByRole("menuitem", { name: "Save these filters" }).click();
  await rootPage.getByLabel("Name of the view").fill(name);
  await rootPage.getByRole("dialog").getByRole("button", { name: "Submit" }).click();
  await expect(rootPage.getByRole("button", { name })).toBeVisible();
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await expect(rootPage).toHaveURL(/\/log$/);
  await open();
  await rootPage.getByRole("menuitem", { name }).click();
  await expect(rootPage).toHaveURL(/\/log\?(type=5&model=gpt-4o|model=gpt-4o&type=5)$/);
  await expect(rootPage.getByLabel("Type", { exact: true })).toHaveValue("5");
  await open();
  await rootPage.getByRole("menuitem", { name: "Manage views" }).click();
  await expectAccessible(rootPage, { within: rootPage.getByRole("dialog") });
  await rootPage.getByRole("button", { name: `Rename view: ${name}` }).click();
  await rootPage.getByLabel("Name of the view").fill(`${name} b`);
  await rootPage.getByRole("dialog").getByRole("button", { name: "Submit" }).click();
  const first = rootPage.getByRole("button", { name: `Open the list with this view: ${name} b` });
  await first.click();
  await expect(first).toHaveAttribute("aria-pressed", "true");
  await rootPage.goto("/log");
  await expect(rootPage).toHaveURL(/type=5/);
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await expect(rootPage).toHaveURL(/\/log$/);
  await open();
  await rootPage.getByRole("menuitem", { name: "Manage views" }).click();
  await rootPage.getByRole("button", { name: `Delete view: ${name} b` }).click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "Delete view" }).click();
  await expect(rootPage.getByText("View deleted")).toBeVisible();
});

test("the chips have what was consumed, and requests and tokens of the last minute, as the statistics say (B096)", async ({
  rootServedPage: page,
}) => {
  const { token, row } = rowsOf("root", 1);
  await addUsage([
    row({ quota: 125_000, promptTokens: 1_000, completionTokens: 200, createdAt: now() }),
    row({ quota: 125_000, promptTokens: 30, completionTokens: 4, createdAt: now() }),
    row({ quota: 500_000, promptTokens: 7_000, completionTokens: 7_000, createdAt: now() - 600 }),
  ]);
  await page.goto(`/log?token=${token}`);
  await expect(page.getByTestId("sum-quota")).toHaveText("￥1.50");
  await expect(page.getByTestId("sum-rpm")).toHaveText("2");
  await expect(page.getByTestId("sum-tpm")).toHaveText("1234");
  const root = await signInToApi(page, ROOT.username, ROOT.password);
  const sums = await call(root, "GET", `/api/log/stat?token_name=${token}`);
  expect(sums).toMatchObject({ quota: 750_000, rpm: 2, tpm: 1_234 });
});
