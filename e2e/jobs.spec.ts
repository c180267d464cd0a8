import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { asRoot, call, createAccount, deleteChannels, setOptions, signInToApi } from "./accounts";
import { Job } from "./clicks";
import { expect, expectAccessible, uniqueName } from "./fixtures";
import { ask, balanceOf, giveMoney, makeKey, runScript } from "./gateway";
import { withDatabase } from "./media-rows";
import { test } from "./own-server";
import { upstream } from "./pages/channel-page";
import { UserPage } from "./pages/user-page";
import { awayFromFullHour } from "./turns";
import { addUsage } from "./usage-rows";

// The jobs of operators and users, each with the number of clicks that it may take at most. Channels, prices and options
// are site-wide, so these tests have their own server.
const DOLLAR = 500_000;

test.beforeAll(async () => {
  await deleteChannels();
  await setOptions({ CurrencySymbol: "$" });
  await addChannel({ name: uniqueName("jobs"), models: "gpt-4o-mini" });
});
test.afterAll(() => setOptions({ CurrencySymbol: "￥" }));

function addChannel(fields: Record<string, unknown>): Promise<unknown> {
  const usual = { type: 1, key: "sk-e2e", group: "default", base_url: upstream() };
  return asRoot((root) => call(root, "POST", "/api/channel/", { ...usual, ...fields }));
}

test("job 1: a channel is added and tested, a key made, and the price of the first request is in the log, in nine clicks", async ({
  rootPage: page,
}) => {
  const name = uniqueName("first");
  const job = await Job.start(page);
  await page.getByRole("link", { name: "Channels", exact: true }).click();
  await page.getByRole("button", { name: "Add channel" }).first().click();
  const drawer = page.getByRole("dialog", { name: "Add channel" });
  await expect(drawer.getByText("0 models")).toBeVisible();
  await expect(drawer.getByText(/^Serves: Chat, /)).toBeVisible();
  await job.type(drawer.getByLabel("Name", { exact: true }), name);
  await job.type(drawer.getByLabel("Base URL"), upstream());
  await job.type(drawer.getByLabel("Key", { exact: true }), "sk-upstream");
  await job.type(drawer.getByLabel("Models", { exact: true }), "gpt-4o-mini,no-price-model");
  await job.press(",");
  await expect(drawer.getByText(/1 model has no price.*no-price-model/)).toBeVisible();
  await job.type(drawer.getByLabel("Priority"), "900");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await drawer.getByRole("button", { name: "Test now" }).click();
  const result = drawer.getByTestId("test-result");
  await expect(result).toContainText("Test passed");
  await expect(result).toContainText("Upstream cost");
  await expect(drawer.getByRole("link", { name: "Try it in the playground" })).toHaveAttribute(
    "href",
    "/playground?model=gpt-4o-mini",
  );
  await expectAccessible(page, { within: drawer });
  await drawer.getByRole("button", { name: "Done" }).click();
  await job.find("new api key", "New API key");
  const form = page.getByRole("dialog", { name: "Add API key" });
  await job.type(form.getByLabel("Name", { exact: true }), name);
  await form.getByRole("button", { name: "Submit" }).click();
  const key = (await page.getByTestId("new-key").textContent()) ?? "";
  await page.getByRole("button", { name: "I have saved it" }).click();

  const answer = await ask(key, "gpt-4o-mini");
  expect(answer.status, answer.text).toBe(200);

  await page.getByRole("link", { name: "Logs", exact: true }).click();
  const row = page.getByRole("row").filter({ hasText: name }).first();
  await expect(row).toContainText(/\$0\.0000\d+/);
  await row.getByRole("button", { name: "Show details of gpt-4o-mini" }).click();
  await expect(page.getByTestId("bill")).toContainText("12");
  await expect(page.getByTestId("bill")).toContainText(/\$0\.0000\d+/);
  await job.expectAtMost(9, "job 1, add a channel, first request, its price in the log");
});

