import base from "./e2e/playwright.config";
export default { ...base, testDir: "./e2e", outputDir: "/tmp/w/diet-out", globalSetup: undefined, retries: 1, timeout: 240_000, expect: { timeout: 60_000 }, workers: 1 };
