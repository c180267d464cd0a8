import { runServerCommand } from "../run-built.mjs";

export const reconcile = {
  summary: "proves that every balance is the sum of its ledger and its usage",
  details: "Exit code 1 when something differs. Works beside a running Weir. For the demo: WEIR_DATA_DIR=.data/demo.",
  run: (values) => runServerCommand("reconcile", values, []),
};
