import { asRoot, call, createAccount, deleteChannels, setOptions, signInToApi } from "./accounts";
import { expect, expectAccessible, expectFits, expectInteractive } from "./fixtures";
import { test } from "./own-server";

const SECRET = `sk-${"aB3".repeat(12)}`;

test("a key's request is captured without its secrets, and is opened in the playground without being sent", async ({
  page,
  ownServer,
}) => {
  await deleteChannels();
  await setOptions({ CaptureEnabled: true, ModelRatio: { "gpt-4o-mini": 1 } }, ownServer);
  await asRoot(async (root) => {
    await call(root, "POST", "/api/channel/", {
      type: 1,
      name: "capture upstream",
      base_url: process.env.WEIR_E2E_UPSTREAM,
      key: "sk-upstream",
      models: "gpt-4o-mini",
      group: "default",
    });
  });
  const account = await createAccount("capture");
  await asRoot((root) =>
    call(root, "PUT", "/api/user/", { id: account.id, username: account.username, quota: 5_000_000 }),
  );
  const caller = await signInToApi(page, account.username, account.password);
  await call(caller, "POST", "/api/token/", { name: "laptop", unlimited_quota: true, expired_time: -1 });
  const found = (await call(caller, "GET", "/api/token/?p=0&size=10")) as
    | { items: { key: string }[] }
    | { key: string }[];
  const [token] = Array.isArray(found) ? found : found.items;

  await page.goto("/capture");
  await expectInteractive(page);
  await page.getByLabel("laptop").selectOption("-1");
  await expect(page.getByLabel("laptop")).toHaveValue("-1");
  const messages = [
    { role: "system", content: "Be brief" },
    { role: "user", content: `My key is ${SECRET}. <b>Hello</b>` },
  ];
  const ask = () =>
    page.request.post("/v1/chat/completions", {
      headers: { authorization: `Bearer sk-${token?.key}` },
      data: { model: "gpt-4o-mini", messages, temperature: 0.5 },
    });
  await expect(async () => {
    expect((await ask()).status()).toBe(200);
    await page.reload();
    await expect(page.getByRole("table", { name: "Captures" }).getByText("gpt-4o-mini").first()).toBeVisible();
  }).toPass();
  await expectAccessible(page);
  await page.getByRole("table", { name: "Captures" }).getByRole("link").first().click();
  const drawer = page.getByRole("dialog", { name: "gpt-4o-mini" });
  await expect(drawer).toContainText("My key is [redacted]. <b>Hello</b>");
  await expect(drawer).not.toContainText("aB3");
  await expectAccessible(page);
  await page.setViewportSize({ width: 390, height: 800 });
  await expectFits(page);
  await page.setViewportSize({ width: 1440, height: 900 });
  let sent = 0;
  page.on("request", (request) => {
    if (request.url().includes("/pg/chat/completions")) sent += 1;
  });
  await drawer.getByRole("link", { name: "Open in the playground" }).click();
  await expect(page.getByRole("textbox", { name: "Question" })).toHaveValue("My key is [redacted]. <b>Hello</b>");
  await expect(page.getByLabel("System prompt").first()).toHaveValue("Be brief");
  expect(sent).toBe(0);
});