test("job 2: why the requests of a user failed is found in four clicks", async ({ rootPage: page }) => {
  const bob = await createAccount("bob");
  await giveMoney(bob, 5 * DOLLAR);
  const channel = uniqueName("refused");
  await addChannel({ name: channel, key: "bad-key", models: "o4-mini", auto_ban: 0 });
  const key = await makeKey(bob);
  const refused = [await ask(key, "o4-mini"), await ask(key, "o4-mini"), await ask(key, "o3-pro")];
  for (const { status } of refused) expect(status).toBeGreaterThanOrEqual(400);
  await asRoot((root) =>
    expect
      .poll(async () => {
        const found = await call(root, "GET", `/api/log/?p=1&page_size=10&type=5&username=${bob.username}`);
        return (found as { total: number }).total;
      })
      .toBe(refused.length),
  );

  const job = await Job.start(page);
  await page.getByRole("link", { name: "Logs", exact: true }).click();
  await job.type(page.getByRole("combobox", { name: "Username" }), bob.username);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`username=${bob.username}`));
  await page.getByRole("link", { name: "Failures by cause" }).click();
  const causes = page.getByRole("table").locator("tbody tr");
  await expect(causes).toHaveCount(2);
  await expect(causes.filter({ hasText: "does not exist" })).toContainText("404");
  const ofUpstream = causes.filter({ hasText: channel });
  await expect(ofUpstream).toContainText("502");
  await expect(ofUpstream).toContainText("Incorrect API key");
  await ofUpstream.getByRole("link").first().click();
  const lines = page.getByTestId("failure-line");
  await expect(lines).toHaveCount(2);
  await expect(lines.first()).toContainText("Incorrect API key");
  await job.expectAtMost(4, "job 2, why did bob's requests fail");
});

const MODELS = ["jobs-large", "jobs-small", "jobs-unused"];

async function sellModels(): Promise<{ username: string; channel: string }> {
  const { id, username } = await createAccount("effect");
  const channel = uniqueName("Jobs upstream");
  await setOptions({
    ModelRatio: { "jobs-large": 2.5, "jobs-small": 0.2, "jobs-unused": 1 },
    CompletionRatio: { "jobs-large": 4, "jobs-small": 4 },
    ModelPrice: {},
  });
  await addChannel({ name: channel, models: MODELS.join(",") });
  const channelId = await withDatabase(async (sql) => {
    const [row] = await sql<{ id: number }[]>`select id from channels where name = ${channel}`;
    return row?.id ?? 0;
  });
  await addUsage(
    ["jobs-large", "jobs-small"].map((model) => ({
      requestId: randomUUID(),
      username,
      userId: id,
      createdAt: Math.floor(Date.now() / 1_000) - 7_200,
      model,
      channelId,
      quota: 50_000,
      promptTokens: 200_000,
      completionTokens: 100_000,
      other: { group_ratio: 1, cache_tokens: 0, lines: [] },
    })),
  );
  return { username, channel };
}

