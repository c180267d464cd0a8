import type { Page } from "@playwright/test";
import { asRoot, call, createAccount, deleteChannels, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible, expectFits } from "./fixtures";
import { test } from "./own-server";

// Groups, prices and channels are site-wide, so these tests have their own server.
test.describe.configure({ mode: "serial" });

test.beforeAll(async ({ ownServer: _ }) => {
  await deleteChannels();
  await asRoot(async (root) => {
    const channel = (name: string, type: number, models: string, group: string) =>
      call(root, "POST", "/api/channel/", { name, type, models, group, groups: [group], key: `sk-${name}` });
    const options = {
      GroupRatio: { default: 1, vip: 0.5, staff: 2 },
      UserUsableGroups: { default: "everybody", vip: "paying" },
      ModelRatio: { "gpt-4o": 1.25, "claude-x": 3, "vip-model": 1 },
      CompletionRatio: { "gpt-4o": 4, "claude-x": 5, "vip-model": 1 },
      ModelPrice: { mj_imagine: 0.1 },
    };
    await setOptions(options);
    await channel("open", 1, "gpt-4o,mj_imagine", "default,vip");
    await channel("claude", 14, "claude-x", "default");
    await channel("vip", 1, "vip-model", "vip");
  });
});

const namesOf = (page: Page) => page.getByRole("link", { name: /^(gpt|claude|mj|vip)/ });
const rowOf = (page: Page, model: string) => page.getByRole("row").filter({ hasText: model });

test("anybody sees the models with the default ratio, gpt first, at 390 px and in the dark theme, too (B021, B111, B115, B116, B117)", async ({
  servedPage: page,
}) => {
  const answer = await page.goto("/pricing");
  expect(answer?.status()).toBe(200);
  await expect(page.getByText("Not logged in; the default group ratio applies: 1")).toBeVisible();
  await expect(page.getByRole("columnheader")).toHaveText([
    "Availability",
    "Model name",
    "Billing type",
    "Available in groups",
    "Ratio",
    "Model price",
    "Context and content",
    "Actions",
  ]);
  await expect(namesOf(page)).toHaveText(["gpt-4o", "claude-x", "mj_imagine", "vip-model"]);
  await expect(page.getByText("staff")).toHaveCount(0);
  const row = rowOf(page, "gpt-4o");
  await expect(row).toContainText("Prompt ￥2.5 / 1M tokens");
  await expect(row).toContainText("Completion ￥10 / 1M tokens");
  await expect(rowOf(page, "mj_imagine")).toContainText("￥0.1 / call");
  await expect(rowOf(page, "vip-model").getByRole("button", { name: /cannot use/ })).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: "dark" });
  await page.reload();
  await expect(page.locator("html")).toHaveClass(/dark/);
  await expectAccessible(page);
  await expectFits(page);
});

