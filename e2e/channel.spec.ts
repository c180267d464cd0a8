import { createAccount, signInToApi } from "./accounts";
import { disableAsSystem, openCircuit } from "./channel-rows";
import { hasDatabase } from "./database";
import { expect, expectAccessible, expectFits, test, uniqueName } from "./fixtures";
import { ChannelPage, upstream } from "./pages/channel-page";

test("a channel is made in the drawer and its test shows status and times; the models of the test panel are searched, tested one by one or all that are found; a failing test shows what the upstream said (B029, B037)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("works");
  const [broken = ""] = await channels.make(prefix, [{ models: "gpt-4o-mini", base_url: "http://127.0.0.1:9" }]);
  const name = `${prefix}-made`;
  await channels.open(`?keyword=${prefix}`);
  const models = "gpt-4o-mini,fake-error-500,test";
  await channels.create({ name, baseUrl: upstream(), key: "sk-upstream", models });
  await expect(channels.row(name)).toContainText("Enabled");
  await expect(channels.row(name)).toContainText("Untested");
  const result = await channels.test(name);
  await expect(result).toContainText("Test passed");
  await expect(result).toContainText("200");
  await expect(result).toContainText("gpt-4o-mini");
  const panel = rootPage.getByRole("dialog");
  await expectAccessible(rootPage, { within: panel });
  await panel.getByLabel("Search models").fill("o");
  await panel.getByRole("button", { name: "Test these 2 models" }).click();
  const results = panel.getByTestId("test-result");
  // The one of before stays.
  await expect(results).toHaveCount(3);
  await expect(results.filter({ hasText: "gpt-4o-mini" }).filter({ hasText: "Test passed" })).toHaveCount(2);
  await expect(results.filter({ hasText: "fake-error-500" })).toContainText("Test failed");
  await rootPage.keyboard.press("Escape");
  await expect(panel).toBeHidden();
  await expect(await channels.test(broken)).toContainText("Test failed");
});

test("columns come in the required order, sort on the server, and the order is in the address; sorting by id is switched on, remembered as id-sort and in force after a reload (B028, B047, B282)", async ({
  rootPage,
}) => {
  // Narrower windows leave out the groups.
  await rootPage.setViewportSize({ width: 1920, height: 900 });
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("sort");
  await channels.make(prefix, [{ priority: 1 }, { priority: 9 }, { priority: 5 }]);
  await channels.open(`?keyword=${prefix}`);
  await expect(rootPage.getByRole("columnheader", { name: "Actions" })).toBeVisible();
  const headers = await rootPage.getByRole("columnheader").allTextContents();
  expect(headers).toEqual([
    "ID",
    "Name",
    "Groups",
    "Type",
    "Status",
    "Success rate",
    "p95: first token / total",
    "Last test",
    "Spend / balance",
    "Priority",
    "Weight",
    "Actions",
  ]);
  const names = rootPage.getByRole("row").getByRole("link");
  await expect(names).toHaveText([`${prefix}-1`, `${prefix}-2`, `${prefix}-0`]);
  await rootPage.getByRole("switch", { name: "Sort by ID" }).click();
  await expect(names).toHaveText([`${prefix}-2`, `${prefix}-1`, `${prefix}-0`]);
  expect(await rootPage.evaluate(() => localStorage.getItem("id-sort"))).toBe("true");
  await rootPage.reload();
  await expect(names).toHaveText([`${prefix}-2`, `${prefix}-1`, `${prefix}-0`]);
  await rootPage.getByRole("switch", { name: "Sort by ID" }).click();
  await expect(names).toHaveText([`${prefix}-1`, `${prefix}-2`, `${prefix}-0`]);
  await rootPage.getByRole("button", { name: "ID", exact: true }).click();
  await expect(rootPage).toHaveURL(/sort=id/);
  await rootPage.getByRole("button", { name: "ID", exact: true }).click();
  await expect(rootPage).toHaveURL(/descending=false/);
  await expect(names).toHaveText([`${prefix}-0`, `${prefix}-1`, `${prefix}-2`]);
});

