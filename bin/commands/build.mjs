import { ensureBuilt, ensureInstalled, sealBuild } from "../../scripts/steps.mjs";

export const build = {
  summary: "builds without starting",
  options: {
    "if-changed": { type: "boolean", description: "only if the sources have changed since the last build" },
    seal: { type: "boolean", description: "for images: from now on nothing is installed or built in this folder" },
  },
  async run(values) {
    await ensureInstalled();
    await ensureBuilt({ force: !values["if-changed"] });
    if (values.seal) sealBuild();
    return 0;
  },
};
