import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

// The shell without windows does the same pages at half the cost.
const installed = [process.env.CHROMIUM_PATH, "/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find(
  (path) => path && existsSync(path),
);

export default defineConfig({
  testDir: ".",
  outputDir: "../test-results/e2e",
  globalSetup: "./global-setup.ts",
  timeout: 45_000,
  expect: { timeout: 10_000 },
  retries: process.env.CI ? 2 : 0,
  // One server with one database: the specs use rows of their own, but two browsers are enough for two cores.
  workers: 2,
  fullyParallel: false,
  projects: [
    { name: "specs", testIgnore: "every-screen.spec.ts" },
    // Last: short tests that stand alone keep both browsers busy to the end.
    { name: "screens", testMatch: "every-screen.spec.ts" },
  ],
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    locale: "en-US",
    colorScheme: "light",
    viewport: { width: 1440, height: 900 },
    // Every frame of a fade is drawn by the same two cores that run the tests.
    contextOptions: { reducedMotion: "reduce" },
    trace: "on-first-retry",
    launchOptions: {
      // Drawing by a software GPU costs more than the pages; the rest would look for the outside world at every start.
      args: [
        "--no-sandbox",
        "--disable-dev-shm-usage",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
      ...(installed ? { executablePath: installed } : {}),
    },
  },
});
