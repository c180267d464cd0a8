import type { Page } from "@playwright/test";

/**
 * Holds back the scripts that the page at `path` loads after those of its HTML, until the returned function is called. To be called
 * before the page is opened.
 */
export async function holdLateScripts(page: Page, path: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  // The HTML that the page itself gets: another one may name other scripts, as when a notice came meanwhile.
  let html = "";
  const { pathname, search } = new URL(path, "http://weir.example");
  await page.route(
    (url) => url.pathname === pathname && url.search === search,
    async (route) => {
      if (route.request().resourceType() !== "document") return route.fallback();
      const response = await route.fetch();
      html = await response.text();
      await route.fulfill({ response, body: html });
    },
  );
  await page.route("**/_next/static/chunks/*.js", async (route) => {
    if (!html.includes(route.request().url().split("/").at(-1) ?? "")) await released;
    await route.continue();
  });
  return release;
}
