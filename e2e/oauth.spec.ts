import type { Locator, Page } from "@playwright/test";
import {
  FAKE_CLIENT,
  type FakeOAuthProvider,
  signTelegram,
  startFakeOAuthProvider,
} from "../lib/testing/fake-oauth-provider";
import { asRoot, call, setOptions, signInToApi } from "./accounts";
import { COLOUR_RULES, expect, expectAccessible, expectFits, test } from "./fixtures";
import { startTestServer, type TestServer } from "./server";

const BOT_TOKEN = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw";
const QR_CODE =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E%3Cpath d='M0 0h3v3H0zM5 0h3v3H5zM0 5h3v3H0z'/%3E%3C/svg%3E";
const NAMES = { github: "GitHub", linuxdo: "LinuxDO", oidc: "OIDC" } as const;
type Name = keyof typeof NAMES;

let server: TestServer;
let provider: FakeOAuthProvider;
let serial = 50_000;

// These tests have their own server, because the options they set would change the pages of other specs.
test.beforeAll(async () => {
  test.setTimeout(300_000);
  [server, provider] = await Promise.all([startTestServer(), startFakeOAuthProvider()]);
  await setOptions({ ...credentials(), ...ALL_ON }, server.url);
});
test.afterAll(async () => {
  test.setTimeout(300_000);
  await server?.stop();
  await provider?.close();
});
test.beforeEach(() => {
  serial += 1;
  provider.trouble = {};
  provider.person = { id: serial, login: `octo${serial}`, name: `Octo ${serial}`, sub: `sub-${serial}` };
});

/** All providers except Telegram, whose script would be loaded from Telegram's own site. */
const ALL_ON = {
  GitHubOAuthEnabled: "true",
  LinuxDOOAuthEnabled: "true",
  "oidc.enabled": "true",
  WeChatAuthEnabled: "true",
};
const ALL_OFF = Object.fromEntries(Object.keys(ALL_ON).map((key) => [key, "false"]));

const credentials = (): Record<string, string> => ({
  ServerAddress: server.url,
  GitHubServerAddress: provider.url,
  GitHubApiAddress: provider.url,
  LinuxDOServerAddress: provider.url,
  GitHubClientId: FAKE_CLIENT.id,
  GitHubClientSecret: FAKE_CLIENT.secret,
  LinuxDOClientId: FAKE_CLIENT.id,
  LinuxDOClientSecret: FAKE_CLIENT.secret,
  "oidc.well_known": `${provider.url}/oidc`,
  "oidc.client_id": FAKE_CLIENT.id,
  "oidc.client_secret": FAKE_CLIENT.secret,
  WeChatServerAddress: provider.url,
  WeChatServerToken: provider.wechatToken,
  WeChatAccountQRCodeImageURL: QR_CODE,
  TelegramBotToken: BOT_TOKEN,
  TelegramBotName: "weir_bot",
});

/** Signs a new user in on the page's browser. */
async function signInAsNew(page: Page): Promise<string> {
  const username = `user${serial}`;
  const account = { username, password: "first-password", display_name: username };
  await asRoot((root) => call(root, "POST", `${server.url}/api/user/`, account), server.url);
  await signInToApi(page, username, account.password, server.url);
  return username;
}

