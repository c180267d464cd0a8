import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, expectAccessible, expectFits, test } from "./fixtures";
import { CONSOLE_SCREENS, PUBLIC_SCREENS } from "./screens";

type Tree = { [key: string]: string | Tree };
type Locale = "zh" | "en";

const leaves = (tree: Tree, path = ""): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[`${path}${key}`, value]] : leaves(value, `${path}${key}.`),
  );
const read = (locale: Locale) => new Map(leaves(JSON.parse(readFileSync(`messages/${locale}.json`, "utf8")) as Tree));
const texts = { zh: read("zh"), en: read("en") };

/** English words of the console that Chinese readers must not meet; names and codes that are the same in both are none. */
const english = new Set(
  [...texts.en]
    .filter(([key, text]) => text !== texts.zh.get(key) && !text.includes("{") && /[a-z]{3}/.test(text))
    .map(([, text]) => text),
);
for (const text of texts.zh.values()) english.delete(text);

/** Written by operators and users, or a language's own name. */
const OTHERS_WORDS = new Set(["中文", "默认分组", "vip分组"]);

/** Everything a reader sees or hears: texts, labels, hints. What is typed into fields is the user's. */
function visibleTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found = new Set<string>();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const parent = node.parentElement;
      if (!parent || parent.closest("script,style,noscript,textarea,[data-user-text]")) continue;
      if (parent.checkVisibility()) found.add(node.textContent?.trim() ?? "");
    }
    for (const element of document.body.querySelectorAll("[aria-label],[title],[placeholder],[alt]")) {
      if (!element.checkVisibility() || element.closest("[data-user-text]")) continue;
      for (const name of ["aria-label", "title", "placeholder", "alt"])
        found.add(element.getAttribute(name)?.trim() ?? "");
    }
    found.add(document.title);
    return [...found].filter((text) => text !== "");
  });
}

async function speak(page: Page, locale: Locale): Promise<void> {
  await page.context().addCookies([{ name: "locale", value: locale, url: process.env.WEIR_E2E_URL ?? "" }]);
}

async function expectLanguage(page: Page, locale: Locale, path: string): Promise<void> {
  const seen = await visibleTexts(page);
  const wrong =
    locale === "en"
      ? seen.filter((text) => /[\u3400-\u9fff]/.test(text) && !OTHERS_WORDS.has(text))
      : seen.filter((text) => english.has(text));
  expect(wrong, `${path} in ${locale}`).toEqual([]);
}

// Two themes at two widths, with everything that axe looks at: long lists take their time.
test.describe.configure({ timeout: 90_000 });

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path, { waitUntil: "load" });
  await expect(page.locator("h1, [role=heading]").first()).toBeVisible();
  await expect(page.locator("[data-slot=skeleton]")).toHaveCount(0);
}

/** A page that does not exist is a 404, which the browser reports; nothing else may go wrong. */
function forgiveMissingPage(problems: string[]): void {
  const others = problems.filter((problem) => !/status of 404/.test(problem));
  problems.splice(0, problems.length, ...others);
}

for (const locale of ["zh", "en"] as const) {
  for (const path of PUBLIC_SCREENS) {
    test(`${path} speaks ${locale} alone, in both themes and widths, without an axe finding (A004, B003)`, async ({
      page,
      problems,
    }) => {
      await speak(page, locale);
      await check(page, path, locale);
      forgiveMissingPage(problems);
    });
  }

  for (const path of CONSOLE_SCREENS) {
    test(`${path} for root speaks ${locale} alone, in both themes and widths, without an axe finding (A004, B003)`, async ({
      rootPage,
    }) => {
      await speak(rootPage, locale);
      await check(rootPage, path, locale);
    });
  }
}

async function check(page: Page, path: string, locale: Locale): Promise<void> {
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await visit(page, path);
    if (theme === "light") await expectLanguage(page, locale, path);
    await expectAccessible(page);
    await shoot(page, path, `${locale}-${theme}-1440`);
    await page.setViewportSize({ width: 390, height: 844 });
    await expectFits(page, `${path} at 390 px`);
    // A phone's layout is the same in every language.
    if (locale === "en") await expectAccessible(page);
    await shoot(page, path, `${locale}-${theme}-390`);
  }
}

/** Pictures for looking at, where a folder is named. */
async function shoot(page: Page, path: string, suffix: string): Promise<void> {
  const folder = process.env.WEIR_SCREENSHOTS;
  if (!folder) return;
  const name = path.replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "") || "home";
  await page.screenshot({ path: `${folder}/${name}-${suffix}.png`, animations: "disabled" });
}
