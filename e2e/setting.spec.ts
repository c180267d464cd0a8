import { OPTION_TABS, type OptionCard, pagesOf, settingPath } from "../lib/option/cards";
import { asRoot, call, createAccount, setOptions, signInToApi } from "./accounts";
import { COLOUR_RULES, expect, expectAccessible, expectFits, turn } from "./fixtures";
import { withDatabase } from "./media-rows";
import { test } from "./own-server";
import { SettingPage } from "./pages/setting-page";

// Options are site-wide, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

/** The frame of a preview blocks all scripts, including those that the test injects. The browser logs an error for each. */
function ignoreBlockedScripts(problems: string[]): void {
  const others = problems.filter((text) => !/Blocked script execution in 'about:srcdoc'/.test(text));
  problems.splice(0, problems.length, ...others);
}

test("the tab stands in the address; root has four, an unknown one opens the own (A020, A021, A022)", async ({
  rootServedPage: page,
}) => {
  const setting = new SettingPage(page);
  await page.goto("/setting");
  const tabs = page.locator("nav[aria-label='Settings categories'] > ul > li > a");
  await expect(tabs).toHaveText(["Personal settings", "Operation settings", "System settings", "Other settings"]);
  await expect(tabs.first()).toHaveAttribute("aria-current", "page");
  await tabs.nth(2).click();
  await expect(page.locator("[data-option]").first()).toBeVisible();
  await expect(page).toHaveURL(/\?tab=system/);
  const pages = page.getByRole("navigation", { name: "Settings categories" });
  await expect(pages.getByRole("link", { name: "Server and proxy" })).toHaveAttribute("aria-current", "page");
  // Without scripts each click loads the address.
  await pages.getByRole("link", { name: "Mail (SMTP)" }).click();
  await expect(setting.input("SMTPServer")).toBeVisible();
  await expect(pages.getByRole("link", { name: "Mail (SMTP)" })).toHaveAttribute("aria-current", "page");
  await page.goto("/setting?tab=nonsense");
  await expect(tabs.first()).toHaveAttribute("aria-current", "page");
});

test("users and administrators of level 10 have the own tab alone, whatever the address says (A002, A021, A022, A165)", async ({
  servedPage: page,
}) => {
  const account = await createAccount("plain");
  await signInToApi(page, account.username, account.password);
  const expectOwnTab = async (tab: string) => {
    await page.goto(`/setting?tab=${tab}`);
    await expect(page.locator("nav[aria-label='Settings categories'] a")).toHaveText(["Personal settings"]);
    await expect(page.locator("section#server")).toHaveCount(0);
    await expect(page.locator("[data-option]")).toHaveCount(0);
  };
  await expectOwnTab("operation");
  await page.goto("/audit");
  await expect(page.getByText("Super admin")).toBeVisible();
  await asRoot((root) => call(root, "POST", "/api/user/manage", { id: account.id, action: "promote" }));
  await signInToApi(page, account.username, account.password);
  await expectOwnTab("system");
});

/** Options that these cards have at least. */
const OPTIONS: Partial<Record<OptionCard, string>> = {
  general:
    "TopUpLink ChatLink ChatLink2 QuotaPerUnit RetryTimes DisplayInCurrencyEnabled DisplayTokenStatEnabled DefaultCollapseSidebar",
  drawing:
    "DrawingEnabled MjNotifyEnabled MjAccountFilterEnabled MjForwardUrlEnabled MjModeClearEnabled MjActionCheckSuccessEnabled",
  sensitive: "CheckSensitiveEnabled CheckSensitiveOnPromptEnabled SensitiveWords",
  log: "LogConsumeEnabled",
  dashboard: "DataExportEnabled DataExportInterval DataExportDefaultTime",
  monitoring:
    "ChannelDisableThreshold QuotaRemindThreshold AutomaticDisableChannelEnabled AutomaticEnableChannelEnabled",
  quota: "QuotaForNewUser PreConsumedQuota QuotaForInviter QuotaForInvitee",
};

