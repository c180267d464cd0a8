import type { Page } from "@playwright/test";
import { asAccount, asRoot, call, createAccount, signInToApi } from "./accounts";
import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { UserPage } from "./pages/user-page";

const shortName = (prefix: string) => uniqueName(prefix).replaceAll("-", "").slice(0, 12);

/** Marks the document. The returned check fails if the page was reloaded in the meantime. */
async function markDocument(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(() => document.documentElement.setAttribute("data-same", "yes"));
  return async () => expect(page.locator("html")).toHaveAttribute("data-same", "yes");
}

test("the list has the required columns in order, with figures and invitations; the size of a page is chosen once and remembered, 10 at first; keyword, group, role and status filter on the server and stay in the address (A019, A047, A048, A049, A055, A059, A215, B282)", async ({
  rootPage,
  rootServedPage: served,
}) => {
  const users = new UserPage(rootPage);
  await users.open("?keyword=root&role=100");
  await expect(rootPage.getByRole("heading", { level: 1 })).toHaveText("Manage users");
  await expect(rootPage.getByRole("columnheader").first()).toBeVisible();
  const headers = await rootPage.getByRole("columnheader").allTextContents();
  expect(headers).toEqual(["ID", "Username", "Group", "Statistics", "Invitations", "Role", "Status", "Actions"]);
  const row = users.row("root").first();
  for (const name of ["Balance", "Spent", "Requests", "Invited users", "Invitation earnings", "Inviter ID"]) {
    await expect(row.getByRole("button", { name: new RegExp(`^${name}`) })).toBeVisible();
  }
  await expect(row).toContainText("No inviter");
  await expect(row).toContainText("Super admin");
  // Repeats the hover: before the page is hydrated it has no effect.
  await expect(async () => {
    await rootPage.mouse.move(0, 0);
    await row.getByRole("button", { name: /^Balance/ }).hover();
    await expect(rootPage.getByRole("tooltip", { name: "Balance" })).toBeAttached({ timeout: 1_000 });
  }).toPass();

  const size = rootPage.getByLabel("Rows per page");
  await expect(size).toHaveValue("10");
  const offered = await size.locator("option").allTextContents();
  expect(offered.map((text) => Number.parseInt(text, 10))).toEqual([10, 20, 50, 100]);
  await size.selectOption("50");
  await expect(rootPage).toHaveURL(/pageSize=50/);
  expect(await rootPage.evaluate(() => localStorage.getItem("page-size"))).toBe("50");

  await test.step("filters", async () => {
    const { username } = await createAccount("fil");
    await users.open();
    await expect(size).toHaveValue("50");
    await rootPage.getByLabel("Keyword").fill(username);
    await expect(rootPage).toHaveURL(new RegExp(`keyword=${username}`));
    await expect(rootPage.getByText("Items 1 - 1 of 1")).toBeVisible();
    await rootPage.getByLabel("Group", { exact: true }).selectOption("vip");
    await expect(rootPage.getByText("No matching users")).toBeVisible();
    await rootPage.getByLabel("Group", { exact: true }).selectOption("default");
    await rootPage.getByLabel("Status", { exact: true }).selectOption("enabled");
    await expect(rootPage).toHaveURL(/group=default&status=enabled|status=enabled.*group=default/);
    await expect(users.row(username)).toBeVisible();
    await served.goto(rootPage.url());
    await expect(new UserPage(served).row(username)).toBeVisible();
  });
});

