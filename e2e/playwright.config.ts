import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";
import { isInMemory, temporary } from "../lib/testing/run-folder";

// The headless shell renders the same pages at half the cost.
const installed = [process.env.CHROMIUM_PATH, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(
  (path) => path && existsSync(path),
);

// The browsers' profiles and traces.
process.env.TMPDIR = temporary;

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results/e2e",
  globalSetup: "./global-setup.ts",
  timeout: 45_000,
  expect: { timeout: 10_000 },
  retries: process.env.CI ? 2 : 0,
  // One server with one database; the specs use their own rows. Two browsers do not fill two cores.
  workers: 3,
  fullyParallel: false,
  projects: [
    { name: "specs", testIgnore: "every-screen.spec.ts" },
    // Runs last: short independent tests keep both browsers busy to the end.
    { name: "screens", testMatch: "every-screen.spec.ts" },
  ],
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    locale: "en-US",
    colorScheme: "light",
    viewport: { width: 1440, height: 900 },
    // The same two cores that run the tests would draw every frame of an animation.
    contextOptions: { reducedMotion: "reduce" },
    // A test gets the page of the one before, with cookies and storage cleared: a new one loads fonts and scripts again.
    reuseContext: !process.env.NOREUSE,
    trace: "on-first-retry",
    launchOptions: {
      // Rendering with a software GPU costs more than the pages, and a page of a test does not live long enough to pay for
      // optimised code or collections of old objects. The other flags stop network requests at every start.
      args: [
        "--no-sandbox",
        ...(isInMemory ? [] : ["--disable-dev-shm-usage"]),
        "--js-flags=--no-opt --no-maglev --initial-old-space-size=256 --no-memory-reducer",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
      ...(installed ? { executablePath: installed } : {}),
    },
  },
});
