import type { Page } from "@playwright/test";
import { startMailServer } from "../lib/testing/mail-server";
import { asRoot, call, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { ENDLESS_KEY, startHumanCheck } from "./human-check";
import { LoginPage } from "./pages/login-page";
import { RegisterPage } from "./pages/register-page";
import { startTestServer, type TestServer } from "./server";

// These tests have their own server, because the options they set affect every sign-in.
let server: TestServer;
let mail: Awaited<ReturnType<typeof startMailServer>>;
let human: Awaited<ReturnType<typeof startHumanCheck>>;

const options = (values: Record<string, string>) => setOptions(values, server.url);
const ask = (path: string) => asRoot((root) => call(root, "GET", `${server.url}${path}`), server.url);
const newName = (prefix: string) => uniqueName(prefix).replaceAll("-", "").slice(0, 12);
const inChinese = (page: Page) => page.context().addCookies([{ name: "locale", value: "zh", url: server.url }]);
const allowClipboard = (page: Page) =>
  page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });

test.beforeAll(async () => {
  test.setTimeout(300_000);
  [mail, human] = await Promise.all([startMailServer(), startHumanCheck()]);
  server = await startTestServer({
    WEIR_SMTP_INSECURE: "true",
    WEIR_TURNSTILE_URL: `${human.url}/siteverify`,
    WEIR_TURNSTILE_SCRIPT_URL: `${human.url}/api.js`,
  });
  await options({
    ServerAddress: server.url,
    SMTPServer: "127.0.0.1",
    SMTPPort: String(mail.port),
    SMTPFrom: "weir@weir.example",
    TurnstileSiteKey: "site-key",
    TurnstileSecretKey: "secret-key",
  });
});

test.afterAll(async () => {
  await server?.stop();
  await human?.stop();
  await mail?.stop();
});

/** Sets options while `work` runs, then restores them even if it fails. */
async function during(values: Record<string, string>, work: () => Promise<void>): Promise<void> {
  const all = (await ask("/api/option/")) as { key: string; value: string }[];
  await options(values);
  try {
    await work();
  } finally {
    await options(Object.fromEntries(all.filter(({ key }) => key in values).map(({ key, value }) => [key, value])));
  }
}

test("name and password make an account, which then signs in (A035, A040, A216, B013)", async ({ page }) => {
  const register = new RegisterPage(page, server.url);
  const username = newName("reg");
  const answer = await page.goto(`${server.url}/register`);
  expect(answer?.status()).toBe(200);
  await expect(register.field("email")).toHaveCount(0);
  await expect(register.field("code")).toHaveCount(0);
  await register.fill({ username, password: "eight-chars" });
  await register.submit.click();
  await page.waitForURL("**/login");
  const login = new LoginPage(page);
  await login.signIn(username, "eight-chars");
  await page.waitForURL("**/token");
});

test("short and differing passwords are refused before anything is sent; a long one only by the server (A036, A039, A136, A137, A139, A216)", async ({
  page,
}) => {
  await inChinese(page);
  const sent: string[] = [];
  page.on("request", (made) => (made.url().includes("/api/user/register") ? sent.push(made.url()) : undefined));
  const register = new RegisterPage(page, server.url);
  const username = newName("bad");
  await register.open();
  await expect(register.field("password")).toHaveAttribute("placeholder", /8.*20/);
  // E-mail verification is off, so the form does not ask for an address.
  for (const name of ["email", "code"] as const) await expect(register.field(name)).toHaveCount(0);
  await register.fill({ username, password: "seven77" });
  await register.submit.click();
  await expect(page.locator("form").getByText("密码长度不得小于 8 位！")).toBeVisible();
  await register.fill({ username, password: "password-1", password2: "password-2" });
  await register.submit.click();
  await expect(page.locator("form").getByText("两次输入的密码不一致", { exact: true })).toBeVisible();
  expect(sent).toHaveLength(0);
  await register.fill({ username, password: "x".repeat(25) });
  await register.submit.click();
  await expect(page.locator('[data-sonner-toast][data-type="error"]')).toBeVisible();
  expect(sent).toHaveLength(1);
  await expect(page).toHaveURL(/\/register$/);
});

