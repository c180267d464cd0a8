import { pricedModels } from "../lib/billing/built-in-terms";
import { CHANNEL_TYPE } from "../lib/provider-catalogue/channel-type-ids";
import type { UpstreamRow } from "../lib/relay/providers/channel-type";
import { rows } from "../lib/relay/providers/rows";
import { type FixtureUpstream, startFixtureUpstream } from "../lib/testing/fixture-upstream";
import { serviceAccount } from "../lib/testing/service-account";
import { call } from "./accounts";
import { expect, test, uniqueName } from "./fixtures";
import { ChannelPage } from "./pages/channel-page";

const OTHERS: Readonly<Record<string, string>> = {
  account: "account",
  region: "us-central1",
  library: "7379462189365198898",
  bot: "7379462189365198898",
  spark: "v3.5",
};
const chats = [...rows.values()].filter((row) => row.test === "chat" && row.position !== null);

function modelOf({ id, models }: UpstreamRow): string {
  if (id === CHANNEL_TYPE.vertex) return "gemini-2.5-pro";
  const name = pricedModels().find((model) => models?.test(model) && !/embed|rerank|tts|whisper|dall|imag/.test(model));
  return name ?? "gpt-4o-mini";
}

let upstream: FixtureUpstream;
test.beforeAll(async () => {
  upstream = await startFixtureUpstream();
});
test.afterAll(() => upstream.close());

function keyOf({ editor }: UpstreamRow): string {
  if (editor.isKeyDocument) return serviceAccount({ token_uri: `${upstream.url}/oauth/2.0/token` });
  return editor.keyParts.length > 0
    ? editor.keyParts.map((_, at) => ["AKID", "secret", "us-east-1"][at]).join("|")
    : "id.secret";
}

for (const row of chats)
  test(`${row.name.en} (${row.id}): made, tested and used once in the console (B138)`, async ({ rootPage }) => {
    const model = modelOf(row);
    const format = typeof row.dialect === "function" ? row.dialect(model, row.baseUrl) : row.dialect;
    const address = `${upstream.url}/f/${format}/text`;
    const url = row.baseUrl.startsWith("ws") ? address.replace("http", "ws") : address;
    const name = uniqueName(`type-${row.id}`);
    const channels = new ChannelPage(rootPage);
    await channels.open("?create=true");
    const drawer = rootPage.getByRole("dialog", { name: "Add channel" });
    await drawer.getByLabel("Type", { exact: true }).first().click();
    await rootPage.getByRole("option", { name: `${row.name.en} ${row.id}`, exact: true }).click();
    await drawer.getByLabel("Name", { exact: true }).fill(name);
    if (row.editor.address !== "none") {
      const labels = /^(Base URL|Full base URL|Private deployment URL|AZURE_OPENAI_ENDPOINT)/;
      await drawer.getByLabel(labels).first().fill(url);
    }
    const other = OTHERS[row.editor.other];
    if (other)
      await drawer.getByLabel(/^(Deployment region|Model version|Knowledge base ID|Bot ID|Account ID)$/).fill(other);
    await drawer
      .getByLabel(row.editor.isKeyDocument ? /^Credentials JSON$/ : /^Key/)
      .first()
      .fill(keyOf(row));
    const clear = drawer.getByRole("button", { name: "Clear models" });
    if (await clear.isEnabled()) await clear.click();
    const models = drawer.getByLabel("Models", { exact: true });
    await models.fill(model);
    await models.press("Enter");
    await drawer.getByRole("button", { name: "Submit" }).click();
    await drawer.getByRole("button", { name: "Done" }).click();
    await drawer.waitFor({ state: "hidden" });
    const stored = await channels.stored(name);
    const root = { request: rootPage.request, id: 1 };
    if (row.editor.address === "none") await call(root, "PUT", "/api/channel/", { ...stored, base_url: url });
    await channels.open(`?keyword=${name}`);
    await expect(await channels.test(name)).toContainText("Test passed");
    const { key } = (await call(root, "POST", "/api/token/", { name, unlimited_quota: true })) as { key: string };
    const reply = await rootPage.request.post("/v1/chat/completions", {
      headers: { authorization: `Bearer sk-${key.replace(/^sk-/, "")}-${String(stored.id)}` },
      data: { model, messages: [{ role: "user", content: "Say hello" }] },
    });
    expect([reply.status(), await reply.text()]).toEqual([200, expect.stringContaining('"choices"')]);
    await rootPage.goto(`/log?token=${name}`);
    await expect(rootPage.getByRole("row").filter({ hasText: model }).first()).toBeVisible();
    await rootPage.screenshot({ path: `test-results/types/${row.id}.png` });
  });
