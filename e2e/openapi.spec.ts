import type { Page } from "@playwright/test";
import { COLOUR_RULES, expect, expectAccessible, expectFits, test, turn } from "./fixtures";

test("the interface describes itself to anybody, with the address at which it was asked", async ({ request }) => {
  const answer = await request.get("/api/openapi.json");
  expect(answer.status()).toBe(200);
  const document = await answer.json();
  expect(document.openapi).toBe("3.1.0");
  expect(document.servers).toEqual([{ url: process.env.WEIR_E2E_URL }]);
  expect(Object.keys(document.paths)).toContain("/v1/chat/completions");
  const chinese = await request.get("/api/openapi.json", { headers: { cookie: "locale=zh" } });
  expect((await chinese.json()).paths["/api/token"].get.summary).toBe("自己的令牌列表");
});

test("the reference is searched and opened, and is accessible in both themes", async ({ rootPage }) => {
  await rootPage.goto("/docs/api");
  await rootPage.getByRole("searchbox", { name: /Search/ }).fill("channel test");
  const operation = rootPage.getByRole("button", { name: /GET \/api\/channel\/test\/\{id\}/ });
  await operation.click();
  const example = rootPage.locator("pre").first();
  await expect(example).toContainText(`${process.env.WEIR_E2E_URL}/api/channel/test/{id}`);
  const reply = rootPage.getByRole("table", { name: "Reply (JSON)" });
  await expect(reply.getByRole("row", { name: /^time Seconds number yes/ })).toBeVisible();
  await expect(rootPage.getByRole("button", { name: /\/api\/token/ })).toHaveCount(0);
  await expectAccessible(rootPage);
  await turn(rootPage, "dark");
  await expectAccessible(rootPage, { rules: COLOUR_RULES });
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await expectFits(rootPage);
});

test("a link leads to one call of the reference, with a sample in three languages", async ({
  rootPage,
  rootServedPage,
}) => {
  await rootServedPage.goto("/docs/api?search=chat");
  await expect(rootServedPage.getByRole("searchbox", { name: /Search/ })).toHaveValue("chat");
  const operationOn = (page: Page) => page.getByRole("button", { name: /POST \/v1\/chat\/completions/ });
  const id = await operationOn(rootServedPage).locator("xpath=ancestor::div[@id][1]").getAttribute("id");
  const operation = operationOn(rootPage);
  await rootPage.goto(`/docs/api#${id}`);
  await expect(operation).toHaveAttribute("aria-expanded", "true");
  await expect(operation).toBeInViewport();
  const sample = rootPage.locator("pre").first();
  await expect(sample).toContainText("Bearer $WEIR_TOKEN");
  await rootPage.getByRole("button", { name: "Python" }).click();
  await expect(sample).toContainText("requests.request(");
  await rootPage.getByRole("button", { name: "TypeScript" }).click();
  await expect(sample).toContainText("await fetch(");
});
