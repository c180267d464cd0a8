import type { Page } from "@playwright/test";
import { type Account, asRoot, call, createAccount, signInToApi } from "./accounts";
import { expect, expectAccessible, test } from "./fixtures";
import { PersonalPage } from "./pages/personal-page";

const inChinese = (page: Page) =>
  page.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
const allowClipboard = (page: Page) =>
  page.context().grantPermissions(["clipboard-read", "clipboard-write"], { origin: process.env.WEIR_E2E_URL ?? "" });
const clipboard = (page: Page) => page.evaluate(() => navigator.clipboard.readText());

/** Makes both ways of copying to the clipboard fail. */
const refuseClipboard = (page: Page) =>
  page.addInitScript(() => {
    Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("refused")) } });
    document.execCommand = () => false;
  });

async function signedIn(page: Page, account: Account): Promise<PersonalPage> {
  await signInToApi(page, account.username, account.password);
  return new PersonalPage(page);
}

test("balance, spend, requests, earnings and the badge show what the server says (A003, A061, A064, A070)", async ({
  servedPage: page,
}) => {
  const account = await createAccount("per");
  await asRoot((root) =>
    call(root, "PUT", "/api/user/", { id: account.id, username: account.username, quota: 1_250_000 }),
  );
  const personal = await signedIn(page, account);
  await personal.open();
  await expect(personal.figure("balance")).toHaveText("￥2.50");
  await expect(personal.figure("spent")).toHaveText("￥0.00");
  await expect(personal.figure("requests")).toHaveText("0");
  await expect(page.getByTestId("aff-total")).toHaveText("￥0.00");
  await expect(page.getByTestId("aff-count")).toHaveText("0");
  const badge = page.getByRole("region", { name: account.username }).getByText("User", { exact: true });
  await expect(badge).toHaveClass(/bg-blue-100/);
  await asRoot((root) => call(root, "POST", "/api/user/manage", { id: account.id, action: "promote" }));
  await signInToApi(page, account.username, account.password);
  await personal.open();
  await expect(badge).toHaveClass(/bg-blue-100/);
});

test("a super administrator has the red badge (A070, A165)", async ({ rootServedPage: page }) => {
  const personal = new PersonalPage(page);
  await personal.open();
  const badge = page.getByRole("region", { name: "Root User" }).getByText("Admin", { exact: true });
  await expect(badge).toHaveClass(/bg-red-100/);
  await expect(page.getByRole("link", { name: "System settings" })).toBeVisible();
});

