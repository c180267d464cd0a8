import { runSupervisor } from "../run-built.mjs";

export const start = {
  summary: "starts Weir; builds it first if its sources have changed",
  details: "Settings come from the environment and from the file .env (README.md, Configuration).",
  run: () => runSupervisor(),
};
