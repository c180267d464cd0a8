import type { Page, Request } from "@playwright/test";
import { asRoot, call, createAccount } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectAccessible, expectFits, expectNothingCutOff, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";
import { TokenPage } from "./pages/token-page";
import { UserPage } from "./pages/user-page";
import { addUsage } from "./usage-rows";

/** How many answers of the server the router is waiting for. */
function countReads(page: Page): () => number {
  let open = 0;
  const count = (change: number) => (request: Request) => {
    if (request.url().includes("_rsc=")) open += change;
  };
  page.on("request", count(1));
  page.on("requestfinished", count(-1));
  page.on("requestfailed", count(-1));
  return () => open;
}

test("a step back closes a drawer and undoes a filter, a step forward brings them again; what was typed into a drawer is not lost by a stray key or a step back; columns are chosen per list and stay so, and the default comes back (A057, B008, B027, B040, B047, B049, B102)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const [name = ""] = await channels.make(uniqueName("back"), [{}]);
  await channels.open(`?keyword=${name}`);
  await rootPage.getByRole("button", { name: `Edit ${name}`, exact: true }).click();
  const drawer = rootPage.getByRole("dialog", { name: "Edit channel" });
  await expect(drawer.getByLabel("Name", { exact: true })).toBeVisible();
  await rootPage.goBack();
  await expect(drawer).toBeHidden();
  await expect(channels.row(name)).toBeVisible();
  await rootPage.goForward();
  // The drawer takes keys once the focus is in it.
  await expect(drawer).toBeFocused();
  const reads = countReads(rootPage);
  await drawer.getByLabel("Name", { exact: true }).press("Escape");
  await expect(drawer).toBeHidden();
  // The URL follows a moment after the drawer has closed; with the filter it would be one step.
  await expect(rootPage).not.toHaveURL(/edit=/);
  // The step back leads to what the server has answered by then.
  await expect.poll(reads).toBe(0);
  await rootPage.getByRole("search").getByRole("button", { name: "Status" }).click();
  await rootPage.getByRole("menuitemcheckbox", { name: /^Enabled/ }).click();
  await expect(rootPage).toHaveURL(/status=1/);
  await rootPage.keyboard.press("Escape");
  await rootPage.goBack();
  await expect(rootPage).not.toHaveURL(/status=1/);

  await test.step("what was typed is not lost", async () => {
    await rootPage.getByRole("button", { name: `Edit ${name}`, exact: true }).click();
    await drawer.getByLabel("Name", { exact: true }).fill(`${name} anew`);
    await rootPage.keyboard.press("Escape");
    const question = rootPage.getByRole("dialog", { name: "Discard unsaved changes?" });
    await expect(question).toBeVisible();
    await expectAccessible(rootPage, { within: question });
    await question.getByRole("button", { name: "Cancel" }).click();
    await drawer.getByRole("button", { name: "Cancel" }).click();
    await question.getByRole("button", { name: "Cancel" }).click();
    await expect(drawer.getByLabel("Name", { exact: true })).toHaveValue(`${name} anew`);
    await rootPage.evaluate(() => window.history.back());
    await expect(question).toBeVisible();
    await question.getByRole("button", { name: "Discard changes" }).click();
    await expect(drawer).toBeHidden();
    expect((await channels.stored(name)).name).toBe(name);
  });

  await test.step("columns", async () => {
    const head = rootPage.getByRole("columnheader", { name: "Weight" });
    await expect(head).toBeVisible();
    await rootPage.getByRole("button", { name: "Columns" }).click();
    await rootPage.getByRole("menuitemcheckbox", { name: "Weight" }).click();
    await expect(head).toHaveCount(0);
    await rootPage.keyboard.press("Escape");
    await rootPage.reload();
    await expect(rootPage.getByRole("columnheader", { name: "Priority" })).toBeVisible();
    await expect(head).toHaveCount(0);
    expect(await rootPage.evaluate(() => localStorage.getItem("channels-table-columns"))).toBe('{"weight":false}');
    await rootPage.getByRole("button", { name: "Columns" }).click();
    await rootPage.getByRole("menuitem", { name: "Restore default columns" }).click();
    await expect(head).toBeVisible();
  });
});

// every-screen.spec.ts looks at the other lists, and at this one with the rows that other tests leave.
test("no column of the log is cut off at 1440 px with the menu open, whatever its rows hold", async ({
  rootServedPage: page,
}) => {
  test.skip(!hasDatabase(), "writes log rows");
  const [token, createdAt] = [uniqueName("a-key-with-a-name-as-long-as-it-may-be"), Math.floor(Date.now() / 1000)];
  const long = () => ({ requestId: uniqueName("wide"), username: "twelve-chars", userId: 1, token, createdAt });
  const model = "a-vendor/a-model-with-a-very-long-name-2026-11-23";
  const text =
    "no available channel for this model in group default, and this text goes on and on, so that it has lines";
  await addUsage([
    { ...long(), model, channelId: 987_654, quota: 4_999_999, promptTokens: 123_456, completionTokens: 12_345 },
    { ...long(), model, useTimeMs: 23_456, firstTokenMs: 1_234, group: "a-group-of-its-own" },
    { ...long(), model, type: 5, quota: 0, statusCode: 503, errorCode: "no_available_channel", content: text },
    { ...long(), model: "", type: 1, quota: 500_000_000 },
    { ...long(), model: "", type: 3, quota: -500_000_000 },
  ]);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`/log?token=${token}`);
  await expect(page.getByRole("table").getByText("taken back")).toBeVisible();
  await expectNothingCutOff(page, "the log");
});

