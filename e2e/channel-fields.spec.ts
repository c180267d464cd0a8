import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "@playwright/test";
import { TEMPLATES } from "../components/channel/channel-templates";
import { channelTypes } from "../lib/provider-catalogue";
import en from "../messages/en.json" with { type: "json" };
import { expect, uniqueName } from "./fixtures";
import { test } from "./own-server";
import { ChannelPage } from "./pages/channel-page";

// The test of "update all balances" asks every channel, so these tests need their own server without other channels.
test.describe.configure({ mode: "serial" });

const typeName = (type: number) => channelTypes.get(type)?.name.en ?? "";
/** The text that the select shows for a type without chat requests. */
function markOf(type: number): string {
  return (channelTypes.get(type)?.dialects ?? []).length === 0 ? en.channel.typeNoChats : "";
}

const drawerOf = (page: Page) => page.getByRole("dialog", { name: /^(Add|Edit) channel$/ });

async function chooseType(page: Page, type: number): Promise<void> {
  await drawerOf(page).getByLabel("Type", { exact: true }).first().click();
  await pickType(page, type);
}

/** Picks a type from the open list. */
async function pickType(page: Page, type: number): Promise<void> {
  await page
    .getByRole("option", { name: [typeName(type), markOf(type), type].filter(Boolean).join(" "), exact: true })
    .click();
  await expect(page.getByRole("option").first()).toBeHidden();
}

/** An upstream that answers balance requests only when the test calls `tell`. */
async function startWaitingUpstream(): Promise<{ server: Server; url: string; asked: () => number; tell: () => void }> {
  const waiting: (() => void)[] = [];
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    waiting.push(() =>
      response.setHeader("content-type", "application/json").end('{"data":{"total_credits":9.5,"total_usage":2}}'),
    );
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    server,
    url,
    asked: () => asked,
    tell: () => {
      for (const answer of waiting.splice(0)) answer();
    },
  };
}

test("all balances are updated after a question, and the button is busy until they are (B031)", async ({
  rootPage,
}) => {
  test.slow();
  const upstream = await startWaitingUpstream();
  const channels = new ChannelPage(rootPage);
  const [name = "", off = ""] = await channels.make(uniqueName("bal"), [
    { type: 20, base_url: upstream.url },
    { type: 20, base_url: upstream.url, status: 2 },
  ]);
  await channels.open();
  const menu = rootPage.getByRole("button", { name: "Bulk actions" });
  await menu.click();
  await rootPage.getByRole("menuitem", { name: "Update all balances" }).click();
  const question = rootPage.getByRole("dialog", { name: "Update all balances?" });
  await expect(question).toContainText("Queries the upstream of every enabled channel.");
  expect(upstream.asked()).toBe(0);
  await question.getByRole("button", { name: "Cancel" }).click();
  await expect(question).toBeHidden();
  expect(upstream.asked()).toBe(0);
  await menu.click();
  await rootPage.getByRole("menuitem", { name: "Update all balances" }).click();
  await question.getByRole("button", { name: "Update all balances" }).click();
  await expect.poll(upstream.asked).toBe(1);
  await expect(menu).toHaveAttribute("aria-busy", "true");
  await expect(menu).toBeDisabled();
  upstream.tell();
  await expect(rootPage.getByText("1 balance updated")).toBeVisible();
  await expect(menu).toBeEnabled({ timeout: 30_000 });
  await expect(channels.row(name)).toContainText("7.50");
  await channels.expectStored(name, { balance: 7.5 });
  await channels.expectStored(off, { balance: 0 });
  expect(upstream.asked()).toBe(1);
  await new Promise((done) => upstream.server.close(done));
});

test("the select of types offers every known type by name and number, in order; each field with a template takes it at a click; a new channel has no models, and a type with a list of its own fills it in, but leaves those that were typed; status code mapping, tag, priority and weight are stored as typed and shown again (B054, B066, B067, B138)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  await channels.open("?create=true");
  const drawer = drawerOf(rootPage);

  await test.step("model and status mapping, settings and region have a template", async () => {
    const insert = async (label: string, template: string) => {
      const field = drawer.getByLabel(label, { exact: true });
      await expect(field).toHaveValue("");
      await drawer.getByRole("button", { name: `${label}: Insert template` }).click();
      await expect(field).toHaveValue(template);
    };
    await insert("Model redirect", TEMPLATES.modelMapping);
    await insert("Status code override", TEMPLATES.statusCodeMapping);
    await insert("Extra channel settings", TEMPLATES.setting);
    await drawer.getByLabel("Type", { exact: true }).first().click();
    const offered = [...channelTypes.values()]
      .filter(({ position }) => position !== null)
      .sort((a, b) => (a.position ?? 0) - (b.position ?? 0));
    const expected = offered.map(({ id }) => `${typeName(id)}${markOf(id)}${id}`);
    await expect(rootPage.getByRole("option")).toHaveText(expected);
    await pickType(rootPage, 41);
    await insert("Deployment region", TEMPLATES.region);
  });

  const clear = drawer.getByRole("button", { name: "Clear models" });
  for (const [type, count, some] of [
    [2, 7, ["mj_imagine", "mj_upload"]],
    [5, 16, ["swap_face", "mj_pan", "mj_imagine"]],
    [36, 2, ["suno_music", "suno_lyrics"]],
  ] as const) {
    if (await clear.isEnabled()) await clear.click();
    await expect(drawer.getByText("0 models")).toBeVisible();
    await chooseType(rootPage, type);
    await expect(drawer.getByText(`${count} models`)).toBeVisible();
    for (const model of some) await expect(drawer.getByText(model, { exact: true })).toBeVisible();
  }
  await clear.click();
  const models = drawer.getByLabel("Models", { exact: true });
  await models.fill("my-own");
  await models.press("Enter");
  await chooseType(rootPage, 5);
  await expect(drawer.getByText("1 model", { exact: true })).toBeVisible();
  await expect(drawer.getByText("my-own", { exact: true })).toBeVisible();

  await test.step("stored as typed", async () => {
    const name = uniqueName("routed");
    await drawer.getByLabel("Name", { exact: true }).fill(name);
    await drawer.getByLabel("Key", { exact: true }).fill("sk-routed");
    const fields = { Tag: "blue", Priority: "7", Weight: "3", "Status code override": '{"429":"503"}' };
    for (const [label, value] of Object.entries(fields)) await drawer.getByLabel(label, { exact: true }).fill(value);
    await drawer.getByRole("button", { name: "Submit" }).click();
    await drawer.getByRole("button", { name: "Done" }).click();
    await drawer.waitFor({ state: "hidden" });
    await channels.expectStored(name, { tag: "blue", priority: 7, weight: 3, status_code_mapping: '{"429":"503"}' });
    await rootPage.getByRole("button", { name: `Edit ${name}`, exact: true }).click();
    for (const [label, value] of Object.entries(fields)) {
      await expect(drawer.getByLabel(label, { exact: true }), label).toHaveValue(value);
    }
  });
});
