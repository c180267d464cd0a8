import type { Locator, Page } from "@playwright/test";
import { asRoot, call, setOptions } from "./accounts";
import { COLOUR_RULES, expect, expectAccessible, expectFits, turn } from "./fixtures";
import { test } from "./own-server";
import { ChannelPage } from "./pages/channel-page";

// Operators' texts are site-wide options, so these tests have their own server and run in order.
test.describe.configure({ mode: "serial" });

/** What Safari sends for the key that ends a composition: it is over, and only the code tells. */
const composed = (field: Locator, key: string) =>
  field.evaluate((element, name) => {
    element.dispatchEvent(new CompositionEvent("compositionend", { bubbles: true, data: "字" }));
    const press = { key: name, code: name, keyCode: 229, which: 229, bubbles: true, cancelable: true };
    element.dispatchEvent(new KeyboardEvent("keydown", press));
  }, key);

test("the key press that takes or drops a composed word does nothing else, in every kind of field; a tag's row is selected with all its channels, also while it is closed, and bulk actions hold for them", async ({
  rootPage,
}) => {
  const channels = new ChannelPage(rootPage);
  const [first = "", second = "", loose = ""] = await channels.make("picked", [
    { tag: "picked" },
    { tag: "picked" },
    {},
  ]);

  await rootPage.goto("/playground");
  const question = rootPage.getByRole("textbox", { name: "Question" });
  await question.fill("half");
  await composed(question, "Enter");
  await expect(question).toHaveValue("half");

  await channels.open("?keyword=picked&create=true");
  const drawer = rootPage.getByRole("dialog", { name: "Add channel" });
  const models = drawer.getByLabel("Models", { exact: true });
  await models.fill("my-model");
  await composed(models, "Enter");
  await expect(models).toHaveValue("my-model");
  await models.press("Enter");
  await expect(drawer.locator("[data-slot=tag-item]", { hasText: "my-model" })).toBeVisible();
  await composed(drawer.getByLabel("Name", { exact: true }), "Escape");
  await expect(drawer).toBeVisible();
  await drawer.getByRole("button", { name: "Cancel" }).click();
  await rootPage
    .getByRole("dialog", { name: "Discard unsaved changes?" })
    .getByRole("button", { name: "Discard changes" })
    .click();
  await expect(drawer).toBeHidden();

  const priority = rootPage.getByRole("button", { name: new RegExp(`^Priority of ${loose}`) });
  await priority.click();
  const number = rootPage.getByRole("textbox", { name: new RegExp(`^Priority of ${loose}`) });
  await number.fill("7");
  await composed(number, "Enter");
  await composed(number, "Escape");
  await expect(number).toHaveValue("7");
  await number.press("Escape");

  await rootPage.keyboard.press("Control+k");
  const palette = rootPage.getByRole("dialog").getByRole("combobox");
  await palette.fill("API keys");
  await composed(palette, "Enter");
  await composed(palette, "Escape");
  await expect(palette).toHaveValue("API keys");
  await expect(rootPage).toHaveURL(/\/channel/);
  await palette.press("Escape");
  await expect(palette).toBeHidden();

  await test.step("a tag's row", async () => {
    await rootPage.getByRole("switch", { name: "Group by tag" }).click();
    await rootPage.getByRole("checkbox", { name: "Select the 2 channels of tag picked" }).check();
    await expect(rootPage.getByText("2 channels selected")).toBeVisible();
    await rootPage.getByRole("button", { name: "Tag: picked" }).click();
    await expect(rootPage.getByRole("checkbox", { name: `Select channel ${first}` })).toBeChecked();
    await expect(rootPage.getByRole("checkbox", { name: `Select channel ${loose}` })).not.toBeChecked();
    await expectAccessible(rootPage);
    const bar = rootPage.getByRole("region", { name: "Bulk actions" });
    await bar.getByRole("button", { name: "Disable", exact: true }).click();
    const dialog = rootPage.getByRole("dialog");
    await dialog.getByRole("button", { name: "Apply to 2 channels" }).click();
    await channels.expectStored(first, { status: 2 });
    await channels.expectStored(second, { status: 2 });
    await channels.expectStored(loose, { status: 1 });
  });
});

