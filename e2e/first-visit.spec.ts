import type { Page } from "@playwright/test";
import { expect, test } from "./fixtures";

const html = (page: Page) => page.locator("html");
const themeOf = (page: Page) => page.evaluate(() => localStorage.getItem("theme-mode"));

/** Lists the <style> elements for everything in the page that scripts add while it loads. */
async function addedStyles(page: Page) {
  await page.addInitScript(() => {
    const added: string[] = [];
    Object.assign(window, { added });
    new MutationObserver((changes) => {
      for (const node of changes.flatMap((change) => [...change.addedNodes]))
        if (node instanceof HTMLStyleElement && node.textContent?.startsWith("*")) added.push(node.textContent);
    }).observe(document, { childList: true, subtree: true });
  });
  return () => page.evaluate(() => (window as unknown as { added: string[] }).added);
}

for (const path of ["/", "/token"]) {
  test(`a first visit of ${path} has the theme of the system, and follows it while none is chosen (A006)`, async ({
    rootPage,
  }) => {
    const added = await addedStyles(rootPage);
    await rootPage.emulateMedia({ colorScheme: "dark" });
    await rootPage.goto(path);
    await expect(html(rootPage)).toHaveClass(/\bdark\b/);
    await rootPage.emulateMedia({ colorScheme: "light" });
    await expect(html(rootPage)).not.toHaveClass(/\bdark\b/);
    await rootPage.emulateMedia({ colorScheme: "dark" });
    await expect(html(rootPage)).toHaveClass(/\bdark\b/);
    expect(await themeOf(rootPage)).toBeNull();
    expect(await added(), "each would have the browser compute the style of every element again").toEqual([]);
  });
}

/** register.spec.ts signs up on a later visit. */
test("the sign-up page keeps the invite code of its address for later (A010)", async ({ page }) => {
  await page.goto("/register?aff=k3Pz");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("aff"))).toBe("k3Pz");
});

test("every script of a page has the browser compile it once, not on each visit", async ({ rootServedPage }) => {
  const page = await (await rootServedPage.request.get("/token")).text();
  const paths = [...page.matchAll(/<script src="([^"]+\.js)"/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const script = await (await rootServedPage.request.get(path)).text();
    expect(script.startsWith("//# allFunctionsCalledOnLoad\n"), path).toBe(true);
  }
});