test("an address is proved by a mailed code; the button rests for 30 seconds (A036, A037, A124, A217)", async ({
  page,
}) => {
  await during({ EmailVerificationEnabled: "true" }, async () => {
    const register = new RegisterPage(page, server.url);
    const username = newName("eml");
    const email = `${username}@example.com`;
    await page.clock.install();
    await register.open();
    await expect(register.submit).toBeEnabled();
    // From here on the browser's clock moves only when the test moves it.
    await page.clock.pauseAt(Date.now() + 60_000);
    await register.fill({ username, password: "password-1" });
    await page.getByRole("button", { name: "Send code" }).click();
    await expect(register.field("email")).toHaveAttribute("aria-invalid", "true");
    await register.field("email").fill(email);
    const answered = page.waitForResponse((made) => made.url().includes("/api/verification?"));
    await page.getByRole("button", { name: "Send code" }).click();
    const again = page.getByRole("button", { name: /^Resend/ });
    await expect(again).toHaveText("Resend (30)");
    await expect(again).toBeDisabled();
    expect((await answered).url()).toContain(`email=${encodeURIComponent(email)}`);
    await page.clock.runFor(10_000);
    await expect(again).toHaveText("Resend (20)");
    await page.clock.runFor(20_000);
    await expect(again).toHaveText("Resend");
    await expect(again).toBeEnabled();
    await page.clock.resume();
    await register.field("code").fill(codeIn(email));
    await expectAccessible(page);
    await register.submit.click();
    await page.waitForURL("**/login");
  });
});

