import { existsSync } from "node:fs";
import { defineConfig } from "@playwright/test";

const installed = process.env.CHROMIUM_PATH ?? "/usr/bin/chromium";

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
  forbidOnly: Boolean(process.env.CI),
  reporter: process.env.PLAYWRIGHT_JSON_OUTPUT_NAME ? [["list"], ["json"]] : [["list"]],
  use: {
    locale: "en-US",
    colorScheme: "light",
    viewport: { width: 1440, height: 900 },
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
      ...(existsSync(installed) ? { executablePath: installed } : {}),
    },
  },
});