test("the menu's groups close and stay so, and Console is marked on every page of it; a filter suggests what exists, is a chip while it is set, and is removed there (B097, B130)", async ({
  rootPage,
}) => {
  const account = await createAccount("suggest");
  await rootPage.goto("/token");
  const menu = rootPage.getByRole("navigation", { name: "Main navigation" });
  const group = menu.getByRole("button", { name: "Activity" });
  await expect(menu.getByRole("link", { name: "Logs" })).toBeVisible();
  await group.click();
  await expect(menu.getByRole("link", { name: "Logs" })).toHaveCount(0);
  await rootPage.reload();
  await expect(group).toHaveAttribute("aria-expanded", "false");
  await group.click();
  await menu.getByRole("link", { name: "Logs" }).click();
  await expect(rootPage).toHaveURL(/\/log/);
  const console = rootPage.getByRole("navigation", { name: "Site" }).getByRole("link", { name: "Console" });
  await expect(console).toHaveAttribute("aria-current", "true");

  const field = rootPage.getByRole("combobox", { name: "Username" });
  await field.click();
  await field.pressSequentially(account.username);
  await expect(rootPage.getByRole("option", { name: account.username })).toBeVisible();
  await rootPage.keyboard.press("ArrowDown");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage).toHaveURL(new RegExp(`username=${account.username}`));
  await expect(rootPage.getByRole("listbox")).toHaveCount(0);
  const chips = rootPage.getByRole("list", { name: "Active filters" });
  await expect(chips.getByRole("listitem")).toHaveCount(1);
  await expectAccessible(rootPage);
  await chips.getByRole("button", { name: `Remove Username: ${account.username}` }).click();
  await expect(rootPage).toHaveURL(/\/log$/);
  await expect(field).toHaveValue("");
});

test("selected API keys are disabled and deleted together (A058)", async ({ rootPage }) => {
  const prefix = uniqueName("many");
  const tokens = new TokenPage(rootPage);
  for (const at of [1, 2]) await tokens.make(`${prefix}-${at}`);
  await rootPage.goto(`/token?keyword=${prefix}`);
  await rootPage.getByRole("columnheader").getByRole("checkbox").check();
  const bar = rootPage.getByRole("region", { name: "Bulk actions" });
  await expect(bar).toContainText("2 rows selected");
  await bar.getByRole("button", { name: "Disable" }).click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "Disable" }).click();
  await expect(rootPage.getByRole("table").getByText("Disabled", { exact: true })).toHaveCount(2);
  await expect(bar).toHaveCount(0);
  await rootPage.getByRole("columnheader").getByRole("checkbox").check();
  await bar.getByRole("button", { name: "Delete" }).click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(rootPage.getByRole("heading", { name: /match/ })).toBeVisible();
});

test("on a phone a row of the log is two lines that expand", async ({ rootPage }) => {
  const [model, key] = [uniqueName("phone"), uniqueName("phone-key")];
  await addUsage([
    {
      requestId: uniqueName("phone"),
      username: "root",
      userId: 1,
      model,
      token: key,
      quota: 500,
      createdAt: Math.floor(Date.now() / 1000) - 30,
    },
  ]);
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await rootPage.goto(`/log?model=${model}`);
  const row = rootPage.locator("tbody tr").first();
  await expect(row).toContainText(model);
  const height = await row.evaluate((element) => element.getBoundingClientRect().height);
  expect(height).toBeLessThan(90);
  await row.getByRole("button", { name: `Show details of ${model}` }).click();
  await expect(rootPage.getByRole("dialog")).toHaveCount(0);
  await expect(rootPage.locator("tbody tr").nth(1)).toBeVisible();
  // What the two lines leave out stands below them.
  await expect(rootPage.locator("tbody tr").nth(1)).toContainText(`API key${key}`);
  await expectFits(rootPage);
  await expectAccessible(rootPage);
});