test("selected models are copied as a comma list and compared side by side; a figure explains the ratios, a simulator reckons (B113, B114, B298)", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/pricing");
  await page.getByRole("button", { name: "Copy selected models" }).click();
  await expect(page.getByText("Select at least one model.")).toBeVisible();
  await page.getByLabel("Select claude-x").check();
  await page.getByLabel("Select gpt-4o").check();
  await page.getByRole("button", { name: "Copy selected models" }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("gpt-4o,claude-x");
  await page.getByRole("button", { name: "Compare" }).click();
  const table = page.getByTestId("comparison");
  await expect(table.getByRole("row").filter({ hasText: "Prompt price" })).toContainText("￥2.5");
  await expect(table.getByRole("row").filter({ hasText: "Prompt price" })).toContainText("￥6");
  await expectAccessible(page, { within: page.getByRole("dialog") });
  await page.keyboard.press("Escape");

  await test.step("ratios are explained by a figure", async () => {
    await page.getByRole("button", { name: "About ratios" }).click();
    const dialog = page.getByRole("dialog", { name: "About ratios" });
    await expect(dialog.getByRole("img", { name: /Diagram of the ratios/ })).toBeVisible();
    await expectAccessible(page, { within: dialog });
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("the simulator reckons with the relay's function", async () => {
    await page.getByRole("button", { name: "Simulate the cost of gpt-4o" }).click();
    const dialog = page.getByRole("dialog", { name: "Price simulator" });
    await dialog.getByLabel("Prompt tokens").fill("1000");
    await dialog.getByLabel("Completion tokens").fill("500");
    await dialog.getByLabel("Requests").fill("10");
    // (1000 + 500 × 4) × 1.25 = 3750 quota per request.
    await expect(dialog.getByTestId("simulated")).toHaveText("10 requests: ￥0.075000");
    await dialog.getByLabel("Group").selectOption("vip");
    await expect(dialog.getByTestId("simulated")).toHaveText("10 requests: ￥0.037500");
    await dialog.getByLabel("Model name").fill("nothing");
    await expect(dialog.getByText("This model is not on the price list")).toBeVisible();
    await expectAccessible(page, { within: dialog });
  });
});

test("the banner prints the divisor in force, and prices follow it (B298, B299, B300)", async ({
  servedPage: page,
}) => {
  await page.goto("/pricing");
  await expect(page.getByTestId("formula")).toContainText("/ 500000");
  await setOptions({ QuotaPerUnit: "1000000" });
  await page.goto("/pricing");
  await expect(page.getByTestId("formula")).toContainText("/ 1000000.");
  // Only the product of the ratios.
  await expect(rowOf(page, "gpt-4o")).toContainText("Prompt ￥1.25 / 1M tokens");
  await expect(rowOf(page, "gpt-4o")).toContainText("Model × group ratio");
  await setOptions({ QuotaPerUnit: "500000" });
});

test("who is signed in sees their own group first, and code with one of their tokens (B111)", async ({ page }) => {
  const account = await createAccount("price");
  const caller = await signInToApi(page, account.username, account.password);
  const made = (await call(caller, "POST", "/api/token/", { name: "mine", unlimited_quota: true })) as { key: string };
  await page.goto("/pricing");
  await expect(page.getByText("Your default group is default, with a group ratio of 1")).toBeVisible();
  await page.getByRole("button", { name: "Code for claude-x" }).click();
  const dialog = page.getByRole("dialog", { name: "Call claude-x" });
  await expect(dialog.locator("pre")).toContainText('"model":"claude-x"');
  await dialog.getByLabel("API key").selectOption({ index: 1 });
  await expect(dialog.locator("pre")).toContainText(`sk-${made.key}`);
  await dialog.getByRole("button", { name: "Python" }).click();
  await expect(dialog.locator("pre")).toContainText("from openai import OpenAI");
  await expectAccessible(page, { within: dialog });
});

test("search, filters, sorting and groups are at hand and in the address: a link shows the same, the back button takes a group back (B110, B112)", async ({
  page,
  servedPage: served,
}) => {
  await page.goto("/pricing");
  const names = namesOf(page);

  await test.step("a click on a group switches availability and prices and says so", async () => {
    await rowOf(page, "gpt-4o").getByRole("button", { name: "View the prices of group vip" }).click();
    await expect(page.getByText("You are viewing group vip, with a ratio of 0.5")).toBeVisible();
    await expect(page).toHaveURL(/group=vip/);
    await expect(rowOf(page, "gpt-4o")).toContainText("Prompt ￥1.25 / 1M tokens");
    await expect(rowOf(page, "vip-model").getByRole("button", { name: "This group may use the model" })).toBeVisible();
    await expect(rowOf(page, "claude-x").getByRole("button", { name: /cannot use/ })).toBeVisible();
    await page.goBack();
    await expect(rowOf(page, "gpt-4o")).toContainText("Prompt ￥2.5 / 1M tokens");
  });

  await page.getByLabel("Search model names").fill("CLAUDE");
  await expect(names).toHaveText(["claude-x"]);
  await page.getByLabel("Search model names").fill("");
  await page.getByLabel("Billing type").selectOption("call");
  await expect(names).toHaveText(["mj_imagine"]);
  await page.getByLabel("Billing type").selectOption("");
  await page.getByLabel("Vendor").selectOption({ label: "Anthropic Claude" });
  await expect(names).toHaveText(["claude-x"]);
  await page.getByLabel("Vendor").selectOption("");
  await page.getByLabel("Sort").selectOption("dear");
  await expect(names).toHaveText(["claude-x", "gpt-4o", "vip-model", "mj_imagine"]);

  await page.getByLabel("Search model names").fill("gpt");
  await expect(page).toHaveURL(/search=gpt&sort=dear|sort=dear&search=gpt/);
  await page.reload();
  await expect(page.getByLabel("Search model names")).toHaveValue("gpt");
  await expect(names).toHaveText(["gpt-4o"]);
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(names).toHaveCount(4);
  await expect(page.getByLabel("Search model names")).toHaveValue("");
  await page.getByRole("group", { name: "Group" }).getByRole("button", { name: /^vip/ }).click();
  await expect(page).toHaveURL(/group=vip/);
  await expect(rowOf(page, "gpt-4o")).toContainText("Prompt ￥1.25 / 1M tokens");
  await served.goto("/pricing?group=no-such-group&vendor=14&available=true");
  await expect(namesOf(served)).toHaveText(["claude-x"]);
});

test("the home page names models with their prices and leads to all of them", async ({ servedPage: page }) => {
  await page.goto("/");
  await expect(page.getByText(/3 models from OpenAI, Anthropic Claude/)).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "claude-x" })).toContainText("Prompt￥6");
  await expect(page.getByRole("listitem").filter({ hasText: "mj_imagine" })).toContainText("Per call￥0.1");
  await expectAccessible(page);
  await page.getByRole("link", { name: "See all prices" }).click();
  await expect(page).toHaveURL(/\/pricing$/);
});
