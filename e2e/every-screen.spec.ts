import { readFileSync } from "node:fs";
import type { Browser, Page } from "@playwright/test";
import {
  test as base,
  COLOUR_RULES,
  expect,
  expectAccessible,
  expectFits,
  expectNothingCutOff,
  findAdded,
  markShown,
  type Scope,
  speak,
  turn,
  watch,
} from "./fixtures";
import { CONSOLE_SCREENS, isOfRoute, PUBLIC_SCREENS } from "./screens";

/*
 * Loads each screen once, in one of the languages, then changes language, theme and width on the open page, as a user would.
 *
 *            | English                                       | Chinese
 *   ---------+-----------------------------------------------+---------------------------------------------
 *   each     | no error in the browser's console             | no error in the browser's console
 *   1440 px  | no Chinese text; fits, nothing is cut off;    | no English text; fits, nothing is cut off
 *            | light: every rule of axe on the whole page;   |
 *            | dark: its colours                             |
 *   390 px   | no Chinese text; fits;                        | no English text; fits
 *            | one screen of each layout: what is hidden at  |
 *            | 1440 px, by every rule of axe in light, by    |
 *            | its colours in dark                           |
 *
 * A theme changes only colours, a width only which elements show. What a phone shows instead of wide tables, menus and
 * drawers comes from the same components on every screen of a layout, so that axe looks at it on one. Elements and roles
 * are the same in both languages; lib/i18n/messages.test.ts tests that no text is missing in either. The menu and the
 * header are the same on every page: in dark and at 390 px axe looks at them on one screen of each kind, elsewhere at the
 * main part or the drawer. Of a long table, of the choices of a field and of a section of the API reference axe looks at
 * the first ones; the others repeat them. Texts are looked at everywhere.
 */

type Tree = { [key: string]: string | Tree };
type Locale = "zh" | "en";

const leaves = (tree: Tree, path = ""): [string, string][] =>
  Object.entries(tree).flatMap(([key, value]): [string, string][] =>
    typeof value === "string" ? [[`${path}${key}`, value]] : leaves(value, `${path}${key}.`),
  );
const read = (locale: Locale) => new Map(leaves(JSON.parse(readFileSync(`messages/${locale}.json`, "utf8")) as Tree));
const texts = { zh: read("zh"), en: read("en") };

/** English words of the console that must not show in Chinese. Leaves out texts that are the same in both languages. */
const english = new Set(
  [...texts.en]
    .filter(([key, text]) => text !== texts.zh.get(key) && !text.includes("{") && /[a-z]{3}/.test(text))
    .map(([, text]) => text),
);
for (const text of texts.zh.values()) english.delete(text);

/** Text written by operators and users, and a language's own name. */
const OTHERS_WORDS = new Set(["中文", "默认分组", "vip分组"]);

/** All visible and spoken text: texts, labels, hints. Leaves out what the user types into fields. */
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

/** The texts of the page that are not in this language. */
async function wrongTexts(page: Page, locale: Locale): Promise<string[]> {
  const isWrong = (text: string) =>
    locale === "en" ? /[\u3400-\u9fff]/.test(text) && !OTHERS_WORDS.has(text) : english.has(text);
  return (await visibleTexts(page)).filter(isWrong);
}

async function expectLanguage(page: Page, locale: Locale, path: string): Promise<void> {
  expect(await wrongTexts(page, locale), `${path} in ${locale}`).toEqual([]);
}

/** Rows and the like after the first ones. */
const REPEATED = [
  "tbody tr:nth-child(n+5)",
  "option:nth-child(n+5)",
  "[aria-labelledby^='tag-'] > div > :nth-child(n+3)",
];
/** The screens on which the menu and the header are looked at in both themes and widths. */
const FRAMES: string[] = [PUBLIC_SCREENS[0], CONSOLE_SCREENS[0]];
/** One screen of each layout: page with a frame, list, drawer, account, settings, public table, API reference. */
const LAYOUTS: string[] = [
  ...FRAMES,
  ...["/token", "/token?create=true", "/user/1", "/setting?tab=operation", "/pricing", "/docs/api"],
  // What a phone shows of these is of their own.
  ...["/playground", "/log", "/midjourney", "/topup?tab=ledger", "/setting?tab=operation&page=pricing"],
  ...["/setting/prices/list", "/setting/prices/history", "/setting/prices/what-if"],
];
/** Screens that say something when they are opened, which stays in the language in which it was said. */
const SAYING: string[] = ["/login?expired=true"];
const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** Two pages per worker for all screens: a page that is used again loads only what is new. */
const test = base.extend<object, { visitor: Page; root: Page }>({
  visitor: [({ browser }, use) => withPage(browser, use), { scope: "worker" }],
  root: [({ browser }, use) => withPage(browser, use), { scope: "worker" }],
});

async function withPage(browser: Browser, use: (page: Page) => Promise<void>): Promise<void> {
  const page = await browser.newPage();
  await use(page);
  await page.close();
}