test("job 3: prices are raised by 20 % with their effect seen before they are saved, in five clicks", async ({
  rootPage: page,
}) => {
  const { username, channel } = await sellModels();
  const job = await Job.start(page);
  await job.find("price list", "Price list");
  await expect(page.getByRole("heading", { name: "Price list", level: 1 })).toBeVisible();
  await job.type(page.getByRole("searchbox", { name: "Search model names" }), "jobs-");
  await page.getByRole("checkbox", { name: "Select all 3 models found" }).click();
  await job.type(page.getByRole("textbox", { name: "Percent" }), "+20");
  await page.getByRole("button", { name: "Show effect" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("3 prices change")).toBeVisible();
  const large = dialog.getByRole("row").filter({ hasText: "jobs-large" });
  await expect(large).toContainText(/5.*→.*6/);
  await expect(large).toContainText("+20%");
  await expect(dialog.getByRole("heading", { name: "1 user affected" })).toBeVisible();
  await expect(dialog).toContainText(username);
  await expect(dialog.getByRole("region", { name: "Margin by channel" })).toContainText(channel);
  await dialog.getByRole("button", { name: "Save prices" }).click();
  await expect(page.getByText("3 prices were saved")).toBeVisible();
  await expect(page.getByRole("row").filter({ hasText: "jobs-unused" })).toContainText("2.4");
  await job.expectAtMost(5, "job 3, +20 % with its effect before it is saved");
  await page.goto("/setting/prices/history?name=jobs-unused");
  const newest = page.getByRole("row").nth(1);
  await expect(newest).toContainText("root");
  await expect(newest).toContainText("Price list");
  await expect(newest).toContainText("jobs-unused model ratio 1 → 1.2");
});

test("job 4: a code is redeemed, the spend of this week seen by model and exported, and an alert set, in six clicks", async ({
  page,
}) => {
  await awayFromFullHour();
  const account = await createAccount("spend");
  const codes = await asRoot((root) =>
    call(root, "POST", "/api/redemption/", { name: "job", quota: 3 * DOLLAR, count: 1 }),
  );
  await addUsage([
    {
      requestId: randomUUID(),
      userId: account.id,
      username: account.username,
      createdAt: Math.floor(Date.now() / 1_000),
      model: "model-week",
      quota: 2 * DOLLAR,
    },
  ]);
  const caller = await signInToApi(page, account.username, account.password);
  const balance = async () => ((await call(caller, "GET", "/api/user/self")) as { quota: number }).quota;
  const before = await balance();
  const job = await Job.start(page);
  await job.find("wallet", /^Wallet/);
  await job.type(page.getByLabel("Redemption code"), (codes as string[])[0] ?? "");
  await page.getByRole("button", { name: "Redeem", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Code redeemed" })).toContainText("$3.00");
  expect(await balance()).toBe(before + 3 * DOLLAR);
  await job.press("Escape");
  await page.getByRole("link", { name: "Dashboard", exact: true }).click();
  await page.getByRole("button", { name: "This week", exact: true }).click();
  await expect(page.getByRole("list", { name: "Legend" })).toContainText("model-week");
  await expect(page.getByTestId("kpi-range-quota")).toContainText("$2.00");
  await page.getByRole("region", { name: "Spend by model" }).getByRole("button", { name: "Export" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: "CSV" }).click();
  const csv = readFileSync(await (await download).path(), "utf8");
  expect(csv).toContain("Spend ($)");
  expect(csv).toMatch(/,model-week,1,70,2(\.0+)?,1000000/);
  await job.find("new alert", "New alert");
  const drawer = page.getByRole("dialog", { name: "New alert" });
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  await expect(page.getByRole("listitem", { name: "My account" })).toContainText("Spend above $10.00 in 1 d");
  await job.expectAtMost(6, "job 4, redeem, spend by model this week, export, alert");
});

test("job 5: code for the SDK is copied in three clicks, and runs as it is", async ({ page, context }) => {
  const account = await createAccount("sdk");
  await giveMoney(account, DOLLAR);
  await makeKey(account, "laptop");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await signInToApi(page, account.username, account.password);
  const job = await Job.start(page);
  await page.getByRole("button", { name: "Code for laptop" }).click();
  const dialog = page.getByRole("dialog", { name: "Code for laptop" });
  await dialog.getByRole("button", { name: "TypeScript" }).click();
  await dialog.getByRole("button", { name: /^Copy .*TypeScript/ }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toContain("new OpenAI(");
  await job.expectAtMost(3, "job 5, code for the SDK");
  expect(await runScript(await copied(), test.info().outputPath("snippet.mjs"))).toContain(
    "The river runs through the weir",
  );
});

test("job 6: a user is given 10 USD and banned, and both are in the audit log, in six clicks", async ({
  rootPage: page,
}) => {
  const bob = await createAccount("bob");
  await giveMoney(bob, DOLLAR);
  const key = await makeKey(bob);
  expect((await ask(key, "gpt-4o-mini")).status).toBe(200);
  const before = await balanceOf(bob);
  const users = new UserPage(page);
  const job = await Job.start(page);
  await job.find(bob.username, new RegExp(`^${bob.username}`));
  const drawer = page.getByRole("dialog", { name: "Edit user" });
  await drawer.getByRole("button", { name: "Adjust balance" }).click();
  const adjust = page.getByRole("dialog", { name: "Adjust balance" });
  await job.type(adjust.getByLabel("Amount to add"), "10");
  await adjust.getByRole("button", { name: "OK" }).click();
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  await users.manage(bob.username, "Ban");
  await expect(users.row(bob.username)).toContainText("Banned");
  await job.find("audit", /^Audit log/);
  const entries = page.getByRole("row").filter({ hasText: `user:${bob.id}` });
  await expect(entries.filter({ hasText: "Ban user" })).toContainText(/status.*Banned/i);
  await expect(entries.filter({ hasText: "Edit user" })).toContainText(/quota.*\$[01]\.\d.*\$1[01]\.\d/);
  await job.expectAtMost(6, "job 6, give 10 USD, ban, audit");
  expect(await balanceOf(bob)).toBe(before + 10 * DOLLAR);
  await expect.poll(async () => (await ask(key, "gpt-4o-mini")).status).toBe(403);
});
