import type { Page } from "@playwright/test";
import { asRoot, call, createAccount, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible } from "./fixtures";
import { withDatabase } from "./media-rows";
import { test } from "./own-server";
import { addUsage } from "./usage-rows";

// Menus and content are site-wide options, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

const url = () => process.env.WEIR_E2E_URL ?? "";
const inLanguage = (page: Page, value: string) => page.context().addCookies([{ name: "locale", value, url: url() }]);
/** Moves the browser's clock on until the list of the first day has looked again, instead of waiting ten seconds. */
const afterNextLook = (page: Page, check: () => Promise<void>) =>
  expect(async () => {
    await page.clock.fastForward(10_000);
    await check();
  }).toPass();
const menuOf = (page: Page) => page.getByRole("navigation", { name: "Main navigation" });

/** The accessibility check runs scripts in every frame. The browser logs an error where scripts are blocked. */
function ignoreBlockedScripts(problems: string[]): void {
  const others = problems.filter((text) => !/Blocked script execution in 'about:srcdoc'/.test(text));
  problems.splice(0, problems.length, ...others);
}

test("an unknown language is answered in Chinese, and the chosen one is restored; the top bar has the site's links, theme, language, and sign-in or the account (B003, B124, B126, B127, B128)", async ({
  page,
  rootCookies,
}) => {
  const french = await page.request.get("/", { headers: { "accept-language": "fr-FR" } });
  expect(await french.text()).toContain('<html lang="zh-CN"');
  await page.goto("/");
  const links = page.getByRole("navigation", { name: "Site" }).getByRole("link");
  await expect(links).toHaveText(["Home", "Console", "Pricing", "About"]);
  await expect(page.getByRole("button", { name: "Theme" })).toBeVisible();
  await page.getByRole("button", { name: "Language" }).click();
  await expect(page.getByRole("menuitemradio")).toHaveText(["中文", "English"]);
  await page.keyboard.press("Escape");
  const choose = async (menu: string, name: string, lang: string) => {
    await page.getByRole("button", { name: menu }).click();
    await page.getByRole("menuitemradio", { name }).click();
    await expect(page.locator("html")).toHaveAttribute("lang", lang);
  };
  await expect(page.getByRole("banner").getByRole("link", { name: "Log in" })).toBeVisible();
  await expect(page.getByRole("banner").getByRole("link", { name: "Sign up" })).toHaveAttribute("href", "/register");
  await choose("Language", "中文", "zh-CN");
  await page.context().addCookies(rootCookies);
  await page.reload();
  await expect(page.locator("html")).toHaveAttribute("lang", "zh-CN");
  await choose("语言", "English", "en");
  await expect(page.getByRole("banner").getByRole("link", { name: "Log in" })).toHaveCount(0);
  await page.getByRole("button", { name: /^Account menu/ }).click();
  await expect(page.getByRole("menuitem", { name: "Log out" })).toBeVisible();
  await page.keyboard.press("Escape");
  await links.nth(1).click();
  await expect(page).toHaveURL(/\/detail$/);
});

test("the shell has header, menu, content and footer; the console's pages stand clear of its edges, home and chat fill them (B122, B123)", async ({
  rootServedPage: page,
}) => {
  await page.goto("/token");
  await expect(page.getByRole("banner")).toBeVisible();
  await expect(menuOf(page)).toBeVisible();
  await expect(page.getByRole("main")).toBeVisible();
  await expect(page.getByRole("contentinfo")).toContainText("powered by Weir");
  const paddings = () =>
    page.getByRole("main").evaluate((main) => {
      const { paddingTop, paddingRight, paddingBottom, paddingLeft } = getComputedStyle(main);
      return [paddingTop, paddingRight, paddingBottom, paddingLeft];
    });
  expect(await paddings()).toEqual(Array(4).fill("24px"));
  const filled = Array(4).fill("0px");
  await page.goto("/chat/0");
  expect(await paddings()).toEqual(filled);
  await page.goto("/");
  expect(await paddings()).toEqual(filled);
  await expect(menuOf(page)).toHaveCount(0);
});

