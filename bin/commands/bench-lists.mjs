import { join } from "node:path";
import { ensureInstalled } from "../../scripts/steps.mjs";
import { runSource } from "../run-built.mjs";

export const benchLists = {
  summary: "measures the console's lists on a large database",
  handsOn: true,
  async run(_values, rest) {
    await ensureInstalled();
    runSource([join("tools", "bench", "lists.ts"), ...rest]);
  },
};