test("transfer, e-mail and password have dialogs that say what is missing; a new password keeps this browser signed in (A063, A065, A068, A144, A145, A146, A147)", async ({
  page,
}) => {
  await inChinese(page);
  const account = await createAccount("trf");
  await signInToApi(page, account.username, account.password);
  await page.goto("/setting");

  await test.step("a transfer below one unit of currency is refused with the least amount", async () => {
    await page.getByRole("button", { name: "划转" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog.getByTestId("available")).toHaveText("￥0.00");
    await expect(dialog.getByLabel("划转额度")).toHaveValue("1");
    await dialog.getByLabel("划转额度").fill("0.99");
    await dialog.getByRole("button", { name: "划转" }).click();
    await expect(dialog.getByText("划转金额最低为￥1.00")).toBeVisible();
    await dialog.getByLabel("划转额度").fill("1");
    await dialog.getByRole("button", { name: "划转" }).click();
    await expect(dialog.getByRole("alert")).toBeVisible();
    await expectAccessible(page, { within: dialog });
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("binding an address asks for the address, then for the code", async () => {
    await page.getByRole("button", { name: "绑定 邮箱" }).click();
    const dialog = page.getByRole("dialog", { name: "绑定邮箱地址" });
    await dialog.getByRole("button", { name: "获取验证码" }).click();
    await expect(dialog.getByText("请输入邮箱！")).toBeVisible();
    await dialog.getByLabel("邮箱").fill("somebody@example.com");
    await dialog.getByRole("button", { name: "绑定" }).click();
    await expect(dialog.getByText("请输入邮箱验证码！")).toBeVisible();
    await expectAccessible(page, { within: dialog });
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await test.step("a new password must be typed twice alike", async () => {
    await page.getByRole("button", { name: "修改密码" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("新密码", { exact: true }).fill("second-password");
    await dialog.getByLabel("确认新密码").fill("other-password");
    await dialog.getByRole("button", { name: "修改密码" }).click();
    await expect(dialog.getByText("两次输入的密码不一致！")).toBeVisible();
    await dialog.getByLabel("确认新密码").fill("second-password");
    await dialog.getByRole("button", { name: "修改密码" }).click();
    await expect(page.getByText("密码修改成功！")).toBeVisible();
    expect((await page.request.get("/token", { maxRedirects: 0 })).status()).toBe(200);
    await signInToApi(page, account.username, "second-password");
  });
});

test("the first ten models are shown, the rest on demand, and a click copies a name; the invite link is the address of this site with the reader's code, and is copied; a system access token is shown once, copied, and works with the user's id (A062, A067, A071, A072, A219, B152)", async ({
  page,
  playwright,
}) => {
  const names = Array.from({ length: 25 }, (_, index) => `00-chip-model-${String(index).padStart(2, "0")}`);
  const group = "svip";
  const account = await createAccount("mod");
  await asRoot(async (root) => {
    await call(root, "POST", "/api/channel/", {
      name: "chips",
      type: 1,
      key: "sk",
      base_url: process.env.WEIR_E2E_UPSTREAM ?? "",
      models: names.join(","),
      group,
    });
    await call(root, "PUT", "/api/user/", { id: account.id, username: account.username, group });
  });
  await allowClipboard(page);
  const personal = await signedIn(page, account);
  await personal.open();
  const chips = page.getByRole("list", { name: /^Available models/ }).getByRole("button", { name: /^00-chip-model/ });
  await expect(chips).toHaveCount(10);
  await page.getByRole("button", { name: /^\d+ more models$/ }).click();
  await expect(chips).toHaveCount(25);
  await page.getByRole("button", { name: "Show fewer", exact: true }).click();
  await expect(chips).toHaveCount(10);
  await chips.first().click();
  await expect(page.getByText("Copied: 00-chip-model-00")).toBeVisible();
  await expect.poll(() => clipboard(page)).toBe("00-chip-model-00");

  await test.step("the invite link", async () => {
    const link = await personal.inviteLink.inputValue();
    expect(link).toMatch(new RegExp(`^${process.env.WEIR_E2E_URL}/register\\?aff=[A-Za-z0-9]{4,8}$`));
    await expect(page.getByText(`Invite code: ${link.split("aff=")[1]}`)).toBeVisible();
    for (const label of ["Pending earnings", "Invited users", "Personal concurrency limit"]) {
      await expect(page.getByText(label, { exact: true })).toBeVisible();
    }
    await page.getByRole("button", { name: "Copy", exact: true }).click();
    await expect(page.getByText("Copied", { exact: true })).toBeVisible();
    await expect.poll(() => clipboard(page)).toBe(link);
  });

  const dialog = await personal.dialog("Generate access token");
  await dialog.getByRole("button", { name: "Generate", exact: true }).click();
  const token = (await dialog.getByTestId("access-token").textContent()) ?? "";
  expect(token.length).toBeGreaterThanOrEqual(29);
  await expect(page.getByText("New access token copied to the clipboard")).toBeVisible();
  await expect.poll(() => clipboard(page)).toBe(token);
  await expectAccessible(page, { within: dialog });
  const program = await playwright.request.newContext();
  const reply = await program.get(`${process.env.WEIR_E2E_URL}/api/user/self`, {
    headers: { authorization: token, "new-api-user": String(account.id) },
  });
  expect((await reply.json()).data.username).toBe(account.username);
  await program.dispose();
});

test("where the browser refuses to copy, a dialog shows the text; an account is deleted only by typing its name, and the browser forgets it (A069, A123, A143, A211)", async ({
  page,
}) => {
  await inChinese(page);
  await refuseClipboard(page);
  const account = await createAccount("bye");
  await signInToApi(page, account.username, account.password);
  await page.goto("/setting");
  await expect(async () =>
    expect(await page.evaluate(() => localStorage.getItem("user"))).toContain(account.username),
  ).toPass();

  await test.step("copying", async () => {
    const link = await page.getByLabel("邀请链接").inputValue();
    await page.getByRole("button", { name: "复制", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "无法复制到剪贴板，请手动复制" });
    await expect(dialog.getByRole("textbox")).toHaveValue(link);
    await expectAccessible(page, { within: dialog });
    await page.keyboard.press("Escape");
    await expect(dialog).toBeHidden();
  });

  await page.getByRole("button", { name: "删除个人账户" }).click();
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox");
  await name.fill("somebody-else");
  await dialog.getByRole("button", { name: "删除账户" }).click();
  await expect(dialog.getByText("请输入你的账户名以确认删除！")).toBeVisible();
  await expectAccessible(page, { within: dialog });
  await name.fill(account.username);
  await dialog.getByRole("button", { name: "删除账户" }).click();
  await page.waitForURL("**/login");
  await expect(async () => expect(await page.evaluate(() => localStorage.getItem("user"))).toBeNull()).toPass();
  expect((await page.request.get("/token", { maxRedirects: 0 })).headers().location).toMatch(/\/login/);
});