const WIDE_WORD = "x".repeat(400);
const MARKDOWN = [
  "# Heading",
  "## Second",
  "A paragraph with `code`, a [link](https://example.com) and **weight**.",
  "> A quotation\n> of two lines",
  "- one\n- two\n  1. first\n  2. second",
  `| ${Array.from({ length: 14 }, (_, at) => `Column ${at}`).join(" | ")} |`,
  `|${"--|".repeat(14)}`,
  `| ${Array.from({ length: 14 }, (_, at) => `value-${at}`).join(" | ")} |`,
]
  .join("\n\n")
  .replace(/\|\n\n\|/g, "|\n|")
  .concat(`\n\n\`\`\`\ncurl ${WIDE_WORD}\n\`\`\`\n\n${WIDE_WORD}\n\n---\n\nعنوان بالعربية (1)`);

/** The theme of a page without scripts is the one that it was loaded in. */
async function loadDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" });
  await page.reload();
  await expect(page.locator("html")).toHaveClass(/dark/);
}

async function expectStyled(page: Page, where: string, darken = loadDark): Promise<void> {
  const text = page.locator(".rich-text").first();
  await expect(text, where).toBeVisible();
  const style = (selector: string, property: string) =>
    text
      .locator(selector)
      .first()
      .evaluate((element, name) => getComputedStyle(element).getPropertyValue(name), property);
  expect(await style("td", "border-top-width"), where).toBe("1px");
  expect(await style("blockquote", "border-inline-start-width"), where).toBe("3px");
  expect(await style("ul", "list-style-type"), where).toBe("disc");
  expect(await style("ol", "list-style-type"), where).toBe("decimal");
  expect(await style("pre", "background-color"), where).not.toBe("rgba(0, 0, 0, 0)");
  const inside = () =>
    text.evaluate((element) =>
      [".rich-scroll", "pre"].map((selector) => {
        const box = element.querySelector(selector);
        const [edge, own] = [element.getBoundingClientRect().right, box?.getBoundingClientRect().right ?? Infinity];
        return box !== null && box.scrollWidth > box.clientWidth && own <= edge + 1;
      }),
    );
  await page.setViewportSize({ width: 390, height: 844 });
  await expect.poll(inside, { message: `${where}: wide content scrolls in its own box` }).toEqual([true, true]);
  await expectFits(page, `${where} at 390 px`);
  await expectAccessible(page, { within: text });
  await darken(page);
  await expectAccessible(page, { rules: COLOUR_RULES, within: text });
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await expectFits(page, `${where} at 1440 px`);
}

test("the operator's Markdown and HTML look the same wherever they show, in both themes and on a phone", async ({
  page,
  servedPage,
  rootCookies,
}) => {
  test.setTimeout(90_000);
  const html = "<h2>Heading</h2><blockquote>Quotation</blockquote><ul><li>a</li></ul><ol><li>b</li></ol>".concat(
    `<pre>${WIDE_WORD}</pre><table><tr>${"<td>a-cell-of-a-table</td>".repeat(14)}</tr></table>`,
  );
  await setOptions({ About: MARKDOWN, HomePageContent: MARKDOWN, Notice: "" });
  for (const path of ["/", "/about"]) {
    await servedPage.goto(path);
    await expectStyled(servedPage, path);
  }
  await setOptions({ HomePageContent: "", Notice: MARKDOWN });
  await page.goto("/");
  await expectStyled(page, "the notice of the home page", () => turn(page, "dark"));
  await servedPage.context().addCookies(rootCookies);
  await servedPage.goto("/detail");
  await expectStyled(servedPage, "the announcement of the console");
  await setOptions({ Notice: html });
  await servedPage.goto("/detail");
  await expectStyled(servedPage, "the announcement as HTML");
  await setOptions({ About: "", HomePageContent: "", Notice: "" });
});

