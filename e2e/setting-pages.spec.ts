import { expect, expectAccessible, expectFits } from "./fixtures";
import { test } from "./own-server";
import { SettingPage } from "./pages/setting-page";

// Options are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

test("search finds a setting by other words for it, follows what is typed, and leads into its field in the keys alone", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  await setting.open("general");
  const search = rootPage.getByRole("combobox", { name: "Search settings" });
  const selected = rootPage.locator("[cmdk-item][data-selected=true]");
  await search.pressSequentially("smtp");
  await expect(selected).toContainText("SMTPServer");
  await search.pressSequentially(" po");
  await expect(selected).toContainText("SMTPPort");
  await search.fill("rate limit");
  await expect(selected).toContainText("ModelRequestRateLimitEnabled");
  await search.fill("turn off registration");
  await expect(selected).toContainText("RegisterEnabled");
  await search.fill("smtp port");
  await rootPage.keyboard.press("Enter");
  await expect(rootPage).toHaveURL(/tab=system&page=smtp#SMTPPort/);
  await expect(setting.input("SMTPPort")).toBeFocused();
});

test("an address without the page of its option or card leads to that page", async ({ rootPage }) => {
  const setting = new SettingPage(rootPage);
  await setting.openAt("/setting?tab=operation#RetryTimes");
  await expect(setting.input("RetryTimes")).toBeFocused();
  await setting.openAt("/setting?tab=system#SMTPServer");
  await expect(rootPage).toHaveURL(/tab=system&page=smtp#SMTPServer/);
  await expect(setting.input("SMTPServer")).toBeFocused();
  await setting.openAt("/setting#pricing");
  await expect(setting.card("pricing")).toBeVisible();
});

test("a page has one bar that says how much changed, and what, on demand; leaving with something unsaved asks", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  await setting.open("limits");
  await expect(setting.saveBar).not.toContainText("unsaved");
  await setting.switch("ModelRequestRateLimitEnabled").click();
  await setting.input("ModelRequestRateLimitCount").fill("60");
  await expect(setting.saveBar).toContainText("2 unsaved changes");
  await setting.saveBar.getByRole("button", { name: "Show what changed" }).click();
  await expect(setting.saveBar.getByRole("listitem").first()).toContainText("off");
  await expect(setting.saveBar.getByRole("listitem").nth(1)).toContainText("60");
  await expect(setting.saveBar.getByRole("listitem").nth(1)).toContainText("Applies to new requests");
  await expectAccessible(rootPage);
  await setting.saveBar.getByRole("button", { name: "Discard" }).click();
  await expect(setting.saveBar).not.toContainText("unsaved");

  await setting.open("name");
  await setting.input("SystemName").fill("Elsewhere");
  const others = rootPage.getByRole("navigation", { name: "Settings categories" });
  await others.getByRole("link", { name: "About" }).click();
  const dialog = rootPage.getByRole("dialog", { name: "Unsaved changes" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(setting.input("SystemName")).toHaveValue("Elsewhere");
  await rootPage.getByRole("link", { name: "Tokens" }).first().click();
  await dialog.getByRole("button", { name: "Leave" }).click();
  await expect(rootPage).toHaveURL(/\/token/);
});

test("on a phone the list of pages comes first, and a page leads back to it", async ({ rootPage }) => {
  const setting = new SettingPage(rootPage);
  await rootPage.setViewportSize({ width: 390, height: 844 });
  await setting.openAt("/setting");
  const pages = rootPage.getByRole("navigation", { name: "Settings categories" });
  await expect(pages).toBeVisible();
  await expectFits(rootPage);
  await pages.getByRole("link", { name: "Mail (SMTP)" }).click();
  await expect(setting.input("SMTPServer")).toBeVisible();
  await expect(pages).toBeHidden();
  await rootPage.getByRole("link", { name: "All settings" }).click();
  await expect(pages).toBeVisible();
});
