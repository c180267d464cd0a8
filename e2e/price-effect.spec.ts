import { randomUUID } from "node:crypto";
import { settingPath } from "../lib/option/cards";
import { asRoot, call, createAccount, setOptions } from "./accounts";
import { expect } from "./fixtures";
import { withDatabase } from "./media-rows";
import { test } from "./own-server";
import { addUsage } from "./usage-rows";

// Prices are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

const models = ["weir-large", "weir-small", "weir-unused"];
let user = { id: 0, username: "" };

test.beforeAll(async () => {
  user = await createAccount("effect");
  await setOptions({
    ModelRatio: JSON.stringify({ "weir-large": 2.5, "weir-small": 0.2, "weir-unused": 1 }),
    CompletionRatio: JSON.stringify({ "weir-large": 4, "weir-small": 4 }),
    ModelPrice: "{}",
    GroupRatio: JSON.stringify({ default: 1, vip: 0.8 }),
  });
  await asRoot((root) =>
    call(root, "POST", "/api/channel/", {
      name: "Weir upstream",
      type: 1,
      key: "sk-e2e",
      models: models.join(","),
      group: "default,vip",
      base_url: "https://upstream.example",
    }),
  );
  const createdAt = Math.floor(Date.now() / 1_000) - 7_200;
  // Other files may have used the same server before.
  const channelId = await withDatabase(async (sql) => {
    const [channel] = await sql<{ id: number }[]>`select max(id) as id from channels where name = 'Weir upstream'`;
    return channel?.id ?? 0;
  });
  await addUsage(
    ["weir-large", "weir-small", "weir-large"].map((model, index) => ({
      requestId: randomUUID(),
      username: user.username,
      userId: user.id,
      createdAt,
      model,
      channelId,
      group: index === 2 ? "vip" : "default",
      quota: 50_000,
      promptTokens: 200_000,
      completionTokens: 100_000,
      other: { group_ratio: index === 2 ? 0.8 : 1, cache_tokens: 0, lines: [] },
    })),
  );
});

test("the history has the change, its undo, and the undo of the undo", async ({ rootPage: page }) => {
  await setOptions({ ModelRatio: { "weir-large": 3, "weir-small": 0.24, "weir-unused": 1.2 } });
  await page.goto("/setting/prices/history?name=weir-unused");
  const newest = page.getByRole("row").nth(1);
  await expect(newest).toContainText("root");
  await expect(newest).toContainText("weir-unused model ratio 1 → 1.2");
  for (const text of ["model ratio 1.2 → 1", "model ratio 1 → 1.2"]) {
    await newest.getByRole("button", { name: /^Undo change/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Undo" }).click();
    await expect(page.getByText("3 prices restored").last()).toBeVisible();
    await expect(newest).toContainText(text);
  }
  await expect(page.getByRole("row").nth(2)).toContainText("Changed again since");
});

test("the price editor shows the effect before it saves; not saving keeps the edits", async ({ rootPage: page }) => {
  await page.goto(settingPath("pricing"));
  const card = page.locator("section#pricing");
  await card.getByRole("textbox", { name: "weir-small: Model ratio" }).fill("0.5");
  await page.locator("[data-save-bar] button[type=submit]").click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByText("1 price changes")).toBeVisible();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(card.getByRole("textbox", { name: "weir-small: Model ratio" })).toHaveValue("0.5");
  await card.getByRole("button", { name: "Delete weir-unused" }).click();
  await expect(card.getByRole("row").filter({ hasText: "weir-unused" })).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(card.getByRole("row").filter({ hasText: "weir-unused" })).toHaveCount(1);
});

test("a draft of groups and of routing is tried, and applied only then", async ({ rootPage: page }) => {
  await page.goto("/setting/prices/what-if");
  const groups = page.getByRole("region", { name: "Group ratios" });
  await groups.getByRole("textbox", { name: "Draft ratio of vip" }).fill("0.4");
  await groups.getByRole("button", { name: "Show effect" }).click();
  await expect(groups.getByRole("region", { name: "By group" })).toContainText(/0\.8.*→.*0\.4/);
  const routing = page.getByRole("region", { name: "Routing" });
  await routing.getByRole("switch", { name: "Weir upstream enabled" }).click();
  await routing.getByRole("button", { name: "Show effect" }).click();
  await expect(routing.getByText("Requests that would have no channel with the draft")).toBeVisible();
  await routing.getByRole("button", { name: "Apply" }).click();
  await expect(page.getByText("The draft was applied")).toBeVisible();
  await expect(routing.getByText("The draft contains no changes")).toBeVisible();
});