test("a user is added in the drawer, which names what is missing (A056, A135, B290)", async ({ rootPage }) => {
  const users = new UserPage(rootPage);
  const username = shortName("add");
  await rootPage.context().addCookies([{ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" }]);
  await users.open("?create=true");
  await users.drawer.getByRole("button", { name: "提交" }).click();
  await expect(rootPage.getByText("用户名和密码不能为空！")).toBeVisible();
  await expect(users.drawer.getByLabel("用户名")).toHaveAttribute("aria-invalid", "true");
  await users.drawer.getByLabel("用户名").fill("thirteenchars");
  await users.drawer.getByLabel("显示名称").fill("Somebody");
  await users.drawer.getByLabel("密码", { exact: true }).fill("password-1");
  await users.drawer.getByRole("button", { name: "提交" }).click();
  await expect(users.drawer.getByLabel("用户名")).toHaveAttribute("aria-invalid", "true");
  await users.drawer.getByLabel("用户名").fill(username);
  await users.drawer.getByRole("button", { name: "提交" }).click();
  await expect(users.drawer).toBeHidden();
  await expect(users.row(username)).toContainText("正常");
  await expect(users.row(username)).toContainText("Somebody");
});

test("promote, demote, ban and enable are asked about and replace the row in place; several are changed at once after a preview, and the tag of their group has its colour; a deleted user stays in the list, marked and without buttons (A050, A051, A052, A054, A060, A114, A116, A118, A119, A120, B172, B173)", async ({
  rootPage,
  rootServedPage: served,
}) => {
  const { username } = await createAccount("man");
  const users = new UserPage(rootPage);
  await users.open(`?keyword=${username}`);
  const expectSame = await markDocument(rootPage);
  const row = users.row(username);
  await expect(row).toContainText("User");
  await users.manage(username, "Promote");
  await expect(row.getByText("Admin", { exact: true })).toBeVisible();
  await users.manage(username, "Demote");
  await expect(row.getByText("Admin", { exact: true })).toHaveCount(0);
  await users.manage(username, "Ban");
  await expect(row).toContainText("Banned");
  await users.manage(username, "Unban");
  await expect(row).toContainText("Active");
  await expectSame();

  await test.step("several at once", async () => {
    await rootPage.getByLabel(`Select user ${username}`).check();
    await rootPage.getByRole("button", { name: "Change group" }).click();
    const dialog = rootPage.getByRole("dialog");
    await dialog.getByLabel("New group").selectOption("svip");
    await expect(dialog.getByRole("list", { name: "Preview of the changes" })).toContainText("svip");
    await expectAccessible(rootPage, { within: dialog });
    await dialog.getByRole("button", { name: "Apply to 1 user" }).click();
    await expect(dialog).toBeHidden();
    await expect(row.getByText("svip", { exact: true }).first()).toHaveClass(/bg-red-100/);
  });

  await rootPage.getByRole("button", { name: `More actions for ${username}` }).click();
  await rootPage.getByRole("menuitem", { name: "Delete account" }).click();
  await expectAccessible(rootPage, { within: users.drawer });
  await users.drawer.getByRole("button", { name: "Delete account" }).click();
  await expect(row).toContainText("Deleted");
  await expect(row.getByRole("button", { name: /^(Edit|More actions)/ })).toHaveCount(0);
  await served.goto(rootPage.url());
  await expect(new UserPage(served).row(username)).toContainText("Deleted");
});

test("the required address opens the drawer of a user, which keeps an empty password, saves a typed amount of money as whole quota, and the group; the quota dialog takes negative amounts and shows the sum before anything is saved (A053, A057, A058, A141, A142, B012)", async ({
  rootPage,
}) => {
  const account = await createAccount("edt");
  const users = new UserPage(rootPage);
  await rootPage.goto(`/user/edit/${account.id}`);
  const drawer = rootPage.getByRole("dialog", { name: "Edit user" });
  await expect(drawer.getByLabel("Username")).toHaveValue(account.username);
  await expect(drawer.getByLabel("Password", { exact: true })).toHaveAttribute(
    "placeholder",
    "New password, at least 8 characters",
  );
  for (const name of ["GitHub account", "WeChat account", "E-mail address", "Telegram account", "LinuxDO account"]) {
    await expect(drawer.getByLabel(name)).toHaveAttribute("readonly", "");
  }
  await drawer.getByLabel("Display name").fill("Edited");
  await drawer.getByLabel("Group").selectOption("vip");
  await drawer.getByLabel("Balance", { exact: true }).fill("1,5");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  await rootPage.getByLabel("Keyword").fill(account.username);
  await expect(rootPage.getByText("Items 1 - 1 of 1")).toBeVisible();
  await expect(users.row(account.username)).toContainText("Edited");
  const saved = await asRoot((root) => call(root, "GET", `/api/user/${account.id}`));
  expect(saved).toMatchObject({ quota: 750_000, group: "vip", display_name: "Edited" });

  await users.edit(account.username);
  await drawer.getByRole("button", { name: "Adjust balance" }).click();
  const dialog = rootPage.getByRole("dialog", { name: "Adjust balance" });
  await dialog.getByLabel("Amount to add").fill("-0.1");
  await expect(dialog.getByTestId("quota-sum")).toContainText("￥1.50 + (-￥0.10) = ￥1.40");
  await dialog.getByRole("button", { name: "OK" }).click();
  await expect(drawer.getByLabel("Balance", { exact: true })).toHaveValue("1.4");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  const less = await asRoot((root) => call(root, "GET", `/api/user/${account.id}`));
  expect(less).toMatchObject({ quota: 700_000 });
  await asAccount(account, async ({ id }) => expect(id).toBe(account.id));
});

test("the required address opens the reader's own account; a user who is gone cannot be edited (B012)", async ({
  rootPage,
  rootServedPage: served,
}) => {
  await served.goto("/user/edit");
  await expect(served.getByLabel("Username")).toHaveValue("root");
  await rootPage.goto("/user?edit=999999");
  await expect(rootPage.getByRole("dialog", { name: "This user cannot be edited" })).toBeVisible();
});

test("an ordinary user sees neither the menu nor the page, an administrator both (A001, A002, A163, A164)", async ({
  servedPage: page,
}) => {
  const account = await createAccount("rol");
  await signInToApi(page, account.username, account.password);
  await page.goto("/token");
  const menu = page.getByRole("navigation", { name: "Main navigation" });
  await expect(menu.getByRole("link", { name: "Settings" })).toBeVisible();
  await expect(menu.getByRole("link", { name: "Users" })).toHaveCount(0);
  await page.goto("/user");
  await expect(page.getByRole("heading", { name: "No access" })).toBeVisible();
  await asRoot((root) => call(root, "POST", "/api/user/manage", { id: account.id, action: "promote" }));
  await signInToApi(page, account.username, account.password);
  await page.goto("/user");
  await expect(menu.getByRole("link", { name: "Users" })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Manage users");
  // Administrators have no actions for users of the same or a higher role.
  await page.goto("/user?keyword=root&role=100");
  await expect(page.getByRole("button", { name: "Edit root" })).toBeDisabled();
});
