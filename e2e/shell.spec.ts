import { expect, expectAccessible, test } from "./fixtures";

test("the language is switched in place and remembered", async ({ rootPage }) => {
  await rootPage.goto("/token");
  await rootPage.getByRole("button", { name: "Language" }).click();
  await rootPage.getByRole("menuitemradio", { name: "中文" }).click();
  await expect(rootPage.getByRole("heading", { level: 1 })).toHaveText("令牌");
  await rootPage.reload();
  await expect(rootPage.locator("html")).toHaveAttribute("lang", "zh-CN");
});

test("the theme follows the system until one is chosen, which survives a reload (A005, A006, A112)", async ({
  rootPage,
}) => {
  await rootPage.goto("/token");
  await expect(rootPage.locator("html")).toHaveClass(/light/);
  await rootPage.getByRole("button", { name: "Theme" }).click();
  await rootPage.getByRole("menuitemradio", { name: "Dark" }).click();
  await expect(rootPage.locator("html")).toHaveClass(/dark/);
  expect(await rootPage.evaluate(() => localStorage.getItem("theme-mode"))).toBe("dark");
  await rootPage.reload();
  await expect(rootPage.locator("html")).toHaveClass(/dark/);
});

test("the sidebar stays collapsed after a reload", async ({ rootPage }) => {
  await rootPage.goto("/token");
  await rootPage.getByRole("button", { name: "Collapse the sidebar" }).click();
  await rootPage.reload();
  await expect(rootPage.getByRole("button", { name: "Expand the sidebar" })).toBeVisible();
});

test("on a phone the menu opens as a sheet", async ({ rootPage }) => {
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await rootPage.goto("/token");
  await rootPage.getByRole("button", { name: "Open the navigation menu" }).click();
  const menu = rootPage.getByRole("dialog");
  await expectAccessible(rootPage);
  await menu.getByRole("link", { name: "Logs" }).click();
  await expect(rootPage).toHaveURL(/\/log$/);
});