test("an invite code in the address is kept, sent along, and earns the inviter what can be transferred (A009, A010, A063, A064)", async ({
  page,
}) => {
  const code = String(await ask("/api/user/aff"));
  await during({ QuotaForInviter: "1000000", QuotaForInvitee: "500000" }, async () => {
    await page.goto(`${server.url}/login?aff=${code}`);
    await expect(async () => expect(await page.evaluate(() => localStorage.getItem("aff"))).toBe(code)).toPass();
    const register = new RegisterPage(page, server.url);
    await register.open();
    await register.fill({ username: newName("inv"), password: "password-1" });
    await register.submit.click();
    await page.waitForURL("**/login");
  });
  await signInToApi(page, "root", server.password, server.url);
  await page.goto(`${server.url}/setting`);
  await expect(page.getByTestId("aff-pending")).toHaveText("￥2.00");
  await expect(page.getByTestId("aff-total")).toHaveText("￥2.00");
  await expect(page.getByTestId("aff-count")).toHaveText("1");
  await page.getByRole("button", { name: "Transfer" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByTestId("available")).toHaveText("￥2.00");
  await dialog.getByRole("button", { name: "Transfer" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId("aff-pending")).toHaveText("￥1.00");
});

test("the human check is framed only while it is on, and its token goes with the call (A032, A038, A041)", async ({
  page,
}) => {
  const policy = async () => (await page.request.get(`${server.url}/reset`)).headers()["content-security-policy"] ?? "";
  expect(await policy()).not.toContain("frame-src");
  await during({ TurnstileCheckEnabled: "true" }, async () => {
    expect(await policy()).toContain(`frame-src 'self' ${human.url}`);
    const register = new RegisterPage(page, server.url);
    await register.open();
    await expect(page.frameLocator('iframe[title="human check"]').getByText("checked")).toBeVisible();
    await register.fill({ username: newName("hum"), password: "password-1" });
    const sent = page.waitForRequest((made) => made.url().includes("/api/user/register?turnstile=good-"));
    await expect(async () => {
      await register.submit.click();
      await expect(page).toHaveURL(/\/login$/, { timeout: 1_000 });
    }).toPass();
    await sent;
  });
});

test("while the human check is not done, nothing is sent: not the sign-up, its code, the link for a new password, nor the sign-in, and each says so (A032, A138, A210)", async ({
  page,
}) => {
  await inChinese(page);
  await during(
    { TurnstileSiteKey: ENDLESS_KEY, TurnstileCheckEnabled: "true", EmailVerificationEnabled: "true" },
    async () => {
      const waiting = page.getByText("请稍后几秒重试，Turnstile 正在检查用户环境！");
      const sent: string[] = [];
      page.on("request", (made) => {
        const isSent = made.method() === "POST" || /api\/(user\/register|verification|reset)/.test(made.url());
        if (isSent) sent.push(made.url());
      });
      const open = async (path: string) => {
        await page.goto(server.url + path);
        await expect(page.frameLocator('iframe[title="human check"]').getByText("checked")).toBeVisible();
        await expect(waiting).toHaveCount(0);
      };
      const register = new RegisterPage(page, server.url);
      const fillIn = async () => {
        await register.fill({ username: newName("end"), password: "password-1" });
        await register.field("email").fill("somebody@example.com");
      };
      await open("/register");
      await fillIn();
      await page.getByRole("button", { name: "获取验证码" }).click();
      await expect(waiting.first()).toBeVisible();
      await open("/register");
      await fillIn();
      await register.field("code").fill("123456");
      await register.submit.click();
      await expect(waiting.first()).toBeVisible();
      await open("/reset");
      await page.getByLabel("邮箱").fill("somebody@example.com");
      await page.getByRole("button", { name: "发送链接" }).click();
      await expect(waiting.first()).toBeVisible();
      await open("/login");
      await new LoginPage(page).signIn("root", server.password);
      await expect(waiting.first()).toBeVisible();
      await expect(page).toHaveURL(/\/login$/);
      expect(sent).toEqual([]);
    },
  );
});

/** Registers a user with a verified e-mail address, through the API. */
async function registerWithEmail(page: Page): Promise<{ username: string; email: string }> {
  const username = newName("rst");
  const email = `${username}@example.com`;
  await during({ EmailVerificationEnabled: "true" }, async () => {
    const sent = await page.request.get(`${server.url}/api/verification?email=${encodeURIComponent(email)}`);
    expect(await sent.json()).toMatchObject({ success: true });
    const data = { username, password: "password-1", email, verification_code: codeIn(email) };
    const made = await page.request.post(`${server.url}/api/user/register`, { data });
    expect(await made.json()).toMatchObject({ success: true });
  });
  return { username, email };
}

const codeIn = (email: string) =>
  /(?<![\w-])[2-9A-HJ-NP-Z]{6}(?![\w-])/.exec(mail.latestTo(email).mail.text ?? "")?.[0] ?? "";

const linkIn = (email: string) =>
  /http\S+\/user\/reset\?\S+?(?=[\s<>"]|$)/.exec(mail.latestTo(email).mail.text ?? "")?.[0] ?? "";

test("the mailed link gives a new password once, shows it and copies it, without a session (A011, A012, A041, A042, A043, A044)", async ({
  page,
}) => {
  const { username, email } = await registerWithEmail(page);
  await page.goto(`${server.url}/reset`);
  await page.getByLabel("E-mail").fill(email);
  await page.getByRole("button", { name: "Send link" }).click();
  await expect(page.getByText(`We are sending an e-mail to ${email}`)).toBeVisible();
  await expect(page.getByLabel("E-mail")).toHaveValue("");
  await expect(page.getByRole("button", { name: /^Resend \(\d+\)$/ })).toBeDisabled();
  const link = linkIn(email);
  await allowClipboard(page);
  let calls = 0;
  page.on("request", (made) => {
    if (made.method() === "POST" && made.url().endsWith("/api/user/reset")) calls += 1;
  });
  await page.goto(link);
  const shown = page.getByLabel("New password");
  await expect(shown).toHaveAttribute("readonly", "");
  const password = await shown.inputValue();
  expect(password.length).toBeGreaterThanOrEqual(8);
  await expect(page.getByText("Password reset and copied to the clipboard")).toBeVisible();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(password);
  expect(calls).toBe(1);
  await expect(page).toHaveURL(`${server.url}/user/reset`);
  await expectAccessible(page);
  await page.getByRole("link", { name: "Log in with the new password" }).click();
  const login = new LoginPage(page);
  await login.signIn(username, password);
  await page.waitForURL("**/token");
  // What the page shows then is tested with a wrong link.
  const again = Object.fromEntries(new URL(link).searchParams);
  const refused = await page.request.post(`${server.url}/api/user/reset`, { data: again });
  expect(await refused.json()).toMatchObject({ success: false });
});

test("where the new password cannot be copied, a dialog shows it (A045, A211)", async ({ page }) => {
  const { email } = await registerWithEmail(page);
  const asked = await page.request.get(`${server.url}/api/reset_password?email=${encodeURIComponent(email)}`);
  expect(await asked.json()).toMatchObject({ success: true });
  const link = linkIn(email);
  await inChinese(page);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("refused")) } });
    document.execCommand = () => false;
  });
  await page.goto(link);
  const dialog = page.getByRole("dialog", { name: "无法复制到剪贴板，请手动复制" });
  const text = await dialog.getByRole("textbox").inputValue();
  await dialog.getByRole("button", { name: "关闭" }).last().click();
  await expect(page.getByLabel("新密码")).toHaveValue(text);
});