const ARABIC = "مفتاح (1)";

/** Texts and fields that begin with an Arabic letter and go from left to right. */
const wrongWay = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const startsRight = (text: string) => /^[^\p{L}]*\p{Script=Arabic}/u.test(text);
    const found: string[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (
        !parent ||
        parent.closest("script,style,pre,code,option,textarea,title,svg") ||
        !startsRight(node.textContent ?? "")
      )
        continue;
      if (parent.checkVisibility() && getComputedStyle(parent).direction !== "rtl")
        found.push(parent.outerHTML.slice(0, 160));
    }
    for (const field of document.querySelectorAll<HTMLInputElement>("input, textarea"))
      if (startsRight(field.value) && getComputedStyle(field).direction !== "rtl")
        found.push(field.outerHTML.slice(0, 160));
    return found;
  });

/** Screens whose texts the server sends; they are looked at without scripts. */
const SHOWING = [
  "/about",
  "/pricing",
  "/status",
  "/detail",
  "/channel?tags=true",
  "/token",
  "/redemption",
  "/user",
  "/log",
  "/alert",
  "/audit",
  "/activity",
  "/playground",
  "/setting?tab=personal",
  "/setting?tab=other",
];

test("texts from right to left go in their direction on every screen that shows people's words", async ({
  rootPage,
  rootServedPage,
}) => {
  test.setTimeout(90_000);
  await setOptions({
    About: `# ${ARABIC}\n\n- ${ARABIC}`,
    HomePageContent: ARABIC,
    Notice: `> ${ARABIC}`,
    SystemName: ARABIC,
    StatusPageEnabled: true,
  });
  const ids = await asRoot(async (root) => {
    const channel = { type: 1, key: "sk-x", models: "gpt-4o", group: "default", base_url: "https://up.example" };
    await call(root, "POST", "/api/channel/", { ...channel, name: ARABIC, tag: ARABIC });
    await call(root, "POST", "/api/token/", { name: ARABIC, remain_quota: 5 });
    await call(root, "POST", "/api/redemption/", { name: ARABIC, quota: 5, count: 1 });
    await call(root, "POST", "/api/user/", { username: "arabic", password: "first-password", display_name: ARABIC });
    const newest = async (path: string) => {
      const rows = (await call(root, "GET", path)) as { id: number }[] | { items: { id: number }[] };
      return Math.max(...(Array.isArray(rows) ? rows : rows.items).map(({ id }) => id));
    };
    return {
      channel: await newest("/api/channel/?p=0&page_size=100"),
      token: await newest("/api/token/?p=0&size=100"),
      user: await newest("/api/user/?p=1&page_size=100"),
    };
  });
  const rows = [`/channel/${ids.channel}`, `/channel?keyword=${encodeURIComponent(ARABIC)}`, `/user/${ids.user}`];
  // Drawers are made by scripts.
  const drawers = [
    `/channel?edit=${ids.channel}`,
    `/channel?peek=${ids.channel}`,
    `/channel?tags=true&editTag=${encodeURIComponent(ARABIC)}`,
    `/token?edit=${ids.token}`,
    `/token?peek=${ids.token}`,
    `/user?edit=${ids.user}`,
  ];
  const wrong: string[] = [];
  const look = async (page: Page, path: string, late?: Locator) => {
    await page.goto(path);
    await expect(page.locator("div[aria-busy=true]:not([role=log])")).toHaveCount(0);
    if (late) await expect(late, path).toBeVisible();
    wrong.push(...(await wrongWay(page)).map((text) => `${path}: ${text}`));
  };
  for (const path of [...SHOWING, ...rows]) await look(rootServedPage, path);
  // The notice of the home page comes late, too.
  await look(rootPage, "/", rootPage.locator("blockquote", { hasText: ARABIC }));
  for (const path of drawers) await look(rootPage, path, rootPage.getByRole("dialog"));
  await setOptions({ About: "", HomePageContent: "", Notice: "", SystemName: "Weir" });
  expect(wrong).toEqual([]);
});