test("each operation, system and other setting has its own card, fields and save; callback addresses are told (A073, A074, A075, A076, A077, A078, A079, A080, A081, A082, A086, A087, A089)", async ({
  rootServedPage: page,
}) => {
  await page.goto("/about");
  const seen = new Set<string>();
  for (const { tab, id, cards } of OPTION_TABS.flatMap(pagesOf)) {
    if (cards.length === 0) continue;
    // Read without laying it out: every-screen.spec.ts looks at these pages.
    const found = await page.evaluate(async (path) => {
      const html = new DOMParser().parseFromString(await (await fetch(path)).text(), "text/html");
      // What the server sends late comes in a hidden element of this name.
      const isShown = (element: Element) => !element.closest("[hidden]:not([id^='S:'])");
      const keysIn = (card: Element) =>
        [...card.querySelectorAll("[data-option]")].map((option) => option.getAttribute("data-option"));
      const sections = [...html.querySelectorAll("section[id]")].filter(isShown);
      return {
        saves: html.querySelectorAll("[data-save-bar] button[type=submit]").length,
        cards: sections.map((card) => ({ id: card.id, keys: keysIn(card), text: card.textContent ?? "" })),
      };
    }, `/setting?tab=${tab}&page=${id}`);
    expect(found.saves, id).toBe(1);
    for (const card of cards) {
      seen.add(card);
      const shown = found.cards.filter((one) => one.id === card);
      expect(shown, card).toHaveLength(1);
      for (const key of OPTIONS[card]?.split(" ") ?? [])
        expect(
          shown[0]?.keys.filter((one) => one === key),
          key,
        ).toHaveLength(1);
      if (card === "github" || card === "linuxdo") expect(shown[0]?.text).toContain(`/oauth/${card}`);
    }
  }
  expect([...seen]).toEqual(expect.arrayContaining([...Object.keys(OPTIONS), "github", "linuxdo"]));
});

