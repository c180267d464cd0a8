import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";

const upstream = () => process.env.WEIR_E2E_UPSTREAM ?? "http://127.0.0.1:9";

test("a channel is made in the drawer and its test shows status and times", async ({ rootPage }) => {
  const channels = new ChannelPage(rootPage);
  const name = uniqueName("works");
  await channels.open();
  await channels.create({ name, baseUrl: upstream(), key: "sk-upstream", models: "gpt-4o-mini" });
  await expect(channels.row(name)).toContainText("Enabled");
  const result = await channels.test(name);
  await expect(result).toContainText("Test passed");
  await expect(result).toContainText("200");
  await expect(result).toContainText("gpt-4o-mini");
  await expectAccessible(rootPage);
});

test("a failing test shows what the upstream said", async ({ rootPage }) => {
  const channels = new ChannelPage(rootPage);
  const name = uniqueName("broken");
  await channels.open();
  await channels.create({ name, baseUrl: "http://127.0.0.1:9", key: "sk-upstream", models: "gpt-4o-mini" });
  const result = await channels.test(name);
  await expect(result).toContainText("Test failed");
});

test("a bad model mapping is refused before anything is sent", async ({ rootPage }) => {
  const channels = new ChannelPage(rootPage);
  await channels.open("?create=true");
  const drawer = rootPage.getByRole("dialog", { name: "Add channel" });
  await drawer.getByLabel("Model redirect", { exact: true }).fill("{not json");
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer.getByText("The model mapping must be valid JSON.")).toBeVisible();
  await expectAccessible(rootPage);
});

test("columns sort on the server and the order is in the address", async ({ rootPage }) => {
  const channels = new ChannelPage(rootPage);
  await channels.open();
  await channels.create({ name: uniqueName("sort"), baseUrl: upstream(), key: "k", models: "gpt-4o" });
  await rootPage.getByRole("button", { name: "ID", exact: true }).click();
  await expect(rootPage).toHaveURL(/sort=id/);
  await expect(rootPage.getByRole("columnheader", { name: "ID", exact: true })).toHaveAttribute(
    "aria-sort",
    "descending",
  );
  await rootPage.getByRole("button", { name: "ID", exact: true }).click();
  await expect(rootPage).toHaveURL(/descending=false/);
});
