import type { Page } from "@playwright/test";

/** Holds back the scripts that the page at `path` loads after those of its HTML, until the returned function is called. */
export async function holdLateScripts(page: Page, path: string): Promise<() => void> {
  const html = await (await page.request.get(path)).text();
  let release = () => {};
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route("**/_next/static/chunks/*.js", async (route) => {
    if (!html.includes(route.request().url().split("/").at(-1) ?? "")) await released;
    await route.continue();
  });
  return release;
}