/** How many changes of an option the audit log has. */
const changesOf = async (key: string): Promise<number> =>
  withDatabase(async (sql) => {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from audit_entries where subject = ${`option:${key}`}`;
    return row?.count ?? 0;
  });

test("only what changed is saved, each on its own; defaults show and come back; the history of a setting shows what changed and brings it back (A131)", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  const before = { RetryTimes: await changesOf("RetryTimes"), TopUpLink: await changesOf("TopUpLink") };
  await setting.open("general");
  await expect(setting.option("RetryTimes")).toContainText("Default: 3");
  await setting.input("RetryTimes").fill("4");
  await setting.input("TopUpLink").fill("https://shop.example");
  await expect(setting.saveBar).toContainText("2 unsaved changes");
  await setting.saveWell();
  await expect(setting.input("RetryTimes")).toHaveValue("4");
  expect(await changesOf("RetryTimes")).toBe(before.RetryTimes + 1);
  expect(await changesOf("TopUpLink")).toBe(before.TopUpLink + 1);
  // An option on the same card that no other test changes.
  expect(await changesOf("DisplayTokenStatEnabled")).toBe(0);
  await setting.option("RetryTimes").getByRole("button", { name: "Reset to default: Retries on failure" }).click();
  await expect(setting.input("RetryTimes")).toHaveValue("3");
  await setting.saveWell();

  await setting.option("RetryTimes").getByRole("button", { name: "History: Retries on failure" }).click();
  const history = rootPage.getByRole("dialog");
  await expect(history.getByRole("listitem")).not.toHaveCount(0);
  await expect(history.getByRole("listitem").first()).toContainText("Back to default");
  await expect(history.getByRole("listitem").nth(1)).toContainText("root");
  await expectAccessible(rootPage, { within: history });
  await history.getByRole("listitem").nth(1).getByRole("button", { name: "Restore" }).click();
  await expect(setting.input("RetryTimes")).toHaveValue("4");
});

test("an invalid field is marked, 请检查输入 is said and nothing is sent; JSON that is none is named by its field, for each of the six and the top-up ratio (A149, A152, A153, A158, A159)", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  await setting.chinese();
  const cases = [
    ["dashboard", "DataExportInterval", "0", "不能小于 1"],
    ["monitoring", "QuotaRemindThreshold", "-1", "不能小于 0"],
    ["monitoring", "ChannelDisableThreshold", "-1", "不能小于 0"],
    ["quota", "QuotaForNewUser", "-1", "不能小于 0"],
    ["general", "RetryTimes", "a", "请输入数字"],
  ] as const;
  await setOptions({ ServerAddress: "https://weir.example" });
  const posts: string[] = [];
  rootPage.on("request", (request) => void (request.method() === "POST" ? posts.push(request.url()) : undefined));
  await setting.open("dashboard");
  for (const [card, key, value, message] of cases) {
    await setting.turnTo(card);
    await setting.input(key).fill(value);
    await setting.save();
    await expect(setting.option(key)).toContainText(message);
    await expect(setting.input(key)).toHaveAttribute("aria-invalid", "true");
    // The focus is where the mistake is, and the field names its message.
    await expect(setting.input(key)).toBeFocused();
    await expect(setting.input(key)).toHaveAccessibleDescription(new RegExp(message));
    await setting.saveBar.getByRole("button", { name: "放弃修改" }).click();
  }
  await expectAccessible(rootPage);

  const fields = {
    groups: ["GroupRatio", "UserUsableGroups"],
    pricing: ["ModelPrice", "ModelRatio", "CompletionRatio"],
    chats: ["Chats"],
  };
  for (const [card, keys] of Object.entries(fields)) {
    await setting.turnTo(card as OptionCard);
    await setting.card(card).getByRole("button", { name: "JSON" }).click();
    for (const key of keys) await setting.input(key).fill("{a");
    await setting.save();
    for (const key of keys) {
      await expect(setting.option(key).getByRole("alert")).toHaveText(/不是合法的 JSON 字符串$/);
    }
    await expect(setting.said("请检查输入").first()).toBeVisible();
    await setting.saveBar.getByRole("button", { name: "放弃修改" }).click();
  }
  expect(posts).toEqual([]);
  await setting.turnTo("payment");
  await setting.card("payment").getByRole("button", { name: "JSON" }).click();
  await setting.input("TopupGroupRatio").fill("{a");
  await setting.save();
  await expect(setting.said("充值分组倍率不是合法的 JSON 字符串")).toBeVisible();
  await expect(setting.option("TopupGroupRatio").getByRole("alert")).toHaveText("充值分组倍率不是合法的 JSON 字符串");
});

test("saving without a change says so; when one of two is refused the rest is saved and it says so; when all are, that; payment settings need a server address first, in zh; slashes at the end go (A148, A150, A154, A213, A214)", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  await setting.chinese();
  await setOptions({ ServerAddress: "" });
  await setting.open("general");
  await setting.save();
  await expect(setting.said("你似乎并没有修改什么")).toBeVisible();
  await setOptions({ RetryTimes: "7" });
  await setting.input("RetryTimes").fill("5");
  await setting.input("TopUpLink").fill("https://other.example");
  await setting.save();
  await expect(setting.said("部分保存失败，请重试")).toBeVisible();
  await expect(setting.option("RetryTimes")).toContainText("已被他人修改");
  await expect(setting.saveBar).toContainText("1 项未保存的修改");
  await setOptions({ RetryTimes: "8" });
  await setting.input("RetryTimes").fill("6");
  await setting.save();
  await expect(setting.said("保存失败，请重试").filter({ hasNotText: "部分" })).toBeVisible();
  await setting.saveBar.getByRole("button", { name: "放弃修改" }).click();

  await setting.turnTo("payment");
  await setting.input("EpayId").fill("1001");
  await setting.save();
  await expect(setting.said("请先填写服务器地址")).toBeVisible();
  await setting.saveBar.getByRole("button", { name: "放弃修改" }).click();
  await setting.turnTo("server");
  await setting.input("ServerAddress").fill("http://localhost:3000//");
  await setting.saveWell("保存成功");
  await expect(setting.input("ServerAddress")).toHaveValue("http://localhost:3000");
});

test("clearing logs needs a time, says how many there are and asks; a month ago is proposed (A160, A202, A231)", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  await setting.chinese();
  await setting.open("log");
  const card = setting.card("log");
  const day = card.locator("input[type=date]");
  const timeOfDay = card.getByLabel("清除此时间之前的日志：时刻");
  await expect(day).not.toHaveValue("");
  const proposed = new Date(`${await day.inputValue()}T${await timeOfDay.inputValue()}`);
  const expected = new Date();
  expected.setMonth(expected.getMonth() - 1);
  expect(Math.abs(proposed.getTime() - expected.getTime())).toBeLessThan(5 * 60_000);
  await day.fill("");
  await timeOfDay.fill("");
  await card.getByRole("button", { name: "清除历史日志" }).click();
  await expect(setting.said("请选择日志记录时间")).toBeVisible();
  await day.fill("2020-01-01");
  await card.getByRole("button", { name: "清除历史日志" }).click();
  const dialog = rootPage.getByRole("dialog");
  await expect(dialog).toContainText("清除 0 条日志？");
  await dialog.getByRole("button", { name: "清除历史日志" }).click();
  await expect(setting.said("已清除 0 条日志")).toBeVisible();
});

test("payment settings need a server address first, in en; secrets are written, and never shown; turning password login off names the risk first; cancel leaves it on; a switch that needs something else is refused beside it (A088, A148, A151)", async ({
  rootPage,
}) => {
  const setting = new SettingPage(rootPage);
  await setOptions({ ServerAddress: "" });
  await setting.open("payment");
  await setting.save();
  await expect(setting.said("Enter the server address first")).toBeVisible();
  await setting.turnTo("smtp");
  const secret = setting.input("SMTPToken");
  await expect(secret).toHaveAttribute("placeholder", "Not set");
  await secret.fill("mail-secret");
  await setting.saveWell();
  await expect(secret).toHaveValue("");
  await expect(secret).toHaveAttribute("placeholder", "Saved and never shown. Leave empty to keep it.");
  await setting.input("SMTPAccount").fill("mailer");
  await setting.saveWell();
  await expect(setting.option("SMTPToken")).toContainText("Set");
  expect(await rootPage.content()).not.toContain("mail-secret");

  await setting.turnTo("login");
  const toggle = setting.switch("PasswordLoginEnabled");
  await toggle.click();
  const dialog = rootPage.getByRole("dialog");
  await expect(dialog).toContainText("administrators included");
  await expectAccessible(rootPage, { within: dialog });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(toggle).toBeChecked();
  await expect(setting.saveBar).not.toContainText("unsaved");

  await setting.switch("TelegramOAuthEnabled").click();
  await setting.save();
  await expect(setting.option("TelegramOAuthEnabled").getByRole("alert")).toContainText("Telegram bot token");
  await setting.saveBar.getByRole("button", { name: "Discard" }).click();
  await expect(setting.switch("TelegramOAuthEnabled")).not.toBeChecked();
});

test.describe("model prices", () => {
  test("rows are the union of three maps, ten a page, found by name, added and deleted; a fixed price disables the ratios and is written without them; USD and ratio follow each other; saving applies them all; resetting the model ratios asks first and puts the built-in ones back (A083, A084, A085, A108, A132, A133, A134, A220)", async ({
    rootPage,
  }) => {
    const setting = new SettingPage(rootPage);
    const ratios = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`ratio-model-${index}`, index + 1]));
    await setOptions({
      ModelRatio: JSON.stringify(ratios),
      ModelPrice: JSON.stringify({ "price-model": 0.5 }),
      CompletionRatio: JSON.stringify({ "completion-model": 4, "ratio-model-1": 2 }),
      CacheRatio: "{}",
      ModelMeterPrices: "{}",
    });
    await setting.open("pricing");
    const card = setting.card("pricing");
    const rows = card.locator("tbody tr");
    await expect(rows).toHaveCount(10);
    await expect(card).toContainText("14 models");
    await card.getByRole("button", { name: "Next" }).click();
    await expect(rows).toHaveCount(4);
    await card.getByRole("searchbox", { name: "Search model names" }).fill("completion-");
    await expect(rows).toHaveCount(1);
    await card.getByRole("button", { name: "JSON" }).click();
    for (const key of ["ModelPrice", "ModelRatio", "CompletionRatio"]) await expect(setting.input(key)).toBeVisible();
    await card.getByRole("button", { name: "Side by side" }).click();
    await expect(rows.first()).toBeVisible();
    await expect(setting.input("ModelRatio")).toBeVisible();

    await card.getByRole("searchbox").fill("ratio-model-10");
    await expect(rows).toHaveCount(1);
    await card.getByRole("button", { name: "Delete ratio-model-10" }).click();
    await expect(rows.filter({ hasText: "ratio-model-10" })).toHaveCount(0);
    await card.getByRole("searchbox").fill("");
    await card.getByRole("button", { name: "Add model" }).click();
    const dialog = rootPage.getByRole("dialog");
    await dialog.getByLabel("Model name").fill("table-model-new");
    await dialog.getByLabel("Model ratio").fill("2.5");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await card.getByRole("searchbox").fill("ratio-model-1");
    const inForce = async () => {
      const answer = await rootPage.request.get("/api/option/", { headers: { "new-api-user": "1" } });
      const { data } = (await answer.json()) as { data: { key: string; value: string }[] };
      return JSON.parse(data.find(({ key }) => key === "ModelRatio")?.value ?? "{}") as Record<string, number>;
    };
    const field = (name: string) => card.getByRole("textbox", { name: `ratio-model-1: ${name}`, exact: true });
    await field("Prompt price (￥/1M)").fill("10");
    await expect(field("Model ratio")).toHaveValue("5");
    await field("Completion price (￥/1M)").fill("40");
    await expect(field("Completion ratio")).toHaveValue("4");
    await field("Fixed price (￥/call)").fill("0.25");
    await expect(field("Model ratio")).toBeDisabled();
    await expect(field("Completion ratio")).toBeDisabled();
    await card.getByRole("combobox", { name: "ratio-model-1: Pricing mode" }).selectOption("ratio");
    await expect(field("Model ratio")).toBeEnabled();
    await field("Fixed price (￥/call)").fill("0.25");
    // Nothing takes effect before it is saved.
    expect(await inForce()).toMatchObject({ "ratio-model-1": 2, "ratio-model-10": 11 });
    expect(await inForce()).not.toHaveProperty("table-model-new");
    await setting.saveWithEffect();
    expect(await inForce()).toMatchObject({ "table-model-new": 2.5, "ratio-model-0": 1 });
    expect(await inForce()).not.toHaveProperty("ratio-model-10");
    await card.getByRole("button", { name: "JSON" }).click();
    expect(JSON.parse(await setting.input("ModelPrice").inputValue())).toMatchObject({ "ratio-model-1": 0.25 });
    expect(JSON.parse(await setting.input("ModelRatio").inputValue())).not.toHaveProperty("ratio-model-1");

    await card.getByRole("button", { name: "Reset model ratios" }).click();
    await rootPage.getByRole("dialog").getByRole("button", { name: "Reset model ratios" }).click();
    await expect(setting.said("Model ratios were reset")).toBeVisible();
    await expect(setting.input("ModelRatio")).toHaveValue("{}");
    await setOptions({ ModelPrice: "{}", CompletionRatio: "{}" });
  });

  test("a text is no number, a name is needed and must be new (A155, A156, A157)", async ({ rootPage }) => {
    const setting = new SettingPage(rootPage);
    await setting.chinese();
    await setOptions({ ModelPrice: JSON.stringify({ "price-model": 0.5 }) });
    await setting.open("pricing");
    const card = setting.card("pricing");
    await card.getByRole("button", { name: "添加模型" }).click();
    const dialog = rootPage.getByRole("dialog");
    await dialog.getByRole("button", { name: "添加", exact: true }).click();
    await expect(dialog.getByText("请输入名称")).toBeVisible();
    await dialog.getByLabel("模型名称").fill("price-model");
    await dialog.getByLabel("模型倍率").fill("abc");
    await dialog.getByRole("button", { name: "添加", exact: true }).click();
    await expect(dialog.getByText("模型名称已存在")).toBeVisible();
    await expect(dialog.getByText("请输入数字")).toBeVisible();
    await expectAccessible(rootPage, { within: dialog });
    await dialog.getByLabel("模型名称").fill("brand-new");
    await dialog.getByLabel("模型倍率").fill("2");
    await dialog.getByRole("button", { name: "添加", exact: true }).click();
    await expect(card.locator("tbody tr").first()).toContainText("brand-new");
    await card.getByRole("textbox", { name: "brand-new: 模型倍率" }).fill("x");
    await expect(card.locator("tbody").getByText("请输入数字")).toBeVisible();
    await setting.save();
    await expect(setting.said("请检查输入")).toBeVisible();
    await setting.saveBar.getByRole("button", { name: "放弃修改" }).click();
    await expect(card.locator("tbody").getByText("brand-new")).toHaveCount(0);
  });
});

test("group names must be unique; models have fallbacks and limits of their own; the collapsed sidebar and other settings show in the shell; scripts in previewed HTML do not run (A090, B129, B204)", async ({
  rootPage,
  problems,
}) => {
  const setting = new SettingPage(rootPage);
  await setting.open("groups");
  const card = setting.card("groups");
  await card.getByRole("button", { name: "Add group" }).click();
  // Other specs may have groups of their own meanwhile.
  const added = card.getByRole("textbox", { name: /^Group name \d+$/ }).last();
  await added.fill("vip");
  await expect(card.getByText("Group names must be unique")).toBeVisible();
  await setting.save();
  await expect(setting.said("Check your input")).toBeVisible();
  await added.fill("gold");
  await setting.saveWithEffect();
  await card.getByRole("button", { name: "Delete gold" }).click();
  await setting.saveWithEffect();

  await setting.turnTo("failover");
  const fallbacks = setting.option("ModelFallbacks");
  await fallbacks.getByRole("button", { name: "Add model" }).click();
  await fallbacks.getByRole("textbox", { name: "Model 1" }).fill("gpt-4o");
  await fallbacks.getByRole("textbox", { name: /^Tried in turn/ }).fill("gpt-4o");
  await expect(fallbacks.getByText("Enter one to five other models")).toBeVisible();
  await fallbacks.getByRole("textbox", { name: /^Tried in turn/ }).fill("gpt-4.1, claude-sonnet-4");
  const limits = setting.option("UpstreamModelLimits");
  await limits.getByRole("button", { name: "Add model" }).click();
  await limits.getByRole("textbox", { name: "Model, or prefix* 1" }).fill("o1*");
  await limits.getByRole("textbox", { name: "First token of a stream 1" }).fill("0.5");
  await setting.saveWell();

  await setting.turnTo("general");
  await setting.switch("DefaultCollapseSidebar").click();
  await setting.saveWell();

  await setting.turnTo("about");
  await setting.input("About").fill("# About us\n\nSome *text*.");
  await setting.card("about").getByRole("button", { name: "Preview" }).click();
  const preview = setting.card("about").getByRole("region", { name: "Preview" });
  await expect(preview.getByRole("heading", { name: "About us" })).toBeVisible();
  await setting.saveWell();
  await setting.turnTo("name");
  await setting.input("SystemName").fill("Weir Test");
  await setting.saveWell();

  // Sidebar and name are as the options say when a page is loaded.
  await setting.open("failover");
  await expect(rootPage.getByRole("banner")).toContainText("Weir Test");
  await expect(rootPage.getByRole("button", { name: "Expand the sidebar" })).toBeVisible();
  await expect(fallbacks.getByRole("textbox", { name: /^Tried in turn/ })).toHaveValue("gpt-4.1, claude-sonnet-4");
  await expect(limits.getByRole("textbox", { name: "First token of a stream 1" })).toHaveValue("0.5");
  await expect(limits.getByRole("textbox", { name: "Connection timeout 1" })).toHaveValue("");
  await setOptions({ DefaultCollapseSidebar: "false" });

  await setting.turnTo("name");
  await setting.option("SystemName").getByRole("button", { name: "Reset to default: System name" }).click();
  await setting.saveWell();
  await setting.input("Footer").fill("<b>footer</b><script>top.document.title='broken'</script>");
  await setting.card("footer").getByRole("button", { name: "Preview" }).click();
  await expect(setting.card("footer").frameLocator("iframe").getByText("footer")).toBeVisible();
  expect(await rootPage.title()).not.toBe("broken");
  ignoreBlockedScripts(problems);
});

test("on a phone the operation settings do not scroll sideways with prices and chat links in them", async ({
  rootServedPage: page,
}) => {
  const setting = new SettingPage(page);
  await setOptions({
    ModelRatio: JSON.stringify({ "gpt-4o": 1.25 }),
    Chats: JSON.stringify([{ Chat: "https://chat.example/a-rather-long-path/?key={key}&address={address}" }]),
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(settingPath("chats"));
  await expectFits(page);
  await page.goto(settingPath("pricing"));
  await expectFits(page);
  for (const field of await setting.card("pricing").locator("tbody input").all()) {
    const box = await field.boundingBox();
    expect((box?.x ?? 0) + (box?.width ?? 0), "a price is not cut off").toBeLessThanOrEqual(390 - 16);
  }
});

test("the audit log is filtered by action and subject and opens what changed, accessible in both themes", async ({
  rootPage,
}) => {
  await setOptions({ RetryTimes: "11", ChannelDisableThreshold: "12" });
  await rootPage.goto("/audit?action=option.set&subject=option:RetryTimes");
  const rows = rootPage.locator("tbody tr");
  await expect(rows.first()).toContainText("Change setting");
  await expect(rows.filter({ hasNotText: "RetryTimes" })).toHaveCount(0);
  await rows
    .first()
    .getByRole("button", { name: /^Show the changes/ })
    .click();
  await expect(rootPage.locator("tbody ins").first()).toBeVisible();
  await expectAccessible(rootPage);
  await turn(rootPage, "dark");
  await expectAccessible(rootPage, { rules: COLOUR_RULES });
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await expect(rootPage).toHaveURL(/\/audit$/);
});
