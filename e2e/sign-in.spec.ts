import { expect, expectAccessible, ROOT, test } from "./fixtures";
import { LoginPage } from "./pages/login-page";

test("an empty form names each missing field", async ({ page }) => {
  const login = new LoginPage(page);
  await login.open();
  await login.submit.click();
  await expect(page.getByText("Enter your username and password.")).toBeVisible();
  await expect(login.username).toHaveAttribute("aria-invalid", "true");
  await expect(login.password).toHaveAttribute("aria-invalid", "true");
});

test("a wrong password is refused without saying which part was wrong", async ({ page }) => {
  const login = new LoginPage(page);
  await login.open();
  await login.signIn("nobody-at-all", "wrong");
  await expect(page.locator("form [role=alert]")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
});

test("signing in with the first password warns about it and leads to the tokens", async ({ page }) => {
  const login = new LoginPage(page);
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await login.open();
  await login.signIn(ROOT.username, ROOT.password);
  await expect(page.getByRole("dialog", { name: "您正在使用默认密码！" })).toBeVisible();
  await expectAccessible(page);
  await login.dismissPasswordWarning();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("令牌");
});

test("a page without a session leads to sign-in and says why", async ({ page }) => {
  await page.goto("/token");
  await expect(page).toHaveURL(/\/login\?expired=true$/);
  await expect(page.getByText("You are not logged in, or your session has expired.")).toBeVisible();
});

test("the password can be shown and hidden", async ({ page }) => {
  const login = new LoginPage(page);
  await login.open();
  await login.password.fill("secret");
  await page.getByRole("button", { name: "Show password" }).click();
  await expect(login.password).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: "Hide password" }).click();
  await expect(login.password).toHaveAttribute("type", "password");
});

test("signing out ends the session on this browser", async ({ page }) => {
  const login = new LoginPage(page);
  await login.open();
  await login.signIn(ROOT.username, ROOT.password);
  await login.dismissPasswordWarning();
  await page.getByRole("button", { name: /^Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL("**/login");
  await page.goto("/token");
  await expect(page).toHaveURL(/\/login\?expired=true$/);
});
