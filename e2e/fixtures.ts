import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Locator, type Page, request } from "@playwright/test";

export const ROOT = { username: "root", password: process.env.WEIR_E2E_PASSWORD ?? "e2e-root-password" };

type Fixtures = {
  /** The cookies of a root session with a recent proof of identity. */
  rootCookies: RootState["cookies"];
  rootPage: Page;
  /**
   * A page as the server sends it: the browser reads and lays it out, but loads none of its scripts. For what the server
   * decides, at a fraction of the cost of a page that React takes over.
   */
  servedPage: Page;
  rootServedPage: Page;
  /** Errors of the page since the test began; must be empty at the end. */
  problems: string[];
};
type WorkerFixtures = { rootState: RootState; withoutScripts: Page };

type RootState = { cookies: Awaited<ReturnType<typeof signInRoot>>; signedInAt: number };
/**
 * After this time root signs in again. A proof is valid for ten minutes, so tests that reveal keys are not asked for a
 * new one.
 */
export const PROVEN_MS = 7 * 60_000;

export const test = base.extend<Fixtures, WorkerFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
  baseURL: async ({}, use) => {
    await use(process.env.WEIR_E2E_URL);
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
  rootState: [async ({}, use) => use({ cookies: [], signedInAt: Number.NEGATIVE_INFINITY }), { scope: "worker" }],
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
  problems: async ({}, use) => use([]),
  page: async ({ page, problems }, use) => {
    watch(page, problems);
    const restore = awaitWhole(page);
    await use(page);
    restore();
    expect(problems, "errors in the browser").toEqual([]);
  },
  withoutScripts: [
    async ({ browser }, use) => {
      const context = await browser.newContext({
        ...{ baseURL: process.env.WEIR_E2E_URL ?? "", locale: "en-US", colorScheme: "light", reducedMotion: "reduce" },
        viewport: { width: 1440, height: 900 },
      });
      const page = await context.newPage();
      // Unlike a route of Playwright this leaves the browser's cache on.
      const network = await context.newCDPSession(page);
      await network.send("Network.enable");
      await network.send("Network.setBlockedURLs", { urls: ["*/_next/static/*.js"] });
      awaitWhole(page);
      await use(page);
      await context.close();
    },
    { scope: "worker" },
  ],
  servedPage: async ({ withoutScripts }, use) => {
    await withoutScripts.context().clearCookies();
    await withoutScripts.setViewportSize({ width: 1440, height: 900 });
    await withoutScripts.emulateMedia({ colorScheme: "light" });
    await use(withoutScripts);
    expect(await withoutScripts.evaluate(() => "next" in window), "no script of the console has run").toBe(false);
  },
  rootServedPage: async ({ servedPage, rootCookies }, use) => {
    await servedPage.context().addCookies(rootCookies);
    await use(servedPage);
  },
  rootCookies: async ({ rootState }, use) => {
    if (Date.now() - rootState.signedInAt > PROVEN_MS) {
      const signedInAt = Date.now();
      Object.assign(rootState, { cookies: await signInRoot(), signedInAt });
    }
    await use(rootState.cookies);
  },
  rootPage: async ({ page, rootCookies }, use) => {
    await page.context().addCookies(rootCookies);
    await use(page);
  },
});

export { expect };

/** The cookies of a new root session, created through the API. The sign-in form has its own tests. */
async function signInRoot() {
  const api = await request.newContext({ baseURL: process.env.WEIR_E2E_URL ?? "" });
  try {
    const answer = await api.post("/api/user/login", { data: ROOT });
    expect(await answer.json()).toMatchObject({ success: true });
    return (await api.storageState()).cookies;
  } finally {
    await api.dispose();
  }
}

/** Has the page wait for `whole` whenever it is loaded. Returns what undoes that. */
function awaitWhole(page: Page): () => void {
  const { goto, reload } = page;
  // A test whose clock stands still does not wait: React puts it there by a timer.
  page.goto = async (url, options) => {
    const answer = await goto.call(page, url, options);
    return options?.waitUntil === "commit" ? answer : whole(page, answer);
  };
  page.reload = async (...args) => whole(page, await reload.apply(page, args));
  return () => void Object.assign(page, { goto, reload });
}

