import { settingPath } from "../lib/option/cards";
import { startMailServer } from "../lib/testing/mail-server";
import { setOptions } from "./accounts";
import { setEmail } from "./database";
import { expect, expectAccessible, expectFits } from "./fixtures";
import { test } from "./own-server";
import { SettingPage } from "./pages/setting-page";

// Options are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

test("search finds a setting by other words for it, follows what is typed, and leads into its field in the keys alone; the mail test there shows the server's own answer, accepted or not", async ({
  rootPage,
}) => {
  const server = await startMailServer({ plainOnly: true, refuse: ["refused@weir.example"] });
  await setOptions({ SMTPServer: "127.0.0.1", SMTPPort: String(server.port), SMTPFrom: "site@weir.example" });
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

  const answer = setting.card("smtp").getByRole("status");
  for (const [address, text] of [
    ["root@weir.example", /Accepted by the mail server.*250 /],
    ["refused@weir.example", /refused the message.*550 .*no such mailbox/],
  ] as const) {
    await setEmail("root", address);
    await setting.card("smtp").getByRole("button", { name: "Send me a test e-mail" }).click();
    await expect(answer).toHaveText(text);
  }
  await setOptions({ SMTPServer: "", SMTPFrom: "" });
  await server.stop();
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

test("a page has one bar that says how much changed, and what, on demand; the branding page shows name, logo and footer as they are typed, and refuses what is no image address; leaving with something unsaved asks", async ({
  rootPage,
  problems,
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

  await setting.turnTo("name");
  const preview = rootPage.locator("[data-branding-preview]");
  await setting.input("SystemName").fill("River Works");
  await expect(preview.getByText("River Works", { exact: true })).toBeVisible();
  await setting.input("Logo").fill("javascript:alert(1)");
  await expect(preview.getByRole("status")).toContainText("Enter a web address");
  await expect(preview.locator("img")).toHaveCount(0);
  await setting.input("Logo").fill("/icon.svg");
  await expect(preview.locator("img")).toHaveAttribute("src", "/icon.svg");
  await expectAccessible(rootPage);
  await setting.input("Footer").fill("<b>All rights</b> reserved");
  await expect(preview.frameLocator("iframe").locator("b")).toHaveText("All rights");
  await setting.saveBar.getByRole("button", { name: "Discard" }).click();
  await expect(preview.getByText("River Works", { exact: true })).toHaveCount(0);
  // The frame of the preview blocks all scripts, those that the test injects too; the browser logs each.
  problems.splice(0, problems.length, ...problems.filter((text) => !text.includes("'about:srcdoc'")));

  await setting.input("SystemName").fill("Elsewhere");
  const others = rootPage.getByRole("navigation", { name: "Settings categories" });
  await others.getByRole("link", { name: "About" }).click();
  const dialog = rootPage.getByRole("dialog", { name: "Unsaved changes" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(setting.input("SystemName")).toHaveValue("Elsewhere");
  await rootPage.getByRole("link", { name: "API keys" }).first().click();
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

test("the list of pages shows the open one, however far down it is", async ({ rootPage }) => {
  await rootPage.setViewportSize({ width: 1440, height: 420 });
  const address = settingPath("statusPage");
  await rootPage.goto(address);
  const list = rootPage.getByRole("navigation", { name: "Settings categories" });
  await expect(list.getByRole("link").last()).toHaveAttribute("href", address);
  const current = list.locator("[aria-current=page]");
  await expect(current).toHaveAttribute("href", address);
  await expect(current).toBeInViewport({ ratio: 0.99 });
});