/** The window that a button opens for the provider's page. */
async function openedBy(page: Page, button: string): Promise<Page> {
  const [opened] = await Promise.all([
    page.context().waitForEvent("page"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  await opened.getByRole("link", { name: "Authorize" }).waitFor();
  return opened;
}

const bindingsOn = (page: Page) => page.getByRole("region").filter({ has: page.getByTestId("binding-github") });

/** Asked again while the page loads anew: the one before was made for a visitor. */
async function storedUser(page: Page): Promise<{ username: string } | null> {
  let user: { username: string } | null = null;
  await expect(async () => {
    user = await page.evaluate(() => JSON.parse(window.localStorage.getItem("user") ?? "null"));
    expect(user).not.toBeNull();
  }).toPass();
  return user;
}

test("with everything off there is neither a divider nor a button, and each binding says so (A034, A066)", async ({
  servedPage: page,
}) => {
  await setOptions(ALL_OFF, server.url);
  await page.goto(`${server.url}/login`);
  await page.getByLabel("Username or e-mail").waitFor();
  await expect(page.getByText("Third-party login")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /Continue with/ })).toHaveCount(0);
  await signInAsNew(page);
  await page.goto(`${server.url}/setting?tab=personal`);
  for (const name of ["WeChat", "GitHub", "Telegram", "LinuxDO", "OIDC"]) {
    const button = page.getByRole("button", { name: `${name} is not enabled` });
    await expect(button).toBeDisabled();
    await expect(button).toHaveText("Not enabled");
  }
  await setOptions(ALL_ON, server.url);
});

/** Fails unless the provider is asked as it has to be. */
function expectAsked(opened: Page, name: Name): URLSearchParams {
  const asked = new URL(opened.url()).searchParams;
  expect(asked.get("client_id")).toBe(FAKE_CLIENT.id);
  // The format of next-auth's states.
  expect(asked.get("state")).toMatch(/^[\w-]{43}$/);
  expect(asked.get("code_challenge_method")).toBe("S256");
  expect(asked.get("redirect_uri")).toBe(`${server.url}/oauth/${name}`);
  expect(asked.get("scope")).toBe({ github: "user:email", linuxdo: null, oidc: "openid profile email" }[name]);
  return asked;
}

/** Says yes at the provider, and comes to the tokens as a newcomer. Returns the name of the new account. */
async function authorize(opened: Page, name: Name): Promise<string> {
  const asked = expectAsked(opened, name);
  const called = opened.waitForRequest((request) => request.url().includes(`/api/oauth/${name}?`));
  await opened.getByRole("link", { name: "Authorize" }).click();
  const query = new URL((await called).url()).searchParams;
  expect([query.get("state"), query.get("code")]).toEqual([asked.get("state"), expect.stringMatching(/^\w{32}$/)]);
  await opened.waitForURL("**/token");
  const username = name === "oidc" ? provider.person.login : expect.stringMatching(new RegExp(`^${name}_\\d+$`));
  const user = await storedUser(opened);
  expect(user?.username).toEqual(username);
  return user?.username ?? "";
}

test("oidc: a newcomer signs in by a new window and lands on the tokens (A013, A014, A016, A027, A028, A125, A127, A191)", async ({
  page,
}) => {
  await page.goto(`${server.url}/login`);
  await expect(page.getByText("Third-party login")).toBeVisible();
  await expect(page.locator("[data-telegram-login]")).toHaveCount(0);
  const opened = await openedBy(page, `Continue with ${NAMES.oidc}`);
  await authorize(opened, "oidc");
  // The window in which the sign-in started follows.
  await page.waitForURL("**/token");
});

test("linuxdo: where no new window may be opened, the provider's page opens in this one, and a newcomer lands on the tokens (A013, A014, A016, A027, A028, A125, A127, A191)", async ({
  page,
}) => {
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await page.goto(`${server.url}/login`);
  await page.getByRole("button", { name: `Continue with ${NAMES.linuxdo}` }).click();
  await page.getByRole("link", { name: "Authorize" }).waitFor();
  await authorize(page, "linuxdo");
});

test("github: a newcomer signs in by a new window; next-auth's own sign-in page uses the same redirect address, account and session (A013, A014, A016, A027, A028, A125, A127, A191)", async ({
  page,
}) => {
  const context = page.context();
  await page.goto(`${server.url}/login`);
  const username = await authorize(await openedBy(page, `Continue with ${NAMES.github}`), "github");
  await page.waitForURL("**/token");
  await context.clearCookies();
  const { csrfToken } = (await (await context.request.get(`${server.url}/api/auth/csrf`)).json()) as {
    csrfToken: string;
  };
  const begun = await context.request.post(`${server.url}/api/auth/signin/github`, {
    form: { csrfToken, callbackUrl: `${server.url}/token`, json: "true" },
  });
  const { url } = (await begun.json()) as { url: string };
  expect(new URL(url).searchParams.get("redirect_uri")).toBe(`${server.url}/oauth/github`);
  await page.goto(url);
  await page.getByRole("link", { name: "Authorize" }).click();
  await page.waitForURL("**/token");
  expect((await storedUser(page))?.username).toBe(username);
  const session = (await (await context.request.get(`${server.url}/api/auth/session`)).json()) as {
    user: { name: string };
  };
  expect(session.user.name).toBe(username);
});

test("github, linuxdo, oidc and WeChat are bound in the settings, which the page says and shows, and unbound (A066, A126, A193, B014, B134)", async ({
  page,
}) => {
  test.setTimeout(90_000);
  await signInAsNew(page);
  provider.wechatCodes.set("135790", `wx-${serial}`);
  await page.goto(`${server.url}/setting?tab=personal`);
  const bindingOf = (name: Name) => page.getByTestId(`binding-${name}`);
  const names = ["linuxdo", "oidc", "github"] as const satisfies Name[];
  for (const name of names) {
    await expect(bindingOf(name)).toHaveText("Not linked");
    const opened = await openedBy(page, `Link ${NAMES[name]}`);
    expectAsked(opened, name);
    if (name === "github") {
      await opened.getByRole("link", { name: "Authorize" }).click();
      await opened.waitForURL("**/setting");
      await expect(opened.getByText("Account linked.")).toBeVisible();
    } else {
      // The page that the provider leads to is the same for all: it makes this call.
      const back = await provider.authorize(opened.url());
      const answer = await page.request.get(`${server.url}/api/oauth/${name}${back.search}`);
      expect(await answer.json()).toMatchObject({ success: true, message: "bind" });
    }
    await opened.close();
  }
  // The window in which the binding started follows.
  for (const name of names)
    await expect(bindingOf(name)).toHaveText(name === "oidc" ? provider.person.sub : String(provider.person.id));
  await expectAccessible(page, { within: bindingsOn(page) });
  for (const name of names) {
    await page.getByRole("button", { name: `Unlink ${NAMES[name]}` }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Unlink", exact: true }).click();
    await expect(page.getByText(`${NAMES[name]} unlinked`)).toBeVisible();
    await expect(bindingOf(name)).toHaveText("Not linked");
  }
  await page.getByRole("button", { name: "Link WeChat" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Code", { exact: true }).fill("135790");
  await dialog.getByRole("button", { name: "Link" }).click();
  await expect(page.getByTestId("binding-wechat")).toHaveText(`wx-${serial}`);
});

test("WeChat: the dialog shows the QR code and the three minutes; a code signs in and leads to / (A017, A029, A030, B306)", async ({
  page,
}) => {
  provider.wechatCodes.set("246810", `wx-${serial}`);
  await page.goto(`${server.url}/login`);
  await page.getByRole("button", { name: "Continue with WeChat" }).click();
  const dialog = page.getByRole("dialog", { name: "WeChat QR login" });
  await expect(dialog).toContainText("3 minutes");
  await expect(dialog.getByRole("img")).toHaveAttribute("src", QR_CODE);
  await expectAccessible(page, { within: dialog });
  await dialog.getByRole("button", { name: "Log in" }).click();
  await expect(dialog.getByText("Enter the code.")).toBeVisible();
  await dialog.getByLabel("Code", { exact: true }).fill("000000");
  await dialog.getByRole("button", { name: "Log in" }).click();
  await expect(dialog.getByText("The code is wrong or has expired.")).toBeVisible();
  await dialog.getByLabel("Code", { exact: true }).fill("246810");
  await dialog.getByLabel("Code", { exact: true }).press("Enter");
  await page.waitForURL(`${server.url}/`);
  expect((await storedUser(page))?.username).toMatch(/^wechat_\d+$/);
});

test("WeChat: the Chinese dialog says that a code is good for three minutes (A030, A218, B306)", async ({ page }) => {
  await page.context().addCookies([{ name: "locale", value: "zh", url: server.url }]);
  await page.goto(`${server.url}/login`);
  await page.getByRole("button", { name: "使用微信继续" }).click();
  await expect(page.getByRole("dialog", { name: "微信扫码登录" })).toContainText("三分钟");
});

/** Imitates Telegram's script and frame: a frame with its origin, and a way to the auth URL. */
async function fakeTelegram(page: Page): Promise<void> {
  const id = String(serial);
  // Each sign-in is signed with a time of its own, because a signature is accepted once.
  let seconds = Math.floor(Date.now() / 1000);
  const sign = () => {
    seconds -= 1;
    return signTelegram(BOT_TOKEN, { id, first_name: "Ada", auth_date: String(seconds) });
  };
  await page.route("https://oauth.telegram.org/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Telegram</title><p>frame</p>" }),
  );
  await page.route("https://telegram.org/js/telegram-widget.js*", (route) =>
    route.fulfill({
      contentType: "text/javascript",
      body: `(() => {
        const element = document.currentScript;
        const frame = document.createElement("iframe");
        frame.title = "Telegram";
        frame.src = "https://oauth.telegram.org/embed/" + element.dataset.telegramLogin;
        const link = document.createElement("a");
        link.href = element.dataset.authUrl;
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = "Log in with Telegram " + element.dataset.telegramLogin;
        button.onclick = () => {
          const query = new URLSearchParams(${JSON.stringify(sign())}).toString();
          location.href = link.href + (link.href.includes("?") ? "&" : "?") + query;
        };
        element.after(frame, button);
      })();`,
    }),
  );
}

test("Telegram: the widget has the bot's name, binds, and then signs in and leads to / (A018, A031, A066, A195, A196)", async ({
  page,
}) => {
  const policyOf = async () => (await page.request.get(`${server.url}/login`)).headers()["content-security-policy"];
  expect(await policyOf()).not.toContain("telegram");
  await setOptions({ TelegramOAuthEnabled: "true" }, server.url);
  expect(await policyOf()).toContain("https://oauth.telegram.org");

  await fakeTelegram(page);
  const username = await signInAsNew(page);
  await page.goto(`${server.url}/setting?tab=personal`);
  await page.getByRole("button", { name: "Link Telegram" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.locator("[data-telegram-login]")).toHaveAttribute(
    "data-auth-url",
    /^\/api\/oauth\/telegram\/bind\?state=\w{32}$/,
  );
  await expect(dialog.frameLocator("iframe").getByText("frame")).toBeVisible();
  await dialog.getByRole("button", { name: "Log in with Telegram weir_bot" }).click();
  await page.waitForURL("**/setting");
  await expect(page.getByTestId("binding-telegram")).toHaveText(String(serial));

  await page.context().clearCookies();
  await page.goto(`${server.url}/login`);
  await expect(page.locator("[data-telegram-login]")).toHaveAttribute("data-telegram-login", "weir_bot");
  await expectAccessible(page, { within: "page" });
  const called = page.waitForRequest((request) => request.url().includes("/api/oauth/telegram/login"));
  await page.getByRole("button", { name: "Log in with Telegram weir_bot" }).click();
  const query = new URL((await called).url()).searchParams;
  expect([...query.keys()].sort()).toEqual(["auth_date", "first_name", "hash", "id"]);
  await page.waitForURL(`${server.url}/`);
  expect((await storedUser(page))?.username).toBe(username);
  await setOptions({ TelegramOAuthEnabled: "false" }, server.url);
});

test("Telegram: a link that another site made asks before it signs in", async ({ page }) => {
  await setOptions({ TelegramOAuthEnabled: "true" }, server.url);
  await fakeTelegram(page);
  const fields = { id: String(serial), first_name: "Mallory", auth_date: String(Math.floor(Date.now() / 1000)) };
  await page.goto(`${server.url}/oauth/telegram?${new URLSearchParams(signTelegram(BOT_TOKEN, fields))}`);
  await expect(page.getByText("Log in with the Telegram account Mallory?")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByText("This Telegram account is not linked to any user.")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await expect(page.getByRole("button", { name: "Log in with Telegram weir_bot" })).toBeVisible();
  await setOptions({ TelegramOAuthEnabled: "false" }, server.url);
});

test("the callback page shows that it is at work while the server answers; a refusal shows the server's message and leads to the settings (A128, A129, B134, B268)", async ({
  page,
}) => {
  await signInAsNew(page);
  let answer = () => {};
  const held = new Promise<void>((done) => {
    answer = done;
  });
  await page.route("**/api/oauth/linuxdo?*", async (route) => {
    await held;
    await route.fulfill({ json: { success: false, message: "This LinuxDO account is already linked to a user." } });
  });
  await page.goto(`${server.url}/oauth/linuxdo?code=a&state=b`);
  await expect(page.getByRole("status").filter({ hasText: "Processing…" })).toBeVisible();
  await expectAccessible(page);
  answer();
  await expect(page.getByText("This LinuxDO account is already linked to a user.")).toBeVisible();
  await expect(page).toHaveURL(/\/setting$/);
});

test("who is not signed in keeps the reason on the way to the sign-in page (A128, B014)", async ({ browser }) => {
  // A new page, because the 403 is logged as an error in the browser's console.
  const page = await browser.newPage({ locale: "en-US" });
  const answer = await page.goto(`${server.url}/oauth/github?code=forged&state=forged`);
  expect(answer?.status()).toBe(200);
  await expect(page.getByText("This login was started in another browser or has expired.")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
  await page.goto(`${server.url}/oauth/github?error=access_denied&state=x`);
  await expect(page.getByText("You cancelled the authorization at GitHub.")).toBeVisible();
  expect((await page.request.get(`${server.url}/oauth/linuxdo?code=forged&state=forged`)).status()).toBe(200);
  expect((await page.request.get(`${server.url}/oauth/myspace?code=a`)).status()).toBe(404);
  await page.close();
});

test("sign-in, registration and bindings are accessible in both themes and fit a phone", async ({
  servedPage: page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const look = async (path: string, button: string, within: Locator) => {
    await page.goto(server.url + path);
    await page.getByRole("button", { name: button }).waitFor();
    await expectAccessible(page, { within });
    // No script of the page follows the system's theme here.
    await page.locator("html").evaluate((html) => html.classList.replace("light", "dark"));
    await expect(page.locator("html")).toHaveClass(/(^|\s)dark(\s|$)/);
    await expectAccessible(page, { within, rules: COLOUR_RULES });
  };
  for (const path of ["/login", "/register"]) await look(path, "Continue with GitHub", page.getByRole("main"));
  await signInAsNew(page);
  await look("/setting?tab=personal", "Link GitHub", bindingsOn(page));
  await expectFits(page);
});