// The screens do not depend on each other. Long lists take time.
test.describe.configure({ mode: "parallel", timeout: 90_000 });

/** `npm run check` looks at the screens of these routes alone. */
const routes = process.env.WEIR_E2E_ROUTES?.split(" ");
const isChosen = (path: string) => !routes || routes.some((route) => isOfRoute(path, route));

/** Half of the screens are loaded in English on a wide screen, the others in Chinese on a phone. */
const firstOf = (screens: readonly string[], path: string): Locale => (screens.indexOf(path) % 2 === 0 ? "en" : "zh");

for (const path of PUBLIC_SCREENS.filter(isChosen)) {
  test(`${path} speaks Chinese alone and English alone, fits both widths and has no axe finding in either theme (A004, B003)`, ({
    visitor,
  }) => crawl(visitor, path, firstOf(PUBLIC_SCREENS, path)));
}

for (const path of CONSOLE_SCREENS.filter(isChosen)) {
  test(`${path} for root speaks Chinese alone and English alone, fits both widths and has no axe finding in either theme (A004, B003)`, async ({
    root,
    rootCookies,
  }) => {
    await root.context().addCookies(rootCookies);
    await crawl(root, path, firstOf(CONSOLE_SCREENS, path));
  });
}

const looks = { en: lookInEnglish, zh: lookInChinese };

async function crawl(page: Page, path: string, first: Locale): Promise<void> {
  const problems: string[] = [];
  watch(page, problems);
  const load = async (locale: Locale) => {
    await page.context().addCookies([{ name: "locale", value: locale, url: process.env.WEIR_E2E_URL ?? "" }]);
    await visit(page, path);
  };
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(first === "en" ? WIDE : NARROW);
  await load(first);
  await looks[first](page, path);
  const second = first === "en" ? "zh" : "en";
  if (SAYING.includes(path)) await load(second);
  else {
    await speak(page, second);
    // The last texts of the other language stand there for a moment.
    await expect.poll(() => wrongTexts(page, second), { message: `${path} in ${second}` }).toEqual([]);
  }
  await looks[second](page, path);
  page.removeAllListeners();
  // The browser logs the 404 of a page that does not exist; other errors are failures.
  const isForgiven = (problem: string) =>
    !CONSOLE_SCREENS.some((known) => known === path) && /status of 404/.test(problem);
  expect(
    problems.filter((problem) => !isForgiven(problem)),
    "errors in the browser",
  ).toEqual([]);
}

async function lookInEnglish(page: Page, path: string): Promise<void> {
  const scope: Scope = { except: REPEATED, ...(FRAMES.includes(path) ? { within: "page" } : {}) };
  await expectLanguage(page, "en", path);
  await expectFits(page, `${path} at 1440 px`);
  await expectNothingCutOff(page, `${path} at 1440 px`);
  await expectAccessible(page, { within: "page", except: REPEATED });
  await shoot(page, path, "en-light-1440");
  await turn(page, "dark");
  await expectAccessible(page, { ...scope, rules: COLOUR_RULES });
  await shoot(page, path, "en-dark-1440");
  if (LAYOUTS.includes(path)) await markShown(page);
  await page.setViewportSize(NARROW);
  await expectFits(page, `${path} at 390 px`);
  if (LAYOUTS.includes(path)) await expectAddedAccessible(page, path, { rules: COLOUR_RULES });
  await shoot(page, path, "en-dark-390");
  await turn(page, "light");
  await expectLanguage(page, "en", path);
  // What the wide page showed too was looked at there.
  if (LAYOUTS.includes(path)) await expectAddedAccessible(page, path);
  await shoot(page, path, "en-light-390");
}

async function expectAddedAccessible(page: Page, path: string, scope: Scope = {}): Promise<void> {
  const hasAdded = await findAdded(page, FRAMES.includes(path) ? "page" : "part");
  if (hasAdded) await expectAccessible(page, { except: REPEATED, within: "added", ...scope });
}

async function lookInChinese(page: Page, path: string): Promise<void> {
  for (const size of [NARROW, WIDE]) {
    await page.setViewportSize(size);
    await expectFits(page, `${path} at ${size.width} px`);
    if (size === WIDE) await expectNothingCutOff(page, `${path} at 1440 px`);
    await expectLanguage(page, "zh", path);
    await shoot(page, path, `zh-light-${size.width}`);
  }
}

async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.locator("h1, [role=heading]").first()).toBeVisible();
  await expect(page.locator("[data-slot=skeleton]")).toHaveCount(0);
}

/** Saves a screenshot if WEIR_SCREENSHOTS names a folder. */
async function shoot(page: Page, path: string, suffix: string): Promise<void> {
  const folder = process.env.WEIR_SCREENSHOTS;
  if (!folder) return;
  const name = path.replace(/[^a-z]+/gi, "-").replace(/^-|-$/g, "") || "home";
  await page.screenshot({ path: `${folder}/${name}-${suffix}.png`, animations: "disabled" });
}
