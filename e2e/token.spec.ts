import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { TokenPage } from "./pages/token-page";

test("a new token's key is shown once, then masked, and revealed on demand", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("reveal");
  await tokens.open();
  const key = await tokens.create(name);
  expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);

  const row = tokens.row(name);
  await expect(row).toContainText(`${key.slice(0, 7)}…${key.slice(-4)}`);
  await expect(row).not.toContainText(key);
  await row.getByRole("button", { name: `Reveal the key of ${name}` }).click();
  await expect(row).toContainText(key);
  await row.getByRole("button", { name: `Hide the key of ${name}` }).click();
  await expect(row).not.toContainText(key);
});

test("a token is switched off and on and deleted, each with its own word", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("switch");
  await tokens.open();
  await tokens.create(name);
  await tokens.choose(name, "Disable");
  await expect(tokens.row(name).getByText("Disabled")).toBeVisible();
  await tokens.choose(name, "Enable");
  await expect(tokens.row(name).getByText("Enabled")).toBeVisible();
  await tokens.choose(name, "Delete");
  const confirm = rootPage.getByRole("dialog", { name: `Delete token “${name}”?` });
  await expectAccessible(rootPage);
  await confirm.getByRole("button", { name: "Delete" }).click();
  await expect(tokens.row(name)).toHaveCount(0);
});

test("a token without a name is refused at its field", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  await tokens.open("?create=true");
  const drawer = rootPage.getByRole("dialog", { name: "Add token" });
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(rootPage);
});

test("filters are in the address and survive a reload", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("filter");
  await tokens.open();
  await tokens.create(name);
  await rootPage.keyboard.press("/");
  await rootPage.keyboard.type(name);
  await expect(rootPage).toHaveURL(new RegExp(`keyword=${name}`));
  await expect(rootPage.getByText("Items 1 - 1 of 1")).toBeVisible();
  await rootPage.reload();
  await expect(tokens.row(name)).toBeVisible();
  await rootPage.goto("/token?keyword=no-such-token-anywhere");
  await expect(rootPage.getByText("No token matches")).toBeVisible();
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await expect(rootPage).toHaveURL(/\/token$/);
});

test("an edit opens from the address and keeps what was saved", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("edit");
  await tokens.open();
  await tokens.create(name);
  await rootPage.getByRole("button", { name: `Edit ${name}` }).click();
  await expect(rootPage).toHaveURL(/edit=\d+/);
  await rootPage.reload();
  const drawer = rootPage.getByRole("dialog", { name: "Edit token" });
  await drawer.getByLabel("Name").fill(`${name}-b`);
  await drawer.getByRole("button", { name: "One month" }).click();
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  await expect(tokens.row(`${name}-b`)).toBeVisible();
  await expect(rootPage).not.toHaveURL(/edit=/);
});
