import type { Page } from "@playwright/test";
import { asRoot, call, createAccount, signInToApi } from "./accounts";
import { expect, test } from "./fixtures";

const html = (page: Page) => page.locator("html");
const themeOf = (page: Page) => page.evaluate(() => localStorage.getItem("theme-mode"));

for (const path of ["/", "/login", "/token"]) {
  test(`a first visit of ${path} has the theme of the system, and follows it while none is chosen (A006)`, async ({
    rootPage,
  }) => {
    await rootPage.emulateMedia({ colorScheme: "dark" });
    await rootPage.goto(path);
    await expect(html(rootPage)).toHaveClass(/\bdark\b/);
    await rootPage.emulateMedia({ colorScheme: "light" });
    await expect(html(rootPage)).not.toHaveClass(/\bdark\b/);
    await rootPage.emulateMedia({ colorScheme: "dark" });
    await expect(html(rootPage)).toHaveClass(/\bdark\b/);
    expect(await themeOf(rootPage)).toBeNull();
  });
}

test("a theme that was chosen stays, whatever the system has (A006)", async ({ rootPage }) => {
  await rootPage.emulateMedia({ colorScheme: "dark" });
  await rootPage.goto("/token");
  await rootPage.getByRole("button", { name: "Theme" }).click();
  await rootPage.getByRole("menuitemradio", { name: "Light" }).click();
  await expect(html(rootPage)).not.toHaveClass(/\bdark\b/);
  await rootPage.reload();
  await expect(html(rootPage)).toHaveClass(/\blight\b/);
  expect(await themeOf(rootPage)).toBe("light");
});

test("the sign-up page keeps the invite code of its address for later (A010)", async ({ page }) => {
  await page.goto("/register?aff=k3Pz");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect.poll(() => page.evaluate(() => localStorage.getItem("aff"))).toBe("k3Pz");
  await page.goto("/register");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("aff"))).toBe("k3Pz");
});

test("the tabs of the site's settings are there for level 100, and not for level 10, whatever the address says (A165, A002)", async ({
  rootPage,
  browser,
}) => {
  const tabs = (page: Page) => page.locator("nav[aria-label='Settings categories'] > ul > li > a");
  await rootPage.goto("/setting?tab=operation");
  await expect(tabs(rootPage)).toHaveText([
    "Personal settings",
    "Operation settings",
    "System settings",
    "Other settings",
  ]);
  await expect(rootPage.locator("[data-option]").first()).toBeVisible();
  const account = await createAccount("ten");
  await asRoot((root) => call(root, "POST", "/api/user/manage", { id: account.id, action: "promote" }));
  const context = await browser.newContext({ locale: "en-US", baseURL: process.env.WEIR_E2E_URL ?? "" });
  const page = await context.newPage();
  await signInToApi(page, account.username, account.password);
  for (const tab of ["operation", "system"]) {
    await page.goto(`/setting?tab=${tab}`);
    await expect(tabs(page)).toHaveText(["Personal settings"]);
    await expect(page.locator("[data-option]")).toHaveCount(0);
  }
  await context.close();
});

test("the content stands clear of its edges on the console's pages, and fills home and chat (B123)", async ({
  rootPage,
}) => {
  const paddings = async (path: string) => {
    await rootPage.goto(path);
    return await rootPage.getByRole("main").evaluate((main) => {
      const { paddingTop, paddingRight, paddingBottom, paddingLeft } = getComputedStyle(main);
      return [paddingTop, paddingRight, paddingBottom, paddingLeft];
    });
  };
  for (const path of ["/token", "/log"]) expect(await paddings(path), path).toEqual(Array(4).fill("24px"));
  for (const path of ["/", "/chat/0"]) expect(await paddings(path), path).toEqual(Array(4).fill("0px"));
});

test("every script of a page has the browser compile it once, not on each visit", async ({ rootPage }) => {
  const page = await (await rootPage.request.get("/token")).text();
  const paths = [...page.matchAll(/<script src="([^"]+\.js)"/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(5);
  for (const path of paths) {
    const script = await (await rootPage.request.get(path)).text();
    expect(script.startsWith("//# allFunctionsCalledOnLoad\n"), path).toBe(true);
  }
});
