import { runServerCommand } from "../run-built.mjs";

export const migrate = {
  summary: "brings the database to this version; `weir start` does so by itself",
  details: "For WEIR_MIGRATE=off. Settlements go on meanwhile; see docs/operations/upgrade.md.",
  run: (values) => runServerCommand("migrate", values, []),
};