test("words and facets narrow the list on the server, with counts; the size of a page is kept (B027, B033, B045)", async ({
  rootPage,
  rootServedPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("facet");
  await channels.make(prefix, [{ type: 14, tag: prefix }, { status: 2 }, { models: "only-here" }]);
  await channels.open(`?keyword=${prefix}`);
  await rootPage.getByRole("button", { name: "Type", exact: true }).first().click();
  await expect(rootPage.getByRole("menuitemcheckbox", { name: /OpenAI\s*2/ })).toBeVisible();
  await rootPage.getByRole("menuitemcheckbox", { name: /Anthropic Claude/ }).click();
  await rootPage.keyboard.press("Escape");
  await expect(rootPage.getByRole("row").getByRole("link")).toHaveText([`${prefix}-0`]);
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await new ChannelPage(rootServedPage).open(`?keyword=${prefix}&model=only-here`);
  await expect(rootServedPage.getByRole("row").getByRole("link")).toHaveText([`${prefix}-2`]);
  await rootPage.getByLabel("Keyword", { exact: true }).fill(prefix);
  await expect(rootPage).toHaveURL(new RegExp(`keyword=${prefix}`));
  await rootPage.getByLabel("Rows per page").selectOption("50");
  await expect(rootPage).toHaveURL(/pageSize=50/);
  await rootPage.goto(`/channel?keyword=${prefix}&status=2`);
  await expect(rootPage.getByLabel("Rows per page")).toHaveValue("50");
  await expect(rootPage.getByRole("row").getByRole("link")).toHaveText([`${prefix}-1`]);
  await rootPage.getByRole("button", { name: "Refresh" }).click();
  await expect(rootPage.getByRole("row").getByRole("link")).toHaveText([`${prefix}-1`]);
});

test("priority and weight are saved on Enter or leaving; Escape, no change and nothing send no request; a row is switched off and on, greyed while off, copied with its key, and deleted (B038, B039, B041, B042, B046, B154, B181)", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const [name = ""] = await channels.make(uniqueName("inline"), [{ priority: 5, weight: 2 }]);
  await channels.open(`?keyword=${name}`);
  let sent = 0;
  rootPage.on("request", (request) => {
    if (request.method() === "POST" && request.headers()["next-action"]) sent += 1;
  });
  const row = channels.row(name);
  const edit = async (label: string, text: string, key: string) => {
    await row.getByRole("button", { name: new RegExp(`^${label} of ${name}`) }).click();
    const field = row.getByRole("textbox", { name: `${label} of ${name}` });
    await field.fill(text);
    if (key === "blur") await field.blur();
    else await field.press(key);
    await expect(field).toBeHidden();
  };
  await edit("Priority", "9", "Escape");
  await edit("Priority", "5", "Enter");
  await edit("Priority", "", "blur");
  expect(sent).toBe(0);
  await edit("Priority", "-2000", "Enter");
  await channels.expectStored(name, { priority: -999, weight: 2 });
  await edit("Weight", "-4", "blur");
  await channels.expectStored(name, { priority: -999, weight: 0 });
  await edit("Weight", "3.7", "blur");
  await channels.expectStored(name, { weight: 3 });
  expect(sent).toBe(3);

  await channels.choose(name, "Disable");
  await expect(channels.row(name)).toContainText("Disabled");
  await channels.expectStored(name, { status: 2 });
  await expect(channels.row(name)).toHaveClass(/text-muted-foreground/);
  await channels.choose(name, "Enable");
  await channels.expectStored(name, { status: 1 });
  await channels.choose(name, "Copy");
  await rootPage.getByRole("dialog").getByRole("button", { name: "Copy" }).click();
  await expect(channels.row(`${name}_copy`)).toBeVisible();
  await channels.expectStored(`${name}_copy`, { balance: 0, used_quota: 0, models: "gpt-4o,gpt-4o-mini" });
  await channels.choose(`${name}_copy`, "Delete");
  await rootPage.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(channels.row(`${name}_copy`)).toBeHidden();
});

test("copying a channel that is gone, or that cannot be copied, says so in the required words (B266, B267)", async ({
  rootPage,
  problems,
}) => {
  const channels = new ChannelPage(rootPage);
  const [name = "", other = ""] = await channels.make(uniqueName("gone"), [{}, {}]);
  const { id } = await channels.stored(name);
  await channels.speak("zh");
  await channels.open(`?keyword=${name.slice(0, -2)}`);
  await rootPage.request.delete(`/api/channel/${id}/`, { headers: { "new-api-user": "1" } });
  const copy = async (of: string) => {
    await rootPage.getByRole("button", { name: `${of} 的更多操作` }).click();
    await rootPage.getByRole("menuitem", { name: "复制", exact: true }).click();
    await rootPage.getByRole("dialog").getByRole("button", { name: "复制" }).click();
  };
  await copy(name);
  await expect(rootPage.getByText("渠道未找到，请刷新页面后重试。")).toBeVisible();
  await rootPage.keyboard.press("Escape");
  await expect(rootPage.getByRole("dialog")).toBeHidden();
  await rootPage.route("**/channel**", (route) =>
    route.request().headers()["next-action"] ? route.abort() : route.continue(),
  );
  await copy(other);
  await expect(rootPage.getByText(/^渠道复制失败/)).toBeVisible();
  // The browser itself logs the aborted request.
  expect(problems.splice(0)).toEqual([expect.stringContaining("net::ERR_FAILED")]);
  await channels.speak("en");
});

