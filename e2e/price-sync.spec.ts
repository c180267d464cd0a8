import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAccount, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessibleInAll } from "./fixtures";
import { test } from "./own-server";

// Prices are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

const token = (input: number, output: number, more = {}) => ({
  litellm_provider: "x",
  mode: "chat",
  input_cost_per_token: input / 1_000_000,
  output_cost_per_token: output / 1_000_000,
  ...more,
});
const list = {
  "gpt-4o": token(2, 10),
  "gpt-4.1": token(2, 8, { cache_read_input_token_cost: 0.5e-6 }),
  "a-new-model": token(1, 3, { input_cost_per_token_above_200k_tokens: 2e-6 }),
  "a-free-model": token(0, 0),
  "dall-e-3": token(5, 40),
  "half-a-model": { litellm_provider: "x", mode: "chat", input_cost_per_token: 1e-6 },
};

let server: Server;
let url = "";
let text = JSON.stringify(list);

test.beforeAll(async () => {
  server = createServer((_request, response) => void response.end(text));
  await new Promise<void>((done) => void server.listen(0, "127.0.0.1", done));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices.json`;
});
test.afterAll(() => void server.close());

test("a price list is compared, filtered, selected from and applied; what was not selected stays; a comparison fits and is accessible on a phone and a wide screen, light and dark", async ({
  rootPage: page,
}) => {
  await setOptions({ ModelRatio: "{}", CompletionRatio: "{}", ModelPrice: "{}", CacheRatio: "{}" });
  await page.goto("/setting?tab=operation#pricing");
  await page.getByRole("link", { name: "Sync prices" }).click();
  await expect(page).toHaveURL(/\/setting\/prices$/);
  const address = page.getByLabel("Address of the price list");
  await address.fill("not an address");
  await address.press("Enter");
  await expect(page.getByText("Enter an address that begins with http")).toBeVisible();
  await address.fill(url);
  await address.press("Enter");
  await expect(page.getByRole("status")).toHaveText("LiteLLM price list: 2 new, 2 changed, 1 unchanged, 1 rejected");
  const row = (model: string) => page.getByRole("row").filter({ hasText: model });
  await expect(row("gpt-4o")).toContainText("-20%");
  await expect(row("a-new-model")).toContainText("Base price only");
  await expect(row("a-free-model")).toContainText("Free");
  await expect(page.getByRole("button", { name: "Apply 0 prices" })).toBeDisabled();
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 640 });
    // What can be applied is at hand, however long the list.
    await expect(page.getByRole("button", { name: /^Apply/ })).toBeInViewport();
  }
  await expectAccessibleInAll(page);

  await page.getByRole("button", { name: "New", exact: true }).click();
  await expect(row("gpt-4o")).toHaveCount(0);
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.getByRole("checkbox", { name: "Select gpt-4o" }).press("Space");
  await page.getByRole("checkbox", { name: "Select a-new-model" }).check();
  await page.getByRole("button", { name: "Apply 2 prices" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply 2 prices" }).click();
  await expect(page.getByText("2 prices were applied")).toBeVisible();
  await expect(page.getByRole("status")).toHaveText(/: 1 new, 1 changed, 3 unchanged, 1 rejected$/);
  await expect(row("a-new-model")).toHaveCount(0);

  await page.getByText("1 entry was rejected").click();
  await expect(page.getByText("No completion price (1)")).toBeVisible();
});

test("prices that were changed since the comparison are not overwritten; what is no price list is said; an ordinary account has no such page", async ({
  rootPage: page,
  servedPage,
}) => {
  await page.goto("/setting/prices");
  await page.getByLabel("Address of the price list").fill(url);
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("checkbox", { name: /^Select all/ }).check();
  await setOptions({ CompletionRatio: '{"another":7}' });
  await page.getByRole("button", { name: /^Apply \d/ }).click();
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^Apply/ })
    .click();
  await expect(page.getByText("Prices have changed since the comparison")).toBeVisible();
  await page.keyboard.press("Escape");

  text = "<!doctype html><p>Sign in</p>";
  await page.getByRole("button", { name: "Compare" }).click();
  await expect(page.getByText("The response is not JSON")).toBeVisible();
  text = JSON.stringify(list);
  const account = await createAccount("prices");
  await signInToApi(servedPage, account.username, account.password);
  await servedPage.goto("/setting/prices");
  await expect(servedPage.getByText("Super admin")).toBeVisible();
});
