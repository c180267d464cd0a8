import { expect, test } from "./fixtures";

test("an unknown address says so and what to check (A023, B025)", async ({ servedPage: page }) => {
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  const answer = await page.goto("/no/such/page");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("页面不存在");
  await expect(page.getByText("请检查")).toBeVisible();
  // The page has the site's links, the language menu and a link to sign in.
  await expect(page.getByRole("navigation", { name: "站点导航" }).getByRole("link", { name: "定价" })).toBeVisible();
  await expect(page.getByRole("link", { name: "登录" })).toBeVisible();
  await page.getByRole("link", { name: "返回首页" }).click();
  await expect(page).toHaveURL(/\/$/);
});

test("a record of the console that does not exist has one bar, the console's, with its menu", async ({
  rootServedPage: page,
}) => {
  const answer = await page.goto("/channel/987654321");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await expect(page.getByRole("banner")).toHaveCount(1);
  await expect(page.getByRole("main")).toHaveCount(1);
  await expect(page.getByRole("contentinfo")).toHaveCount(1);
  await expect(page.getByRole("link", { name: "Channels" }).first()).toBeVisible();
});
