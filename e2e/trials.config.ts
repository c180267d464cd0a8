import config from "./playwright.config";

/** Trials that are too long for every run of the tests: `npm run trials`. */
export default { ...config, projects: [{ name: "trials", testMatch: "*.trial.ts" }], workers: 2 };
