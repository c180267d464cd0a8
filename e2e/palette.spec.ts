import { createAccount, signInToApi } from "./accounts";
import { expect, expectAccessible, expectInteractive, test, uniqueName } from "./fixtures";
import { holdLateScripts } from "./late-scripts";
import { ChannelPage } from "./pages/channel-page";
import { TokenPage } from "./pages/token-page";

test("the palette goes to pages, finds things by name and runs commands", async ({ rootPage }) => {
  const name = uniqueName("needle");
  await new ChannelPage(rootPage).make(name, [{ models: "gpt-4o-mini" }]);
  await new TokenPage(rootPage).make(name);
  await rootPage.goto("/log");
  const palette = rootPage.getByRole("dialog", { name: "Command palette" });

  await rootPage.keyboard.press("Control+k");
  await expectAccessible(rootPage, { within: palette });
  await rootPage.keyboard.type(name);
  await expect(palette.getByRole("option", { name: /Channel$/ })).toContainText(name);
  await expect(palette.getByRole("option", { name: /API key$/ })).toContainText(name);
  await palette.getByRole("option", { name: /API key$/ }).click();
  await expect(rootPage).toHaveURL(/\/token\?edit=\d+$/);
  await expect(rootPage.getByRole("dialog", { name: "Edit API key" }).getByLabel("Name", { exact: true })).toHaveValue(
    name,
  );

  await rootPage.keyboard.press("Escape");
  await expect(rootPage.getByRole("dialog")).toHaveCount(0);
  await rootPage.getByRole("button", { name: "Open the command palette" }).click();
  await rootPage.keyboard.type("dash");
  await palette
    .getByRole("option", { name: /Dashboard/ })
    .first()
    .waitFor();
  await palette.getByRole("combobox").fill("async");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage).toHaveURL(/\/task$/);

  await rootPage.keyboard.press("Control+k");
  await rootPage.keyboard.type("dark");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage.locator("html")).toHaveClass(/dark/);
  await rootPage.keyboard.press("Control+k");
  await rootPage.keyboard.type("new channel");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage).toHaveURL(/\/channel\?create=true/);
});

test("what is typed before the palette's code is there goes on in it", async ({ rootPage }) => {
  const release = await holdLateScripts(rootPage, "/token");
  await rootPage.goto("/token");
  await expectInteractive(rootPage);
  const palette = rootPage.getByRole("dialog", { name: "Command palette" });
  await rootPage.keyboard.press("Control+k");
  await expect(palette.getByRole("status")).toHaveText("Searching…");
  await expectAccessible(rootPage, { within: palette });
  await rootPage.keyboard.type("dash");
  release();
  await expect(palette.getByRole("combobox")).toBeFocused();
  await rootPage.keyboard.type("board");
  await expect(palette.getByRole("combobox")).toHaveValue("dashboard");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage).toHaveURL(/\/detail/);
  await rootPage.unrouteAll({ behavior: "ignoreErrors" });
});

test("what is typed before the search over all settings is there goes on in it", async ({ rootPage }) => {
  const path = "/setting?tab=operation";
  const release = await holdLateScripts(rootPage, path);
  await rootPage.goto(path);
  await expectInteractive(rootPage);
  await rootPage.keyboard.press("/");
  await rootPage.keyboard.type("smtp ser");
  release();
  const field = rootPage.getByRole("main").getByRole("combobox", { name: "Search" });
  await expect(field).toBeFocused();
  await rootPage.keyboard.type("ver");
  await expect(field).toHaveValue("smtp server");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage).toHaveURL(/page=smtp#SMTPServer$/);
  await rootPage.unrouteAll({ behavior: "ignoreErrors" });
});

test("an ordinary user finds neither the pages nor the things of administrators", async ({ page }) => {
  const account = await createAccount("pal");
  await signInToApi(page, account.username, account.password);
  await page.goto("/token");
  await page.keyboard.press("Control+k");
  const palette = page.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("option", { name: "New API key" }).waitFor();
  await expect(palette.getByRole("option", { name: /New channel|Channels|Redemption/ })).toHaveCount(0);
  await page.keyboard.type("root");
  await expect(palette.getByText("Nothing found")).toBeVisible();
});

test("single keys lead to pages, to the search, through rows and to the help, and can be switched off", async ({
  rootPage,
}) => {
  const name = uniqueName("keys");
  const tokens = new TokenPage(rootPage);
  await tokens.make(`${name}-a`);
  await tokens.make(`${name}-b`);
  await rootPage.goto(`/token?keyword=${name}`);
  const rows = rootPage.getByRole("row").filter({ hasText: name });
  await expect(rows).toHaveCount(2);
  await rootPage.keyboard.press("j");
  await expect(rows.nth(0)).toBeFocused();
  await rootPage.keyboard.press("j");
  await expect(rows.nth(1)).toBeFocused();
  await rootPage.keyboard.press("k");
  await expect(rows.nth(0)).toBeFocused();
  await rootPage.keyboard.press("e");
  await expect(rootPage.getByRole("dialog", { name: "Edit API key" })).toBeVisible();
  await rootPage.keyboard.press("Escape");
  await expect(rootPage.getByRole("dialog")).toHaveCount(0);
  await rootPage.keyboard.press("/");
  await expect(rootPage.locator("main search input").first()).toBeFocused();
  await rootPage.keyboard.type("gl?");
  await expect(rootPage).toHaveURL(/\/token/);
  await rootPage.locator("h1").first().click();

  await rootPage.keyboard.press("?");
  const help = rootPage.getByRole("dialog", { name: "Keyboard shortcuts" });
  // The search changed the URL, and the title of the new page takes a moment.
  await expect(rootPage).toHaveTitle(/API keys/);
  await expectAccessible(rootPage, { within: help });
  await help.getByRole("switch", { name: "Single-key shortcuts" }).click();
  await rootPage.keyboard.press("Escape");
  await rootPage.keyboard.press("g");
  await rootPage.keyboard.press("l");
  await rootPage.keyboard.press("Control+k");
  await rootPage.getByRole("dialog", { name: "Command palette" }).waitFor();
  await expect(rootPage).toHaveURL(/\/token/);
  await rootPage.keyboard.type("keyboard");
  await rootPage.keyboard.press("Enter");
  await help.getByRole("switch", { name: "Single-key shortcuts" }).click();
  await rootPage.keyboard.press("Escape");
  await rootPage.keyboard.press("g");
  await rootPage.keyboard.press("l");
  await expect(rootPage).toHaveURL(/\/log/);
});

test("who is signed in has the palette and the keys on the public pages too", async ({ rootPage, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await rootPage.goto("/pricing");
  await expectInteractive(rootPage);
  await rootPage.keyboard.press("Control+k");
  const palette = rootPage.getByRole("dialog", { name: "Command palette" });
  await palette.getByRole("combobox").fill("base url");
  await palette.getByRole("option", { name: "Copy the base URL" }).click();
  await expect
    .poll(() => rootPage.evaluate(() => navigator.clipboard.readText()))
    .toBe(`${process.env.WEIR_E2E_URL}/v1`);
  await rootPage.keyboard.press("Control+k");
  await palette.getByRole("combobox").fill("system settings");
  await palette.getByRole("option", { name: "System settings" }).click();
  await expect(rootPage).toHaveURL(/\/setting\?tab=system$/);
  await rootPage.goBack();
  await expect(rootPage).toHaveURL(/\/pricing$/);
  await expectInteractive(rootPage);
  await rootPage.keyboard.press("g");
  await rootPage.keyboard.press("t");
  await expect(rootPage).toHaveURL(/\/token$/);
});