test("the menu has the required entries in their order, by role and by option (B001, B002, B130, B131, B133, B206, B212)", async ({
  rootServedPage: page,
}) => {
  await setOptions({
    Chats: JSON.stringify([
      { "First chat": "https://one.example/#{key}" },
      { "Second chat": "https://two.example/#{key}" },
    ]),
  });
  await page.goto("/token");
  const entries = menuOf(page).locator("> div > ul > li");
  const names = async () => (await entries.allInnerTexts()).map((text) => text.split("\n")[0]);
  const admin =
    "Playground|Channels|Chat|API keys|Dashboard|Redemption codes|Wallet|Users|Logs|Drawing|Async tasks|Settings";
  // Pages that are not among those required stand between them.
  const required = admin.split("|");
  expect((await names()).filter((name = "") => required.includes(name))).toEqual(required);
  expect(await names()).toContain("Audit log");
  const chats = menuOf(page).locator('a[href^="/chat/"]');
  await expect(chats).toHaveText(["Chat", "First chat", "Second chat"]);
  await expect(chats.nth(2)).toHaveAttribute("href", "/chat/1");

  await setOptions({ DrawingEnabled: "false", TaskEnabled: "false", DataExportEnabled: "false" });
  await page.reload();
  const left = await names();
  for (const name of ["Drawing", "Async tasks", "Dashboard"]) expect(left).not.toContain(name);
  await expect(page.getByRole("link", { name: "Console" })).toHaveAttribute("href", "/token");
  await setOptions({ DrawingEnabled: "true", TaskEnabled: "true", DataExportEnabled: "true" });

  const account = await createAccount("menu");
  await page.context().clearCookies();
  await signInToApi(page, account.username, account.password);
  await page.goto("/token");
  const own = (await menuOf(page).locator("> div > ul > li").allInnerTexts()).map((text) => text.split("\n")[0]);
  const ofUsers = "Playground|Chat|API keys|Dashboard|Wallet|Logs|Drawing|Async tasks|Settings".split("|");
  expect(own.filter((name = "") => required.includes(name))).toEqual(ofUsers);
  expect(own).not.toContain("Audit log");
});

test("the sidebar begins as the option says, and remembers the reader's own choice; what the menu needs is stored in the browser, and chat data that cannot be read says so (B129, B212, B264)", async ({
  rootPage,
}) => {
  await inLanguage(rootPage, "zh");
  await setOptions({ DrawingEnabled: "false", DefaultCollapseSidebar: "true" });
  await rootPage.goto("/token");
  // The page writes its own value on load, so the test waits for that before it breaks it.
  await expect.poll(() => rootPage.evaluate(() => localStorage.getItem("chats"))).not.toBeNull();
  expect(await rootPage.evaluate(() => localStorage.getItem("enable_drawing"))).toBe("false");
  await setOptions({ DrawingEnabled: "true" });
  await rootPage.getByRole("button", { name: "展开侧边栏" }).click();
  await rootPage.evaluate(() => localStorage.setItem("chats", "{broken"));
  await rootPage.reload();
  await expect(rootPage.locator('[data-sonner-toast][data-type="error"]')).toHaveText("聊天数据解析失败");
  await expect(rootPage.getByRole("button", { name: "收起侧边栏" })).toBeVisible();
  await setOptions({ DefaultCollapseSidebar: "false" });
});

test("administrators are told on the drawing page that callbacks are off (B107)", async ({ rootServedPage: page }) => {
  await page.goto("/midjourney");
  await expect(page.getByRole("note")).toContainText("Drawing callbacks are off");
  await setOptions({ MjNotifyEnabled: "true" });
  await page.reload();
  await expect(page.getByRole("heading", { name: "Drawing logs" })).toBeVisible();
  await expect(page.getByRole("note")).toHaveCount(0);
});

test("the checklist of the first day watches itself and can be put away", async ({ rootPage }) => {
  // Other spec files on this server may have created channels.
  await withDatabase((sql) => sql`delete from channels`);
  await rootPage.clock.install();
  await rootPage.goto("/detail");
  const list = rootPage.getByRole("region", { name: "Getting started" });
  await expect(list.locator('[data-step="channel"]')).toHaveAttribute("data-done", "false");
  await expectAccessible(rootPage, { within: list });
  await asRoot((root) =>
    call(root, "POST", "/api/channel/", {
      type: 1,
      name: "first",
      base_url: process.env.WEIR_E2E_UPSTREAM,
      key: "sk-a",
      models: "gpt-4o-mini",
      group: "default",
    }),
  );
  await afterNextLook(rootPage, () =>
    expect(list.locator('[data-step="channel"]')).toHaveAttribute("data-done", "true", { timeout: 1_000 }),
  );
  await list.getByRole("button", { name: "Do not show again" }).click();
  await expect(list).toHaveCount(0);
  await rootPage.reload();
  await expect(rootPage.getByRole("main")).toBeVisible();
  await expect(list).toHaveCount(0);
});

