import { setOptions } from "./accounts";
import { hasDatabase } from "./database";
import { expect, expectAccessible, expectFits, uniqueName } from "./fixtures";
import { test } from "./own-server";
import { ChannelPage } from "./pages/channel-page";
import { addUsage } from "./usage-rows";

// Its channels and options are site-wide, so this file has its own server.
test.describe.configure({ mode: "serial" });

test("a failed test says in plain words what to do, and the list keeps it apart from the traffic", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("apart");
  const [name = ""] = await channels.make(prefix, [{ base_url: "http://127.0.0.1:9" }]);
  await channels.open(`?keyword=${prefix}`);
  const result = await channels.test(name);
  await expect(result).toContainText("The upstream could not be reached. Check the base URL");
  await rootPage.keyboard.press("Escape");
  await expect(channels.row(name)).toContainText("Failed");
  await expect(channels.row(name)).toContainText("No requests");
});

test("the list shows success and speed of live traffic and sorts by them; the model's page and the status page follow", async ({
  rootPage,
  rootServedPage: served,
}) => {
  test.skip(!hasDatabase(), "writes log rows");
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("live");
  const model = "gpt-4.1-nano";
  const names = await channels.make(prefix, [{ models: model }, { models: model }, { models: model }]);
  const ids = await Promise.all(names.map(async (name) => Number((await channels.stored(name)).id)));
  const now = Math.floor(Date.now() / 1_000);
  const rows = [0, 1].flatMap((at) =>
    Array.from({ length: 30 }, (_, i) => ({
      requestId: `${prefix}-${at}-${i}`,
      username: "root",
      userId: 1,
      createdAt: now - 60,
      model,
      channelId: ids[at] ?? 0,
      useTimeMs: 1_500 + at * 4_000,
      firstTokenMs: 300,
      ...(at === 1 && i < 6 ? { type: 5, other: { status_code: 502 } } : {}),
    })),
  );
  await addUsage(rows);
  await channels.open(`?keyword=${prefix}&sort=successRate`);
  await expect(rootPage.getByRole("row").getByRole("link")).toHaveText([
    names[0] ?? "",
    names[1] ?? "",
    names[2] ?? "",
  ]);
  await expect(channels.row(names[0] ?? "")).toContainText("100% good");
  await expect(channels.row(names[1] ?? "")).toContainText("80.0% failing");
  await expect(channels.row(names[2] ?? "")).toContainText("No requests");
  await rootPage.getByRole("button", { name: "p95: first token / total" }).click();
  await expect(rootPage.getByRole("row").getByRole("link").first()).toHaveText(names[1] ?? "");
  await expectFits(rootPage);

  await served.goto(`/pricing/${model}`);
  await expect(served.getByRole("heading", { name: model })).toBeVisible();
  await expect(served.getByText("90.0%").first()).toBeVisible();
  await expect(served.getByRole("link", { name: names[0] ?? "" })).toBeVisible();
  await expectAccessible(served);

  expect((await served.goto("/status"))?.status()).toBe(404);
  await setOptions({ StatusPageEnabled: true, StatusPageGroups: { Nano: [model] } });
  await rootPage.goto("/status");
  await expect(rootPage.getByText("Some models have problems")).toBeVisible();
  await rootPage.getByRole("button", { name: "New incident" }).click();
  const form = rootPage.getByRole("dialog", { name: "New incident" });
  await form.getByLabel("Title (English)").fill("Slow answers");
  await form.getByLabel("Title (Chinese)").fill("响应变慢");
  await expectAccessible(rootPage, { within: form });
  await form.getByRole("button", { name: "Submit" }).click();
  await expect(rootPage.getByRole("heading", { name: "Slow answers" })).toBeVisible();
  await expectAccessible(rootPage);
  await served.context().clearCookies();
  await served.goto("/status");
  await expect(served.getByRole("heading", { name: "Slow answers" })).toBeVisible();
  await expect(served.getByRole("button", { name: "New incident" })).toHaveCount(0);
  await setOptions({ StatusPageEnabled: false, StatusPageGroups: {} });
});