test("the channels that match, or those that were chosen, come as a file without keys; the chosen alone are tested, each with its result (B027, B030, B034, B037)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("file");
  const names = await channels.make(prefix, [{ key: "sk-very-secret", models: "fake-gpt" }, { models: "fake-gpt" }]);
  await channels.open(`?keyword=${prefix}`);
  const textOf = async (open: () => Promise<void>) => {
    await open();
    const [download] = await Promise.all([
      rootPage.waitForEvent("download"),
      rootPage.getByRole("menuitem", { name: "Export as CSV" }).click(),
    ]);
    const stream = await download.createReadStream();
    const parts: Buffer[] = [];
    for await (const part of stream) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  };
  const all = await textOf(() => rootPage.getByRole("button", { name: "Export" }).click());
  for (const name of names) expect(all).toContain(name);
  expect(all).not.toContain("sk-very-secret");
  await rootPage.getByRole("checkbox", { name: `Select channel ${names[1]}`, exact: true }).check();
  const bar = rootPage.getByRole("region", { name: "Bulk actions" });
  const chosen = await textOf(() => bar.getByRole("button", { name: "Export" }).click());
  expect(chosen).toContain(names[1]);
  expect(chosen).not.toContain(`${names[0]},`);

  const dialog = rootPage.getByRole("dialog", { name: "Channel test" });
  await expect(async () => {
    // Only one test run of channels can be active, and a test in another file may have started one.
    await bar.getByRole("button", { name: "Test", exact: true }).click();
    await expect(dialog.getByText(names[1] ?? "")).toBeVisible({ timeout: 5_000 });
  }).toPass({ timeout: 40_000 });
  await expect(dialog.getByText(names[0] ?? "")).toHaveCount(0);
  await expectAccessible(rootPage, { within: dialog });
});

test("an account has a page with its figures, ledger, API keys, sessions and changes, and can be signed out everywhere (A048, A049, B100)", async ({
  rootPage,
  browser,
}) => {
  const account = await createAccount("page");
  if (hasDatabase()) {
    const createdAt = Math.floor(Date.now() / 1000) - 3_600;
    const row = { requestId: uniqueName("page"), username: account.username, userId: account.id, quota: 500_000 };
    await addUsage([{ ...row, createdAt, model: "page-model" }]);
  }
  const context = await browser.newContext();
  const signedIn = await context.request.post(`${process.env.WEIR_E2E_URL}/api/user/login`, {
    data: { username: account.username, password: account.password },
  });
  expect(((await signedIn.json()) as { success: boolean }).success).toBe(true);
  const users = new UserPage(rootPage);
  await users.open(`?keyword=${account.username}`);
  await rootPage.getByRole("link", { name: account.username, exact: true }).click();
  await expect(rootPage).toHaveURL(new RegExp(`/user/${account.id}$`));
  await expect(rootPage.getByRole("heading", { level: 1 })).toContainText(account.username);
  if (hasDatabase()) await expect(rootPage.getByText("page-model").first()).toBeVisible();
  for (const title of ["Balance history", "API keys", "Sessions", "Recent administrative changes"]) {
    await expect(rootPage.getByRole("heading", { name: title })).toBeVisible();
  }
  await expectAccessible(rootPage);
  await rootPage.getByRole("button", { name: "Log out everywhere" }).click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "Log out everywhere" }).click();
  await expect(rootPage.getByText("Not logged in anywhere")).toBeVisible();
  await expect(rootPage.getByText("End a user's sessions")).toBeVisible();
  const self = await context.request.get(`${process.env.WEIR_E2E_URL}/api/user/self`, {
    headers: { "new-api-user": String(account.id) },
  });
  expect(((await self.json()) as { success: boolean }).success).toBe(false);
  await context.close();
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await expectFits(rootPage);
});

test("accounts stay chosen while pages are turned, and a change of a balance keeps its reason; the audit log names states in words and leads to who did it and to whom (A058, A059)", async ({
  rootPage,
}) => {
  const account = await createAccount("why");
  await asRoot((root) => call(root, "POST", "/api/user/manage", { id: account.id, action: "disable" }));
  const users = new UserPage(rootPage);
  await users.open("?pageSize=10");
  await rootPage.getByRole("checkbox", { name: new RegExp(`Select.*${account.username}`) }).check();
  await expect(rootPage.getByText(/^1 .*selected/)).toBeVisible();
  const next = rootPage.getByRole("button", { name: "Next page" });
  if (await next.isEnabled()) {
    await next.click();
    await expect(rootPage).toHaveURL(/page=2/);
    await expect(rootPage.getByText(/^1 .*selected/)).toBeVisible();
  }
  await users.open(`?edit=${account.id}`);
  const drawer = rootPage.getByRole("dialog");
  await drawer.getByLabel("Balance", { exact: true }).fill("777");
  await drawer.getByLabel("Reason for the change").fill("goodwill for the outage");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  await rootPage.goto(`/audit?subject=user:${account.id}`);
  const rows = rootPage.getByRole("row");
  await rows
    .filter({ hasText: "Edit user" })
    .getByRole("button", { name: /^Show the changes/ })
    .click();
  await expect(rootPage.getByText("goodwill for the outage")).toBeVisible();
  const link = rootPage.getByRole("link", { name: `user:${account.id}` }).first();
  await expect(link).toHaveAttribute("href", `/user/${account.id}`);
  const ban = rows.filter({ hasText: "Ban user" });
  await ban.getByRole("button", { name: /^Show the changes/ }).click();
  const change = rootPage.locator("tbody dl > div").filter({ hasText: "status" });
  await expect(change.locator("del")).toHaveText(/Active$/);
  await expect(change.locator("ins")).toHaveText(/Banned$/);
  await expect(ban.getByRole("link", { name: /^root/ })).toHaveAttribute("href", "/user/1");
});
