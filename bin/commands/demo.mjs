import { join } from "node:path";
import { say } from "../../scripts/steps.mjs";
import { runSupervisor } from "../run-built.mjs";

export const demo = {
  summary: "starts Weir with sample data and a simulated provider, in .data/demo",
  run: () =>
    runSupervisor(() => {
      if (process.env.DATABASE_URL) say("the demo uses its own database; DATABASE_URL is left alone");
      delete process.env.DATABASE_URL;
      process.env.WEIR_DATA_DIR ||= join(".data", "demo");
      process.env.WEIR_LOG_LEVEL ||= "warn";
      process.env.WEIR_DEMO = "1";
    }),
};