/** What the server sends late stands in the page a second time, hidden, until React has put it in its place. */
async function whole<Answer>(page: Page, answer: Answer): Promise<Answer> {
  await expect(page.locator("div[hidden][id^='S:']")).toHaveCount(0);
  return answer;
}

/** Collects the errors of a page. */
export function watch(page: Page, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()} (${message.location().url})`);
  });
}

/** The axe rules about colours. Names, roles and structure are the same in both themes. */
export const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

export type Scope = {
  /** Only these rules of axe; all without it. */
  rules?: string[];
  withoutRules?: string[];
  /** The part of the page that axe looks at; without it the open dialog, drawer or menu, else the main part. */
  within?: Locator | "page" | "added";
  /** Selectors of elements that repeat others and are left out. */
  except?: string[];
};

/**
 * Fails with every accessibility violation that axe finds now. The frame around the main part and the page behind a
 * dialog are left to every-screen.spec.ts, which looks at whole pages.
 */
export async function expectAccessible(page: Page, scope: Scope = {}): Promise<void> {
  // A list that is loading is faded, and the next page's title may not be set yet.
  await expect(page.locator("div[aria-busy=true]:not([role=log])")).toHaveCount(0);
  await expect(page).toHaveTitle(/./);
  // A colour that fades in does not have its final contrast yet. Spinners never end, so they are not waited for.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.all(ending.map((animation) => animation.finished.catch(() => {})));
  });
  const { within } = scope;
  const part = within === "page" || within === "added" ? null : (within ?? (await shownPart(page)));
  const findViolations = async () => {
    await part?.evaluate((element, name) => element.setAttribute(name, ""), PART);
    const { violations } = await axeOn(page, scope).then((axe) => axe.analyze());
    await part?.evaluate((element, name) => element.removeAttribute(name), PART);
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
  };
  // A list that reacts to the last key press may fade just now. Real violations stay.
  await expect.poll(findViolations, { intervals: [300, 1_000], timeout: 40_000 }).toEqual([]);
}

/** What is open above the page, or the main part if nothing is. */
async function shownPart(page: Page): Promise<Locator> {
  const open = page.locator(":is([role=dialog], [role=alertdialog], [role=menu]):not([data-state=closed])");
  return (await open.count()) > 0 ? open.last() : page.locator("main");
}

/** The items of a list input after the first ones, which they repeat: a channel may have hundreds of models. */
const REPEATED_ITEMS = "[data-slot=tag-item]:nth-child(n+5)";

/** Marks the part that axe looks at: axe takes selectors only. */
const PART = "data-axe-part";

async function axeOn(page: Page, { rules, withoutRules, within, except = [] }: Scope): Promise<AxeBuilder> {
  // Passed checks are not needed, and describing them costs as much as the search.
  const options = { resultTypes: ["violations" as const], ...(rules ? { runOnly: rules } : {}) };
  const limit = (axe: AxeBuilder) => {
    if (withoutRules) axe.disableRules(withoutRules);
    if (within !== "page") axe.include(`[${within === "added" ? ADDED : PART}]`);
    for (const selector of [REPEATED_ITEMS, ...except]) axe.exclude(selector);
    return axe;
  };
  // Only results from several frames need the extra page that combines them.
  if (page.frames().length > 1) return limit(new AxeBuilder({ page }).options(options));
  // Sends axe (half a megabyte) only once to the same page.
  const isLoaded = await page.evaluate("typeof axe === 'object'");
  return limit(new AxeBuilder({ page, ...(isLoaded ? { axeSource: "0" } : {}) }).setLegacyMode().options(options));
}

const SHOWN = "data-axe-shown";
const ADDED = "data-axe-added";

/** Marks every element that shows now, for `findAdded`. */
export async function markShown(page: Page): Promise<void> {
  await page.evaluate((shown) => {
    for (const element of document.body.querySelectorAll("*"))
      if (element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) element.setAttribute(shown, "");
  }, SHOWN);
}

/**
 * Finds what shows now and did not at `markShown`, in the whole page or in its main part or open dialog. True if there
 * is anything; the scope "added" looks at it.
 */
export async function findAdded(page: Page, within: "page" | "part"): Promise<boolean> {
  const part = within === "page" ? page.locator("body") : await shownPart(page);
  return part.evaluate(
    (root, { shown, added }) => {
      const isNew = (element: Element) =>
        !element.hasAttribute(shown) && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      const found = [...root.querySelectorAll("*")].filter(isNew);
      // Axe looks at the content of an element too.
      const outermost = found.filter(({ parentElement }) => !parentElement || !isNew(parentElement));
      for (const element of outermost) element.setAttribute(added, "");
      return outermost.length > 0;
    },
    { shown: SHOWN, added: ADDED },
  );
}

/** Changes the system theme. Pages follow it unless the user has chosen a theme. */
export async function turn(page: Page, theme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator("html")).toHaveClass(new RegExp(`(^|\\s)${theme}(\\s|$)`));
}

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/**
 * Fails unless the page fits and is accessible in both themes and on a wide and a narrow window, and leaves it wide and
 * light. A theme changes only colours, and a width which elements show: what was looked at is not looked at again.
 */
export async function expectAccessibleInAll(page: Page): Promise<void> {
  await page.setViewportSize(WIDE);
  await turn(page, "light");
  await expectFits(page, "beyond a wide window");
  await expectAccessible(page);
  await turn(page, "dark");
  await expectAccessible(page, { rules: COLOUR_RULES });
  await markShown(page);
  await page.setViewportSize(NARROW);
  await expectFits(page, "beyond a narrow window");
  if (await findAdded(page, "part")) await expectAccessible(page, { rules: COLOUR_RULES, within: "added" });
  await turn(page, "light");
  if (await findAdded(page, "part")) await expectAccessible(page, { within: "added" });
  await page.setViewportSize(WIDE);
}

/** Fails when the page is wider than the window. Charts and tables resize one frame after the window. */
export async function expectFits(page: Page, message = "beyond the window's width"): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(excess, { message }).toBeLessThanOrEqual(0);
}

/**
 * Fails when a table is wider than its frame, so that columns are hidden until it is scrolled, or when a control cuts
 * its text off without an ellipsis.
 */
export async function expectNothingCutOff(page: Page, message: string): Promise<void> {
  const findCut = () =>
    page.evaluate(() => {
      const isWider = ({ scrollWidth, clientWidth }: Element) => clientWidth > 1 && scrollWidth > clientWidth + 1;
      const tables = [...document.querySelectorAll("table")].flatMap(({ parentElement, caption }) =>
        parentElement && isWider(parentElement)
          ? [`table ${caption?.textContent}: ${parentElement.scrollWidth} px in ${parentElement.clientWidth} px`]
          : [],
      );
      const controls = [...document.querySelectorAll("button, label, th, [data-slot=badge], [role=tab]")].filter(
        (control) => {
          const { overflowX, textOverflow } = getComputedStyle(control);
          return ["hidden", "clip"].includes(overflowX) && textOverflow !== "ellipsis" && isWider(control);
        },
      );
      return [...tables, ...controls.map((control) => control.outerHTML)];
    });
  await expect.poll(findCut, { message }).toEqual([]);
}

/** Waits until React has hydrated every control of the page; earlier clicks do nothing. */
export async function expectInteractive(page: Page): Promise<void> {
  const isTakenOver = () =>
    page.evaluate(() => {
      const controls = [...document.querySelectorAll("button, input, select, textarea")];
      const taken = (control: Element) => Object.keys(control).some((key) => key.startsWith("__reactProps$"));
      return controls.length > 0 && controls.every(taken);
    });
  await expect.poll(isTakenOver, { message: "React runs the page", intervals: [20, 50, 100] }).toBe(true);
}

let serial = 0;

/** A name that no other test uses. */
export function uniqueName(prefix: string): string {
  serial += 1;
  return `${prefix}-${process.pid % 10_000}-${serial}`;
}

/** Has the open page speak this language, as the language menu does: the server sends it again, the browser keeps it. */
export async function speak(page: Page, locale: "en" | "zh"): Promise<void> {
  await page.context().addCookies([{ name: "locale", value: locale, url: process.env.WEIR_E2E_URL ?? "" }]);
  await page.evaluate(() => {
    (window as unknown as { next: { router: { refresh: () => void } } }).next.router.refresh();
  });
  await expect(page.locator("html")).toHaveAttribute("lang", locale === "zh" ? "zh-CN" : "en");
}
