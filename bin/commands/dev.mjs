import { join } from "node:path";
import { ensureInstalled } from "../../scripts/steps.mjs";
import { runSource } from "../run-built.mjs";

export const dev = {
  summary: "starts the same processes from source; the console reloads when a file changes",
  handsOn: true,
  async run(_values, rest) {
    await ensureInstalled();
    runSource([join("server", "main.ts"), ...rest], { NODE_ENV: "development", NEXT_TELEMETRY_DISABLED: "1" });
  },
};
