import { expect, test } from "./fixtures";

test("an unknown address says so and what to check (A023, B025)", async ({ page, problems }) => {
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
  // The browser itself logs the 404.
  expect(problems.splice(0)).toEqual([expect.stringContaining("404")]);
});

test("a record of the console that does not exist has one bar, the console's, with its menu", async ({
  rootPage,
  problems,
}) => {
  const answer = await rootPage.goto("/channel/987654321");
  expect(answer?.status()).toBe(404);
  await expect(rootPage.getByRole("heading", { level: 1 })).toHaveText("Page not found");
  await expect(rootPage.getByRole("banner")).toHaveCount(1);
  await expect(rootPage.getByRole("main")).toHaveCount(1);
  await expect(rootPage.getByRole("contentinfo")).toHaveCount(1);
  await expect(rootPage.getByRole("link", { name: "Channels" }).first()).toBeVisible();
  expect(problems.splice(0)).toEqual([expect.stringContaining("404")]);
});