test("a new account has a list of its own: a token, a request, each found out", async ({ page }) => {
  const account = await createAccount("fresh");
  const caller = await signInToApi(page, account.username, account.password);
  await page.clock.install();
  await page.goto("/token");
  const list = page.getByRole("region", { name: "Getting started" });
  await expect(list.getByRole("listitem")).toHaveCount(2);
  await expect(list.locator('[data-step="token"]')).toHaveAttribute("data-done", "false");
  await call(caller, "POST", "/api/token/", { name: "mine", unlimited_quota: true });
  await afterNextLook(page, () =>
    expect(list.locator('[data-step="token"]')).toHaveAttribute("data-done", "true", { timeout: 1_000 }),
  );
  await addUsage([
    {
      requestId: "first-request",
      username: account.username,
      userId: account.id,
      createdAt: Math.floor(Date.now() / 1000),
    },
  ]);
  await afterNextLook(page, () =>
    expect(page.getByText("All steps are done. You are ready to go.")).toBeVisible({ timeout: 1_000 }),
  );
  await expect(list).toHaveCount(0);
});

test("footer, logo and name are the operator's, without scripts or a way out of their place (A090, A228, B125)", async ({
  servedPage: page,
}) => {
  const logo = "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=";
  const footer =
    '<b style="color:red">Our footer</b><script>window.hacked=1</script><img src=x onerror="window.hacked=1"><div style="position:fixed;inset:0">over</div>';
  await setOptions({ Footer: footer, SystemName: "River", Logo: logo });
  await page.goto("/");
  const shown = page.getByRole("contentinfo");
  await expect(shown.locator("b")).toHaveText("Our footer");
  expect(await shown.innerHTML()).not.toMatch(/script|onerror|position/);
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await expect(page.getByRole("banner")).toContainText("River");
  await expect(page.getByRole("banner").locator(`img[src="${logo}"]`)).toBeVisible();
  await setOptions({ Footer: "", SystemName: "Weir", Logo: "" });
  const standard = await page.request.get("/logo.png");
  expect([standard.status(), standard.headers()["content-type"]]).toEqual([200, "image/png"]);
});

test("home and about show the operator's HTML in a frame without scripts, or Markdown, or another site (B022)", async ({
  page,
  problems,
}) => {
  const html =
    "<style>h1{color:rgb(1,2,3)}</style><h1>Our home</h1><script>parent.hacked=1</script><form><input></form>";
  await setOptions({ HomePageContent: html, About: "# About us\n\nWe run *this*.\n\n<script>x</script>" });
  await page.goto("/");
  // The frame runs no scripts, so the test reads it from the page around it.
  const frame = page.locator("iframe[title='Home page content']");
  const inside = () =>
    frame.evaluate((element: HTMLIFrameElement) => {
      const heading = element.contentDocument?.querySelector("h1");
      const forms = element.contentDocument?.querySelectorAll("form, script").length;
      return { text: heading?.textContent, colour: heading ? getComputedStyle(heading).color : "", forms };
    });
  await expect.poll(inside).toEqual({ text: "Our home", colour: "rgb(1, 2, 3)", forms: 0 });
  // The frame is only as high as its content.
  await expect.poll(async () => (await frame.boundingBox())?.height ?? 0).toBeLessThan(300);
  expect(await page.evaluate(() => "hacked" in window)).toBe(false);
  await page.goto("/about");
  await expect(page.getByRole("heading", { name: "About us" })).toBeVisible();
  await expectAccessible(page);
  await page.route("https://about.example/**", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: "<!doctype html><html lang=en><title>t</title><script>addEventListener('message',(e)=>{document.body.append(JSON.stringify(e.data))})</script><body>outside </html>",
    }),
  );
  await setOptions({ About: "https://about.example/page" });
  await page.goto("/about");
  const outside = page.frameLocator("iframe[title='About']");
  await expect(outside.locator("body")).toContainText("outside");
  await expect(outside.locator("body")).toContainText('{"themeMode":"light"}');
  await expect(outside.locator("body")).toContainText('{"lang":"en"}');
  await setOptions({ HomePageContent: "", About: "" });
  ignoreBlockedScripts(problems);
});

test("the notice shows on the home page until this one is put away", async ({ page }) => {
  await setOptions({ Notice: "Maintenance **tonight**" });
  await page.goto("/");
  const notice = page.getByRole("region", { name: "Announcement" });
  await expect(notice).toContainText("Maintenance tonight");
  await expectAccessible(page, { within: notice });
  await notice.getByRole("button").click();
  await page.reload();
  await expect(page.getByRole("main")).toBeVisible();
  await expect(notice).toHaveCount(0);
  await setOptions({ Notice: "Another one" });
  await page.reload();
  await expect(notice).toContainText("Another one");
  await setOptions({ Notice: "" });
});
