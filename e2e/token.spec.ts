import { expect, expectAccessible, test, uniqueName } from "./fixtures";
import { TokenPage } from "./pages/token-page";

const inChinese = () => ({ name: "locale", value: "zh", url: process.env.WEIR_E2E_URL ?? "" });

test("a new token's key is shown once, then masked, revealed on demand and copied; columns and actions are the customer's (B072, B074, B075, B076, B077, B079, B141, B194, B261, B303)", async ({
  rootPage,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("reveal");
  await tokens.open();
  await expect(rootPage.getByRole("note")).toContainText("for your own use only");
  await expect(rootPage.getByRole("button", { name: "Copy selected API keys" })).toBeVisible();
  const key = await tokens.create(name);
  expect(key).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  const row = tokens.row(name);

  await test.step("the key is masked, and revealed on demand", async () => {
    await expect(row).toContainText(`${key.slice(0, 7)}…${key.slice(-4)}`);
    await expect(row).not.toContainText(key);
    await row.getByRole("button", { name: `Reveal the key of ${name}` }).click();
    await expect(row).toContainText(key);
    await row.getByRole("button", { name: `Hide the key of ${name}` }).click();
    await expect(row).not.toContainText(key);
  });

  await test.step("columns and row actions", async () => {
    for (const header of ["Name", "Status", "Spent", "Remaining", "Created at", "Expires at"])
      await expect(rootPage.getByRole("columnheader", { name: header })).toBeAttached();
    await expect(row).toContainText("Unlimited");
    await expect(row).toContainText("Never expires");
    await expect(row).toContainText("User group");
    for (const action of [`Reveal the key of ${name}`, `Copy the key of ${name}`, `Chat with ${name}`, `Edit ${name}`])
      await expect(row.getByRole("button", { name: action })).toBeVisible();
    await row.getByRole("button", { name: `More actions for ${name}` }).click();
    await expect(rootPage.getByRole("menuitem")).toHaveText(["Disable", "Rotate key", "Delete"]);
    await rootPage.keyboard.press("Escape");
  });

  await test.step("copying the selected tokens needs one; lines are name, four spaces, key", async () => {
    await rootPage.getByRole("button", { name: "Copy selected API keys" }).click();
    await expect(rootPage.getByText("Select at least one API key.")).toBeVisible();
    await rootPage.getByLabel(`Select API key ${name}`).check();
    await rootPage.getByRole("button", { name: /^Copy selected API keys/ }).click();
    await expect.poll(() => rootPage.evaluate(() => navigator.clipboard.readText())).toBe(`${name}    ${key}`);
  });

  await test.step("a browser that refuses the clipboard shows the text to copy by hand", async () => {
    await rootPage.evaluate(() => {
      Object.defineProperty(navigator, "clipboard", { value: { writeText: () => Promise.reject(new Error("no")) } });
      document.execCommand = () => false;
    });
    await row.getByRole("button", { name: `Copy the key of ${name}` }).click();
    const dialog = rootPage.getByRole("dialog", { name: "Could not copy to the clipboard. Copy the text manually." });
    await expect(dialog.getByLabel("Text to copy")).toHaveValue(/^sk-/);
  });
});

test("filters are in the address and survive a reload; search finds by name and by key (B073)", async ({
  rootPage,
}) => {
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("filter");
  const key = await tokens.make(name);
  await tokens.open();
  await rootPage.keyboard.press("/");
  await rootPage.keyboard.type(name);
  await expect(rootPage).toHaveURL(new RegExp(`keyword=${name}`));
  await expect(rootPage.getByText("Items 1 - 1 of 1")).toBeVisible();
  await rootPage.reload();
  await expect(tokens.row(name)).toBeVisible();
  await rootPage.getByRole("search").getByLabel("Search by name").fill("no-such-token-anywhere");
  await expect(rootPage.getByText("No matching API keys")).toBeVisible();
  await rootPage.getByRole("button", { name: "Clear filters" }).click();
  await expect(rootPage).toHaveURL(/\/token$/);
  await rootPage.getByLabel("Find by key").fill(key);
  await expect(rootPage.getByText("Items 1 - 1 of 1")).toBeVisible();
  await expect(tokens.row(name)).toBeVisible();
});

test("the drawer refuses a token without a name at its field, and has quick expiry, presets with the equivalent amount, and a batch, whose new keys it shows at once and offers as a file; own limits and models are set in it and seen in the row (B078, B081, B082, B083, B084, B193, B284, B285, B287)", async ({
  rootPage,
}) => {
  const tokens = new TokenPage(rootPage);
  await tokens.open("?create=true");
  const drawer = rootPage.getByRole("dialog", { name: "Add API key" });
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  const expiry = drawer.getByLabel("Expires at");
  const before = Date.now();
  await drawer.getByRole("button", { name: "One hour" }).click();
  const typed = await expiry.inputValue();
  const after = Date.now();
  expect(typed).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  const base = new Date(typed).getTime() - 3_600_000;
  expect(base).toBeGreaterThan(before - 2_000);
  expect(base).toBeLessThan(after + 2_000);
  for (const quick of ["One month", "One day", "One minute"])
    await expect(drawer.getByRole("button", { name: quick })).toBeVisible();
  await drawer.getByRole("button", { name: "Never expires" }).click();
  await expect(expiry).toHaveValue("");
  await expect(drawer.getByLabel("Amount left to spend", { exact: true })).toHaveValue("1");
  await drawer.getByRole("button", { name: "￥50", exact: true }).click();
  await expect(drawer.getByLabel("Amount left to spend", { exact: true })).toHaveValue("50");
  await drawer.getByRole("button", { name: "20", exact: true }).click();
  await expect(drawer.getByLabel("Quantity")).toHaveValue("20");
  for (const count of ["10", "30", "100"])
    await expect(drawer.getByRole("button", { name: count, exact: true })).toBeVisible();
  await expect(drawer.getByLabel("Name")).toHaveAttribute("aria-invalid", "true");
  await expectAccessible(rootPage, { within: drawer });

  const name = uniqueName("batch");
  await drawer.getByLabel("Name").fill(name);
  await drawer.getByLabel("Quantity").fill("3");
  await drawer.getByRole("button", { name: "Submit" }).click();
  const result = rootPage.getByRole("dialog", { name: "API key created" });
  await expect(result.getByTestId("new-key")).toHaveCount(3);
  await expect(result.getByText(new RegExp(`^${name}-[A-Za-z0-9]{6}$`))).toHaveCount(2);
  const [file] = await Promise.all([
    rootPage.waitForEvent("download"),
    result.getByRole("button", { name: "Download" }).click(),
  ]);
  expect(file.suggestedFilename()).toBe(`${name}.txt`);
  await expectAccessible(rootPage, { within: result });
  await result.getByRole("button", { name: "I have saved it" }).click();

  await test.step("limits and models", async () => {
    const limited = uniqueName("limits");
    await rootPage.getByRole("button", { name: "Add API key" }).first().click();
    const models = drawer.getByLabel("Allowed models");
    await expect(models).toBeDisabled();
    await drawer.getByRole("switch", { name: "Limit models" }).click();
    await models.fill("gpt-4o");
    await models.press("Enter");
    await drawer.getByLabel("Name").fill(limited);
    await drawer.getByLabel("Group").selectOption("default");
    await expect(drawer.getByText("1x ratio", { exact: true })).toBeVisible();
    await drawer.getByLabel("IP allowlist").fill("10.0.0.0/8\nnot-an-address");
    await drawer.getByLabel("IP blocklist").fill("10.1.2.3");
    await drawer.getByRole("switch", { name: "Rate limit" }).click();
    await drawer.getByLabel("Requests", { exact: true }).fill("5");
    await drawer.getByLabel("Window (seconds)").fill("30");
    await drawer.getByLabel("Rate limit error message").fill("Slow down, please");
    await drawer.getByRole("button", { name: "Submit" }).click();
    await expect(drawer.getByLabel("IP allowlist")).toHaveAttribute("aria-invalid", "true");
    await drawer.getByLabel("IP allowlist").fill("10.0.0.0/8");
    await drawer.getByRole("button", { name: "Submit" }).click();
    await result.getByRole("button", { name: "I have saved it" }).click();
    await expect(tokens.row(limited)).toContainText("Enabled, models limited");
    await expect(tokens.row(limited)).toContainText("IP restricted");
    await expect(tokens.row(limited)).toContainText("5 / 30 s");
    await rootPage.getByRole("button", { name: `Edit ${limited}` }).click();
    const edit = rootPage.getByRole("dialog", { name: "Edit API key" });
    await expect(edit.getByLabel("IP blocklist")).toHaveValue("10.1.2.3");
    await expect(edit.getByLabel("Rate limit error message")).toHaveValue("Slow down, please");
    await expect(edit.getByLabel("Quantity")).toHaveCount(0);
  });
});

test("a bad expiry, quota or number is refused at its field (B190, B191, B192)", async ({ rootPage }) => {
  const tokens = new TokenPage(rootPage);
  await rootPage.context().addCookies([inChinese()]);
  await tokens.open();
  await rootPage.getByRole("button", { name: "复制所选令牌" }).click();
  await expect(rootPage.getByText("请至少选择一个令牌！", { exact: true })).toBeVisible();
  await rootPage.getByRole("button", { name: "添加令牌" }).first().click();
  const drawer = rootPage.getByRole("dialog", { name: "添加令牌" });
  const submit = drawer.getByRole("button", { name: "提交" });
  await drawer.getByLabel("名称", { exact: true }).fill(uniqueName("bad"));
  await drawer.getByLabel("过期时间", { exact: true }).fill("soon");
  await submit.click();
  await expect(drawer.getByText("过期时间格式错误！")).toBeVisible();
  await drawer.getByLabel("过期时间", { exact: true }).fill("");
  for (const [amount, refusal] of [
    ["-5", "金额不能小于 0"],
    ["0.0000015", "最多 6 位小数"],
    ["0.000003", "金额必须是 ￥0.000002 的整数倍"],
    ["1,000", "请不要使用千位逗号，小数请用点号"],
    ["x", "请输入金额，例如 10 或 0.25"],
  ] as const) {
    await drawer.getByLabel("额度", { exact: true }).fill(amount);
    await submit.click();
    await expect(drawer.getByText(refusal)).toBeVisible();
  }
  await drawer.getByLabel("额度", { exact: true }).fill("5");
  for (const count of ["0", "-1", "x"]) {
    await drawer.getByLabel("新建数量").fill(count);
    await submit.click();
    await expect(drawer.getByText("数量必须是 1 到 100 之间的整数")).toBeVisible();
  }
});

test("a key is limited to operations, shown beside its status, and freed again; it is switched off and on, gets another key, shown once; an edit opens from the address and keeps what was saved; it is deleted, each with its own word", async ({
  rootPage,
}) => {
  const tokens = new TokenPage(rootPage);
  const name = uniqueName("operations");
  const key = await tokens.make(name);
  await tokens.open(`?keyword=${name}`);
  const edit = async (change: (drawer: ReturnType<typeof rootPage.getByRole>) => Promise<void>) => {
    await rootPage.getByRole("button", { name: `Edit ${name}` }).click();
    const drawer = rootPage.getByRole("dialog");
    await change(drawer);
    await drawer.getByRole("button", { name: "Submit" }).click();
    await drawer.waitFor({ state: "hidden" });
  };
  await edit(async (drawer) => {
    await drawer.getByRole("checkbox", { name: "Embeddings" }).check();
    await drawer.getByRole("checkbox", { name: "Reranking" }).check();
    await expectAccessible(rootPage);
  });
  await expect(tokens.row(name)).toContainText("Only Embeddings, Reranking");
  await edit(async (drawer) => {
    await drawer.getByRole("checkbox", { name: "Embeddings" }).uncheck();
    await drawer.getByRole("checkbox", { name: "Reranking" }).uncheck();
  });
  await expect(tokens.row(name)).not.toContainText("Only");

  await tokens.choose(name, "Disable");
  await expect(tokens.row(name).getByText("Disabled")).toBeVisible();
  await tokens.choose(name, "Enable");
  await expect(tokens.row(name).getByText("Enabled")).toBeVisible();

  await tokens.choose(name, "Rotate key");
  await rootPage
    .getByRole("dialog", { name: `Rotate the key of “${name}”?` })
    .getByRole("button", { name: "Rotate key" })
    .click();
  const fresh = (await rootPage.getByTestId("new-key").textContent()) ?? "";
  expect(fresh).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  expect(fresh).not.toBe(key);
  await expect(rootPage.locator("pre")).toContainText(fresh);
  await rootPage.getByRole("button", { name: "I have saved it" }).click();
  await expect(tokens.row(name)).toContainText(fresh.slice(-4));

  await rootPage.getByRole("button", { name: `Edit ${name}` }).click();
  await expect(rootPage).toHaveURL(/edit=\d+/);
  await rootPage.reload();
  const drawer = rootPage.getByRole("dialog", { name: "Edit API key" });
  await drawer.getByLabel("Name").fill(`${name}-b`);
  await drawer.getByRole("button", { name: "One month" }).click();
  await drawer.getByRole("button", { name: "Submit" }).click();
  await expect(drawer).toBeHidden();
  await expect(tokens.row(`${name}-b`)).toBeVisible();
  await expect(rootPage).not.toHaveURL(/edit=/);

  await tokens.choose(`${name}-b`, "Delete");
  const confirm = rootPage.getByRole("dialog", { name: `Delete API key “${name}-b”?` });
  await expectAccessible(rootPage, { within: confirm });
  await confirm.getByRole("button", { name: "Delete" }).click();
  await expect(tokens.row(`${name}-b`)).toHaveCount(0);
});
