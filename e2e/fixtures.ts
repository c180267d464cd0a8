import AxeBuilder from "@axe-core/playwright";
import { type Browser, test as base, expect, type Page } from "@playwright/test";
import { LoginPage } from "./pages/login-page";

export const ROOT = { username: "root", password: process.env.WEIR_E2E_PASSWORD ?? "e2e-root-password" };

type Fixtures = {
  /** Of a session in which root has lately proven who it is. */
  rootCookies: RootState["cookies"];
  /** A page on which root is signed in. */
  rootPage: Page;
  /** What went wrong in the browser since the test began; must stay empty. */
  problems: string[];
};
type WorkerFixtures = { rootState: RootState };

type RootState = { cookies: Awaited<ReturnType<typeof signInState>>["cookies"]; signedInAt: number };
/** A sign-in proves for ten minutes who it is, for which tests that reveal keys are not asked again. */
const PROVEN_MS = 7 * 60_000;

export const test = base.extend<Fixtures, WorkerFixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
  baseURL: async ({}, use) => {
    await use(process.env.WEIR_E2E_URL);
  },
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the dependencies from the pattern
  rootState: [async ({}, use) => use({ cookies: [], signedInAt: Number.NEGATIVE_INFINITY }), { scope: "worker" }],
  problems: [
    async ({ page }, use) => {
      const problems: string[] = [];
      watch(page, problems);
      await use(problems);
      expect(problems, "errors in the browser").toEqual([]);
    },
    { auto: true },
  ],
  rootCookies: async ({ browser, rootState }, use) => {
    if (Date.now() - rootState.signedInAt > PROVEN_MS) {
      const { cookies } = await signInState(browser);
      Object.assign(rootState, { cookies, signedInAt: Date.now() });
    }
    await use(rootState.cookies);
  },
  rootPage: async ({ page, rootCookies }, use) => {
    await page.context().addCookies(rootCookies);
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