test("the list is readable and complete on a phone, in both languages", async ({ rootServedPage: page }) => {
  const channels = new ChannelPage(page);
  const [name = ""] = await channels.make(uniqueName("phone"), [{}]);
  await page.setViewportSize({ width: 390, height: 844 });
  // every-screen.spec.ts looks at the list with the rows that other tests leave, in both themes.
  for (const [locale, label] of [
    ["zh", "已用/剩余"],
    ["en", "Spend / balance"],
  ] as const) {
    await channels.speak(locale);
    await channels.open(`?keyword=${name}`);
    await expect(channels.row(name).locator(`[data-label="${label}"]`)).toBeVisible();
    await expectFits(page);
  }
});

test("who is no administrator sees no channels but what is needed (B007)", async ({ servedPage: page }) => {
  const { username, password } = await createAccount("nochan");
  await signInToApi(page, username, password);
  await page.goto("/channel");
  await expect(page.getByRole("table")).toHaveCount(0);
  await expect(page.getByRole("main")).toContainText("Admin");
  await page.goto("/channel/1");
  await expect(page.getByRole("heading", { level: 2 })).toHaveCount(0);
});

test("each state is said in words; of one that the system switched off also why and when, with the way back; the remaining balance is asked for by a click on it; health, errors and changes of a channel have a page of their own (B048, B153, B158)", async ({
  rootPage,
}) => {
  test.skip(!hasDatabase(), "needs the database of the run");
  const channels = new ChannelPage(rootPage);
  const prefix = uniqueName("states");
  const [on = "", off = "", system = "", failing = ""] = await channels.make(prefix, [
    { type: 14 },
    { status: 2 },
    {},
    {},
  ]);
  await disableAsSystem(system, "status 401: Incorrect API key", 1_795_250_000);
  await openCircuit(failing, "gpt-4o", "timeout");
  await channels.open(`?keyword=${prefix}`);
  await expect(channels.row(on)).toContainText("Untested");
  await expect(channels.row(on)).toContainText("Enabled");
  await expect(channels.row(off)).toContainText("Disabled");
  await expect(channels.row(system)).toContainText("Auto-disabled");
  const notice = rootPage.getByRole("row").filter({ hasText: "status 401: Incorrect API key" });
  await expect(notice).toContainText("2026-11-21");
  await expect(channels.row(failing)).toContainText("Circuit open");
  const circuits = rootPage.getByRole("region", { name: "Open circuits" });
  await expect(circuits).toContainText(/gpt-4o\s*Timed out.*retried in \d+ s/);
  await expect(notice.getByRole("link", { name: "Failed requests" })).toHaveAttribute(
    "href",
    /\/log\?channel=\d+&type=5/,
  );
  await expectAccessible(rootPage);
  await notice.getByRole("button", { name: "Re-enable" }).click();
  await expect(notice).toBeHidden();
  await circuits.getByRole("button", { name: "Close the circuit of gpt-4o" }).click();
  await expect(circuits).toBeHidden();
  await expect(channels.row(failing)).toContainText("Enabled");
  await channels.expectStored(system, { status: 1, other_info: "{}" });

  await rootPage.getByRole("button", { name: new RegExp(`^Update the balance of channel ${on}`) }).click();
  await expect(rootPage.getByText("The balance of channels of this type cannot be queried")).toBeVisible();
  await rootPage.getByRole("row").getByRole("link", { name: on }).click();
  await expect(rootPage.getByRole("heading", { level: 1 })).toHaveText(on);
  await expect(rootPage.getByText("No requests", { exact: true })).toBeVisible();
  await expect(rootPage.getByText("Create channel")).toBeVisible();
  await rootPage.getByRole("link", { name: "7 days" }).click();
  await expect(rootPage).toHaveURL(/range=week/);
  await expectAccessible(rootPage);
});
