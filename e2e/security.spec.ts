import type { CDPSession, Page } from "@playwright/test";
import { Secret, TOTP } from "otpauth";
import { type Account, createAccount, signInToApi } from "./accounts";
import { hasDatabase, letProofAge } from "./database";
import { COLOUR_RULES, expect, expectAccessible, expectFits, test, turn } from "./fixtures";
import { LoginPage } from "./pages/login-page";
import { SecurityPage } from "./pages/security-page";
import { TokenPage } from "./pages/token-page";

const codeOf = (secret: string, steps = 0) =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

/** Signs in through the API at the page's own host. For passkeys that host differs from the run's. */
async function signIn(page: Page, { username, password }: Account): Promise<void> {
  const answer = await page.request.post("/api/user/login", { data: { username, password } });
  expect(await answer.json()).toMatchObject({ success: true });
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL("**/login");
}

/** A virtual authenticator that stores passkeys and confirms every request. */
let authenticator: CDPSession | undefined;

async function addAuthenticator(page: Page): Promise<void> {
  authenticator = await page.context().newCDPSession(page);
  await authenticator.send("WebAuthn.enable");
  await authenticator.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

// The next test may get the same page.
test.afterEach(async () => {
  await authenticator?.send("WebAuthn.disable");
  authenticator = undefined;
});

test("an authenticator is set up by its code; then the password alone does not sign in", async ({
  page,
  servedPage,
}) => {
  const account = await createAccount("totp");
  await signIn(page, account);
  const security = new SecurityPage(page);
  await security.open();
  await security.totp.getByRole("button", { name: "Set up" }).click();
  const setUp = page.getByRole("dialog", { name: "Set up an authenticator" });
  await expect(setUp.getByRole("img", { name: "QR code with the secret" })).toBeVisible();
  await expectAccessible(page, { within: setUp });
  const secret = (await setUp.getByTestId("totp-secret").textContent()) ?? "";
  await setUp.getByRole("button", { name: "Verify and turn on" }).click();
  await expect(setUp.getByText("Enter the code")).toBeVisible();
  await setUp.getByLabel("Code that the authenticator shows").fill(codeOf(secret));
  await setUp.getByRole("button", { name: "Verify and turn on" }).click();
  const codes = page.getByTestId("recovery-codes").getByRole("listitem");
  await expect(codes).toHaveCount(10);
  await expectAccessible(page, { within: page.getByRole("dialog") });
  const recovery = (await codes.first().textContent()) ?? "";
  await page.getByRole("button", { name: "I have saved them" }).click();
  await expect(security.totp.getByText("10 left")).toBeVisible();
  await expectAccessible(page, { within: security.totp });

  await signOut(page);
  const login = new LoginPage(page);
  await login.signIn(account.username, account.password);
  const code = page.getByLabel("Code", { exact: true });
  await expect(code).toBeFocused();
  await expectAccessible(page);
  await code.fill("12 34 5");
  await login.submit.click();
  await expect(page.getByText("The code is wrong, expired, or already used")).toBeVisible();
  expect((await page.request.get("/log", { maxRedirects: 0 })).headers().location).toMatch(/\/login\?expired=true/);

  await code.fill(codeOf(secret, 1));
  await login.submit.click();
  await page.waitForURL("**/token");

  await signOut(page);
  await login.signIn(account.username, account.password);
  await code.fill(recovery);
  await login.submit.click();
  await page.waitForURL("**/token");
  await servedPage.context().addCookies(await page.context().cookies());
  const used = new SecurityPage(servedPage);
  await used.open();
  await expect(used.totp.getByText("9 left")).toBeVisible();
});

test.describe("passkeys", () => {
  // Passkeys need a host name; an IP address does not work.
  test.use({
    // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
    baseURL: async ({}, use) => use((process.env.WEIR_E2E_URL ?? "").replace("127.0.0.1", "localhost")),
  });

  test("a passkey is added and named, signs in without a user name, and is deleted", async ({ page }) => {
    const account = await createAccount("pass");
    await addAuthenticator(page);
    await signIn(page, account);
    const security = new SecurityPage(page);
    await security.open();
    await expect(security.passkeys.getByText("No passkeys yet.")).toBeVisible();
    await security.passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await expect(security.passkeys.getByText("Passkey 1", { exact: true })).toBeVisible();
    await expect(security.passkeys.getByText("Never used")).toBeVisible();

    await security.passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await expect(page.getByText("This device already has a passkey of this account")).toBeVisible();

    await security.passkeys.getByRole("button", { name: "Rename Passkey 1" }).click();
    const rename = page.getByRole("dialog", { name: "Rename passkey" });
    await rename.getByLabel("Name").fill("My laptop");
    await rename.getByRole("button", { name: "Submit" }).click();
    await expect(security.passkeys.getByText("My laptop")).toBeVisible();
    await expectAccessible(page, { within: security.passkeys });

    await signOut(page);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await page.waitForURL("**/token");
    await security.open();
    await expect(security.sessions.first()).toContainText("Passkey");
    await expect(security.passkeys.getByText("Last used")).toBeVisible();

    await security.passkeys.getByRole("button", { name: "Delete My laptop" }).click();
    await page.getByRole("dialog", { name: "Delete “My laptop”?" }).getByRole("button", { name: "Delete" }).click();
    await expect(security.passkeys.getByText("No passkeys yet.")).toBeVisible();
    await signOut(page);
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await expect(page.locator("form [role=alert]")).toContainText("This passkey is not known here");
  });

  test("a passkey is the second factor, and confirms what is delicate", async ({ page }) => {
    test.skip(!hasDatabase(), "the proof of a server that runs elsewhere cannot be aged");
    const account = await createAccount("second");
    await addAuthenticator(page);
    await signIn(page, account);
    const security = new SecurityPage(page);
    await security.open();
    await security.passkeys.getByRole("button", { name: "Add a passkey" }).click();
    await expect(security.passkeys.getByText("Passkey 1", { exact: true })).toBeVisible();
    await security.totp.getByRole("button", { name: "Set up" }).click();
    const secret = (await page.getByTestId("totp-secret").textContent()) ?? "";
    await page.getByLabel("Code that the authenticator shows").fill(codeOf(secret));
    await page.getByRole("button", { name: "Verify and turn on" }).click();
    await page.getByRole("button", { name: "I have saved them" }).click();
    await signOut(page);

    const login = new LoginPage(page);
    await login.signIn(account.username, account.password);
    await expect(page.getByLabel("Code", { exact: true })).toBeVisible();
    await page.getByRole("button", { name: "Log in with a passkey" }).click();
    await page.waitForURL("**/token");

    await letProofAge(account.username);
    await security.open();
    await security.totp.getByRole("button", { name: "Turn off" }).click();
    const question = page.getByRole("dialog", { name: "Turn off two-factor authentication?" });
    await question.getByRole("button", { name: "Turn off" }).click();
    await expect(security.proof).toBeVisible();
    await expectAccessible(page, { within: security.proof });
    await security.proof.getByRole("button", { name: "Use a passkey" }).click();
    await expect(security.totp.getByText("Not set up")).toBeVisible();
    await expect(security.proof).toBeHidden();
  });
});

test("a key is shown after a fresh proof only; who turns away sees none", async ({ page }) => {
  test.skip(!hasDatabase(), "the proof of a server that runs elsewhere cannot be aged");
  const account = await createAccount("proof");
  await signIn(page, account);
  const tokens = new TokenPage(page);
  const key = await tokens.make("mine", account.id);
  await tokens.open();
  await letProofAge(account.username);
  const security = new SecurityPage(page);
  const reveal = tokens.row("mine").getByRole("button", { name: "Reveal the key of mine" });
  await reveal.click();
  await expect(security.proof).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(security.proof).toBeHidden();
  await expect(tokens.row("mine")).not.toContainText(key);

  await reveal.click();
  const password = security.proof.locator("input[name=proof]");
  await password.fill("not-the-password");
  await password.press("Enter");
  await expect(security.proof.getByText("The password is wrong")).toBeVisible();
  await password.fill(account.password);
  await password.press("Enter");
  await expect(tokens.row("mine")).toContainText(key);
});

test("a session ended from the list is over on its browser at once; the list fits a phone, in both themes", async ({
  page,
  playwright,
}) => {
  const account = await createAccount("many");
  await signIn(page, account);
  const userAgent = await page.evaluate(() => navigator.userAgent);
  /** Another browser of the account. */
  const elsewhere = async () => {
    const browser = await playwright.request.newContext({ baseURL: process.env.WEIR_E2E_URL ?? "", userAgent });
    const { username, password } = account;
    expect(await (await browser.post("/api/user/login", { data: { username, password } })).json()).toMatchObject({
      success: true,
    });
    const leadsTo = async (path: string) =>
      (await browser.get(path, { maxRedirects: 0 })).headers().location ?? "the page";
    return { leadsTo, close: () => browser.dispose() };
  };
  const [first, second] = [await elsewhere(), await elsewhere()];
  const security = new SecurityPage(page);
  await security.open();
  await expect(security.sessions).toHaveCount(3);
  await expect(security.sessions.first()).toContainText("This device");
  await expect(security.sessions.first()).toContainText("Chrome · Linux");
  const card = security.card("Sessions");
  await expectAccessible(page, { within: card });
  await page.setViewportSize({ width: 390, height: 844 });
  await expectAccessible(page, { within: card });
  await expectFits(page);
  await turn(page, "dark");
  await expectAccessible(page, { within: card, rules: COLOUR_RULES });
  await turn(page, "light");
  await page.setViewportSize({ width: 1440, height: 900 });
  const over = /\/login\?expired=true&redirect=%2Flog$/;
  await security.sessions.nth(1).getByRole("button", { name: "End session: Chrome · Linux" }).click();
  await expect(security.sessions).toHaveCount(2);
  const places = [await first.leadsTo("/log"), await second.leadsTo("/log")].sort();
  expect(places).toEqual([expect.stringMatching(over), "the page"]);
  await page.getByRole("button", { name: "End all others" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End all others" }).click();
  await expect(security.sessions).toHaveCount(1);
  for (const browser of [first, second]) expect(await browser.leadsTo("/token")).toMatch(/\/login\?expired=true$/);
  await Promise.all([first.close(), second.close()]);
});

test("what was done in one's own name is listed with its session, and others' is not", async ({
  rootServedPage: page,
}) => {
  await createAccount("active");
  await page.goto("/setting?tab=personal");
  await page.getByRole("link", { name: "My activity" }).click();
  await expect(page).toHaveURL(/\/activity/);
  const row = page.getByRole("row").nth(1);
  await expect(row).toBeVisible();
  await expect(page.getByRole("button", { name: /Show the changes/ }).first()).toBeVisible();
  const account = await createAccount("quiet");
  await page.context().clearCookies();
  await signInToApi(page, account.username, account.password);
  await page.goto("/activity");
  await expect(page.getByText("No entries yet")).toBeVisible();
  await expectAccessible(page);
});