test("a link without its parts, or a wrong one, says so and leads back (A046)", async ({ page, servedPage }) => {
  await servedPage.goto(`${server.url}/user/reset`);
  await expect(servedPage.getByText("This reset link is not valid. Request a new one.")).toBeVisible();
  await page.goto(`${server.url}/user/reset?email=a@example.com&token=wrong`);
  await expect(page.locator("section").getByRole("alert")).toBeVisible();
  await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
  await page.getByRole("link", { name: "Request a new link" }).click();
  await expect(page).toHaveURL(`${server.url}/reset`);
});

test("an address is bound in the settings by its code (A145, A194)", async ({ page }) => {
  const username = newName("bnd");
  const email = `${username}@example.com`;
  const account = { username, password: "password-1", display_name: username };
  await asRoot((root) => call(root, "POST", `${server.url}/api/user/`, account), server.url);
  await signInToApi(page, username, account.password, server.url);
  await page.goto(`${server.url}/setting`);
  await page.getByRole("button", { name: "Link E-mail" }).click();
  const dialog = page.getByRole("dialog", { name: "Link e-mail address" });
  await dialog.getByLabel("E-mail").fill(email);
  await dialog.getByRole("button", { name: "Send code" }).click();
  await expect(page.getByText("Code sent. Check your inbox.")).toBeVisible();
  await expect(dialog.getByRole("button", { name: /^Resend/ })).toBeDisabled();
  await dialog.getByLabel("Verification code").fill(codeIn(email));
  await dialog.getByRole("button", { name: "Link", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByTestId("binding-email")).toHaveText(email);
});

test("closed sign-up says so instead of a form, and is no link; where signing in by password is off, the page offers only what works", async ({
  servedPage: page,
}) => {
  await during({ PasswordLoginEnabled: "false", RegisterEnabled: "false" }, async () => {
    const register = new RegisterPage(page, server.url);
    await register.open();
    await expect(page.getByRole("heading", { name: "Sign-up is closed" })).toBeVisible();
    await expect(register.submit).toHaveCount(0);
    await page.goto(`${server.url}/login`);
    await expect(page.getByText(/disabled password login/)).toBeVisible();
    await expect(page.getByLabel("Password", { exact: true })).toHaveCount(0);
    await expect(page.getByRole("button", { name: /passkey/ })).toBeVisible();
    await expect(page.getByRole("main").getByRole("link", { name: /Sign up|Reset/ })).toHaveCount(0);
    await expectAccessible(page);
    await page.goto(`${server.url}/login?expired=true`);
    await expect(page.getByText("You are not logged in, or your session has expired.")).toBeVisible();
  });
});
