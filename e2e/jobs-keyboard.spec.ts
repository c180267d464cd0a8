import { asRoot, call, deleteChannels, setOptions } from "./accounts";
import { Job } from "./clicks";
import { expect, uniqueName } from "./fixtures";
import { ask } from "./gateway";
import { test } from "./own-server";
import { ChannelPage } from "./pages/channel-page";
import { SettingPage } from "./pages/setting-page";

// Options are site-wide, so these tests have their own server.
test("job 7: in the keys alone an API key is made and its first request found in the log, with the focus seen at every step", async ({
  rootPage: page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const name = uniqueName("keys");
  await deleteChannels();
  await new ChannelPage(page).make(name, [{ models: "gpt-4o-mini" }]);
  const job = await Job.start(page);
  await job.find("new api key", "New API key");
  const form = page.getByRole("dialog", { name: "Add API key" });
  await expect(form).toBeVisible();
  await job.reach(form.getByLabel("Name", { exact: true }));
  await page.keyboard.type(name);
  await job.reach(form.getByRole("button", { name: "Submit" }));
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "API key created" });
  const key = (await dialog.getByTestId("new-key").textContent()) ?? "";
  await job.reach(dialog.getByRole("button", { name: "Copy key", exact: true }));
  await page.keyboard.press("Enter");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(key);
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  expect((await ask(key, "gpt-4o-mini")).status).toBe(200);

  await page.keyboard.press("g");
  await page.keyboard.press("l");
  await expect(page).toHaveURL(/\/log/);
  const row = page.getByRole("row").filter({ hasText: name }).first();
  await expect(row).toBeVisible();
  await job.reach(row, "j");
  await page.keyboard.press("Enter");
  const peek = page.getByRole("dialog");
  await expect(peek.getByTestId("bill")).toBeVisible();
  await job.reach(peek.getByRole("button", { name: "Close" }));
  await page.keyboard.press("Escape");
  await expect(peek).toBeHidden();
  await expect(row.getByRole("button", { name: "Show details of gpt-4o-mini" })).toBeFocused();
  await job.expectFocusSeen();
  await job.expectNoClick("job 7, an API key and its first request in the log, by keyboard");
});

const SETTINGS = [
  { words: "turn off registration", name: "New sign-ups", key: "RegisterEnabled" },
  { words: "smtp", name: "SMTP server", key: "SMTPServer", text: "mail.weir.example" },
  { words: "rate limit", name: "Limit each user's model requests", key: "ModelRequestRateLimitEnabled" },
];

test(`job 8: the settings found as ${SETTINGS.map(({ words }) => `“${words}”`).join(", ")} are changed in two clicks each`, async ({
  rootPage: page,
}) => {
  const setting = new SettingPage(page);
  for (const { words, name, key, text } of SETTINGS) {
    const job = await Job.start(page);
    await job.find(words, `${name} `);
    const isOn = text === undefined && (await setting.switch(key).isChecked());
    if (text === undefined) {
      await expect(setting.switch(key)).toBeFocused();
      await page.keyboard.press("Space");
      await expect(setting.switch(key)).toBeChecked({ checked: !isOn });
    } else {
      await expect(setting.input(key)).toBeFocused();
      await job.type(setting.input(key), text);
    }
    await setting.saveBar.getByRole("button", { name: "Save settings" }).click();
    await expect(setting.said("Saved").first()).toBeVisible();
    await job.expectAtMost(2, `job 8, ${words}`);
    const stored = (await asRoot((root) => call(root, "GET", "/api/option/"))) as { key: string; value: string }[];
    expect(stored.find((option) => option.key === key)?.value).toBe(text ?? String(!isOn));
  }
});

test.afterAll(() => setOptions({ RegisterEnabled: "true", SMTPServer: "", ModelRequestRateLimitEnabled: "false" }));
