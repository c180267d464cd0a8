import { createAccount } from "./accounts";
import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { withDatabase } from "./media-rows";
import { ChannelPage } from "./pages/channel-page";
import { TokenPage } from "./pages/token-page";

test("an API key opens beside its list with all that limits it, by click, by keys and by its address", async ({
  rootPage,
}) => {
  const prefix = uniqueName("peek");
  const tokens = new TokenPage(rootPage);
  for (const at of [1, 2, 3]) await tokens.make(`${prefix}-${at}`);
  const peek = rootPage.getByRole("dialog");
  await rootPage.goto("/token?peek=2147483647");
  await expect(peek).toContainText("no longer exists");
  const first = await withDatabase(async (sql) => {
    const [row] = await sql<{ id: number }[]>`select id from tokens where name = ${`${prefix}-1`}`;
    return row?.id ?? 0;
  });
  await rootPage.goto(`/token?keyword=${prefix}&sort=name&descending=false&peek=${first}`);
  await expect(rootPage.getByRole("dialog", { name: `${prefix}-1` })).toContainText("Never used");
  await rootPage.keyboard.press("Escape");
  await expect(peek).toBeHidden();
  const button = (at: number) => rootPage.getByRole("button", { name: `${prefix}-${at}`, exact: true });
  await button(1).focus();
  await rootPage.keyboard.press("j");
  await expect(button(2)).toBeFocused();
  await rootPage.keyboard.press("Enter");
  await expect(rootPage.getByRole("dialog", { name: `${prefix}-2` })).toContainText("Never used");
  await expect(rootPage).toHaveURL(/peek=\d+/);
  await expectAccessible(rootPage, { within: peek });
  await rootPage.keyboard.press("ArrowDown");
  await expect(rootPage.getByRole("dialog", { name: `${prefix}-3` })).toContainText("Never used");
  await expect(peek.getByText("3 of 3")).toBeVisible();
  await rootPage.keyboard.press("Escape");
  await expect(peek).toBeHidden();
  await expect(button(3)).toBeFocused();
  await rootPage
    .getByRole("row")
    .filter({ hasText: `${prefix}-1` })
    .getByRole("cell")
    .nth(4)
    .click();
  await expect(rootPage.getByRole("dialog", { name: `${prefix}-1` })).toContainText("Never used");
});

test("a user and a channel open beside their lists, and lead to their pages", async ({ rootPage }) => {
  const account = await createAccount("peek");
  await rootPage.goto(`/user?keyword=${account.username}&peek=${account.id}`);
  const peek = rootPage.getByRole("dialog", { name: account.username });
  await expect(peek).toContainText("Requests");
  await peek.getByRole("link", { name: "Open the whole page" }).click();
  await expect(rootPage).toHaveURL(new RegExp(`/user/${account.id}$`));
  const channels = new ChannelPage(rootPage);
  const [name = ""] = await channels.make(uniqueName("peek"), [{ group: "default,vip,svip,pro" }]);
  const { id } = await channels.stored(name);
  await channels.open(`?keyword=${name}`);
  await rootPage.setViewportSize({ width: 1440, height: 900 });
  // The groups are there at 1440 px: two of them, and how many more.
  const row = channels.row(name);
  await expect(row.getByText("default", { exact: true }).filter({ visible: true })).toHaveCount(1);
  await expect(row.getByText("+2", { exact: true }).filter({ visible: true })).toHaveCount(1);
  await row.getByRole("button", { name: String(id), exact: true }).click();
  await expect(rootPage.getByRole("dialog", { name })).toContainText("pro");
});

test("all API keys that match are selected, beyond the page, and nothing else", async ({ rootPage }) => {
  const prefix = uniqueName("all");
  const tokens = new TokenPage(rootPage);
  for (let at = 1; at <= 12; at++) await tokens.make(`${prefix}-${at}`);
  await rootPage.goto(`/token?keyword=${prefix}&pageSize=10`);
  await rootPage.getByRole("columnheader").getByRole("checkbox").check();
  const bar = rootPage.getByRole("region", { name: "Bulk actions" });
  await expect(bar).toContainText("10 rows selected");
  await rootPage.getByRole("button", { name: "Select all 12 matching" }).click();
  await expect(bar).toContainText("12 rows selected");
  await expect(rootPage.getByRole("button", { name: /matching/ })).toHaveCount(0);
  await bar.getByRole("button", { name: "Delete" }).click();
  await rootPage.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(rootPage.getByRole("heading", { name: /match/ })).toBeVisible();
});
