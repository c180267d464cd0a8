import AxeBuilder from "@axe-core/playwright";
import { type Browser, test as base, expect, type Page } from "@playwright/test";
import { LoginPage } from "./pages/login-page";

export const ROOT = { username: "root", password: process.env.WEIR_E2E_PASSWORD ?? "e2e-root-password" };

type Fixtures = {
  /** A page on which root is signed in. */
  rootPage: Page;
  /** What went wrong in the browser since the test began; must stay empty. */
  problems: string[];
};
type WorkerFixtures = { rootState: Awaited<ReturnType<typeof signInState>> };

export const test = base.extend<Fixtures, WorkerFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
  baseURL: async ({}, use) => {
    await use(process.env.WEIR_E2E_URL);
  },
  rootState: [async ({ browser }, use) => use(await signInState(browser)), { scope: "worker" }],
  problems: [
    async ({ page }, use) => {
      const problems: string[] = [];
      watch(page, problems);
      await use(problems);
      expect(problems, "errors in the browser").toEqual([]);
    },
    { auto: true },
  ],
  rootPage: async ({ page, rootState }, use) => {
    await page.context().addCookies(rootState.cookies);
    await use(page);
  },
});

export { expect };

async function signInState(browser: Browser) {
  const context = await browser.newContext({ baseURL: process.env.WEIR_E2E_URL ?? "", locale: "en-US" });
  const login = new LoginPage(await context.newPage());
  await login.open();
  await login.signIn(ROOT.username, ROOT.password);
  await login.dismissPasswordWarning();
  const state = await context.storageState();
  await context.close();
  return state;
}

function watch(page: Page, problems: string[]): void {
  page.on("pageerror", (error) => problems.push(`page error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`console: ${message.text()} (${message.location().url})`);
  });
}

/** Fails with every accessibility violation that axe finds on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // A list that is on its way is faded and the next page's title is not there yet.
  await expect(page.locator("div[aria-busy=true]:not([role=log])")).toHaveCount(0);
  await expect(page).toHaveTitle(/./);
  // A colour that is still fading in has no contrast yet. A spinner never ends.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    return Promise.all(ending.map((animation) => animation.finished.catch(() => {})));
  });
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(
    violations.map((violation) => `${violation.id}: ${violation.nodes.map((node) => node.html).join(" | ")}`),
  ).toEqual([]);
}

/** Fails when the page is wider than its window. Charts and tables take a new size a frame after the window has. */
export async function expectFits(page: Page, message = "beyond the window's width"): Promise<void> {
  const excess = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  await expect.poll(excess, { message }).toBeLessThanOrEqual(0);
}

let serial = 0;

/** A name that no other test uses. */
export function uniqueName(prefix: string): string {
  serial += 1;
  return `${prefix}-${process.pid % 10_000}-${serial}`;
}
