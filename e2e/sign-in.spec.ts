import { createAccount } from "./accounts";
import { expect, expectAccessible, ROOT, test } from "./fixtures";
import { LoginPage } from "./pages/login-page";

test("user name or e-mail and password are asked for, and each that is missing is named; a wrong password is refused without saying which part was wrong; registration and a new password are a link away (A007, A026, A033, A034, A140)", async ({
  page,
}) => {
  const login = new LoginPage(page);
  await login.open();
  await expect(page.getByRole("main").getByRole("link", { name: "Sign up" })).toHaveAttribute("href", "/register");
  await expect(page.getByRole("main").getByRole("link", { name: "Reset it" })).toHaveAttribute("href", "/reset");
  await login.submit.click();
  await expect(page.getByText("Enter your username and password.")).toBeVisible();
  await expect(login.username).toHaveAttribute("aria-invalid", "true");
  await expect(login.password).toHaveAttribute("aria-invalid", "true");
  await expect(page.getByLabel("Username or e-mail")).toBeVisible();

  await login.password.fill("secret");
  await page.getByRole("button", { name: "Show password" }).click();
  await expect(login.password).toHaveAttribute("type", "text");
  await page.getByRole("button", { name: "Hide password" }).click();
  await expect(login.password).toHaveAttribute("type", "password");

  await login.signIn("nobody-at-all", "wrong");
  await expect(page.locator("form [role=alert]")).toBeVisible();
  await expect(page).toHaveURL(/\/login$/);
});

test("in Chinese, too, what is missing is named; signing in with the first password warns about it, also where the page is made again after it, and leads to the tokens (A015, A130, A140)", async ({
  page,
}) => {
  const login = new LoginPage(page);
  await page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await login.open();
  await login.submit.click();
  await expect(page.getByText("请输入用户名和密码！")).toBeVisible();
  await login.signIn(ROOT.username, ROOT.password);
  await expect(page.getByRole("dialog", { name: "您正在使用默认密码！" })).toBeVisible();
  await expectAccessible(page, { within: page.getByRole("dialog") });
  await page.reload();
  await expect(page.getByRole("dialog", { name: "您正在使用默认密码！" })).toBeVisible();
  await login.dismissPasswordWarning();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("令牌");
});

test("a page without a session leads to sign-in, says why, and is where the reader comes to; who is signed in is stored in the browser, and gone after signing out, which ends the session (A008, A024, A025, A121, A122, B218)", async ({
  page,
  servedPage,
}) => {
  await servedPage.goto("/token");
  await expect(servedPage).toHaveURL(/\/login\?expired=true$/);
  await expect(servedPage.getByText("You are not logged in, or your session has expired.")).toBeVisible();
  await servedPage.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await servedPage.goto("/setting");
  await expect(servedPage).toHaveURL(/\/login\?expired=true&redirect=%2Fsetting$/);
  await expect(servedPage.getByText("未登录或登录已过期，请重新登录！")).toBeVisible();

  await page.goto("/log?type=2");
  const account = await createAccount("stored");
  await new LoginPage(page).signIn(account.username, account.password);
  await expect(page).toHaveURL(/\/log\?type=2$/);
  const stored = () => page.evaluate(() => JSON.parse(localStorage.getItem("user") ?? "null"));
  await expect.poll(stored).toMatchObject({ id: account.id, username: account.username, role: 1, status: 1 });
  await page.goto("/login?redirect=https://example.org/");
  await expect(page).toHaveURL(/\/token$/);
  await page.getByRole("button", { name: /^Account menu/ }).click();
  await page.getByRole("menuitem", { name: "Log out" }).click();
  await page.waitForURL("**/login");
  await expect.poll(stored).toBeNull();
  expect((await page.request.get("/token", { maxRedirects: 0 })).headers().location).toMatch(/\/login\?expired=true$/);
});
