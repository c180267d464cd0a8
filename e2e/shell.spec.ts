import type { Page } from "@playwright/test";
import { expect, expectAccessible, test } from "./fixtures";

/** Records the transitions of colours that begin from now on, but for those of the menu and its button. */
async function fadedColours(page: Page) {
  await page.emulateMedia({ reducedMotion: "no-preference" });
  // Nothing lies under the pointer when the menu closes.
  await page.mouse.move(0, 0);
  const names = await page.evaluateHandle(() => {
    const seen: string[] = [];
    document.addEventListener("transitionrun", ({ propertyName, target }) => {
      const isOfMenu = target instanceof Element && target.closest("[role=menu], [aria-haspopup]");
      if (!isOfMenu && /^(background-|border-.*-)?color$|fill|stroke/.test(propertyName)) seen.push(propertyName);
    });
    return seen;
  });
  // Transitions that have begun are told at the next frame.
  const frames = () =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return {
    async forget() {
      await frames();
      await names.evaluate((seen) => void seen.splice(0));
    },
    async list() {
      await frames();
      return names.evaluate((seen) => seen);
    },
  };
}

test("sidebar, theme and language are switched in place and survive a reload; the theme follows the system until one is chosen; messages have their place (A005, A006, A112, B122)", async ({
  rootPage,
}) => {
  const html = rootPage.locator("html");
  await rootPage.goto("/token");
  await expect(rootPage.getByRole("region", { name: /Notifications/ })).toBeAttached();
  await rootPage.getByRole("button", { name: "Collapse the sidebar" }).click();
  await expect(rootPage.getByRole("button", { name: "Expand the sidebar" })).toBeVisible();
  await expect(html).toHaveClass(/light/);
  const faded = await fadedColours(rootPage);
  await rootPage.getByRole("button", { name: "Theme" }).press("Enter");
  await rootPage.getByRole("menuitemradio", { name: "Dark" }).focus();
  await faded.forget();
  await rootPage.keyboard.press("Enter");
  await expect(html).toHaveClass(/dark/);
  await expect(html).not.toHaveClass(/theme-changes/);
  expect(await faded.list(), "colours that faded when the theme changed").toEqual([]);
  expect(await rootPage.evaluate(() => localStorage.getItem("theme-mode"))).toBe("dark");
  await rootPage.getByRole("button", { name: "Language" }).click();
  await rootPage.getByRole("menuitemradio", { name: "中文" }).click();
  await expect(rootPage.getByRole("heading", { level: 1 })).toHaveText("令牌");

  await rootPage.reload();
  await expect(html).toHaveAttribute("lang", "zh-CN");
  await expect(html).toHaveClass(/dark/);
  await expect(rootPage.getByRole("button", { name: "展开侧边栏" })).toBeVisible();

  await rootPage.getByRole("button", { name: "主题" }).click();
  await rootPage.getByRole("menuitemradio", { name: "浅色模式" }).click();
  await rootPage.emulateMedia({ colorScheme: "dark" });
  await rootPage.reload();
  await expect(html).toHaveClass(/light/);
  expect(await rootPage.evaluate(() => localStorage.getItem("theme-mode"))).toBe("light");
});

test("on a phone the menu opens as a sheet", async ({ rootPage }) => {
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await rootPage.goto("/token");
  await rootPage.getByRole("button", { name: "Open the navigation menu" }).click();
  const menu = rootPage.getByRole("dialog");
  await expectAccessible(rootPage, { within: menu });
  await menu.getByRole("link", { name: "Logs" }).click();
  await expect(rootPage).toHaveURL(/\/log$/);
});
