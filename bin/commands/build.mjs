import { ensureBuilt, ensureInstalled } from "../../scripts/steps.mjs";

export const build = {
  summary: "builds without starting",
  options: { "if-changed": { type: "boolean", description: "only if the sources have changed since the last build" } },
  async run(values) {
    await ensureInstalled();
    await ensureBuilt({ force: !values["if-changed"] });
    return 0;
  },
};
