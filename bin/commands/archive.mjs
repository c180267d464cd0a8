import { WrongUse } from "../../scripts/arguments.mjs";
import { runServerCommand } from "../run-built.mjs";

const needsRange = { list: false, verify: false, read: true, restore: true };

export const archive = {
  summary: "archives of the usage log: what there is, whether it is whole, reading and restoring it",
  details: `
  weir archive list [RANGE] [--json]            the archives
  weir archive verify [RANGE]                   reads every file, row by row; exit code 1 when something is wrong
  weir archive read RANGE [--format csv]        writes the rows to the output, as JSON lines or CSV
  weir archive restore RANGE [--days 7]         puts the rows back into the log for some days, to be looked at

RANGE is in UTC: 2026-11, 2026-11-24 or 2026-11-01..2026-11-15. WEIR_ARCHIVE_URL says where the archives are.
A restore writes the log only: no balance, no sum. docs/operations/archives.md says more.`,
  words: ["ACTION", "[RANGE]"],
  options: {
    json: { type: "boolean", description: "list: the manifests as JSON lines" },
    format: { type: "string", value: "jsonl|csv", description: "read: JSON lines (default) or CSV" },
    unknown: { type: "boolean", description: "restore: also archives that the database does not know" },
    days: { type: "string", value: "N", description: "restore: for how many days the rows stay; 7 by default" },
  },
  async run(values, positionals) {
    const [action, range] = positionals;
    const wanted = needsRange[action];
    if (wanted === undefined) throw new WrongUse(`Usage: weir archive ${Object.keys(needsRange).join(" | ")}`);
    if (wanted && !range) throw new WrongUse(`Usage: weir archive ${action} RANGE`);
    if (!["jsonl", "csv", undefined].includes(values.format)) throw new WrongUse("--format is jsonl or csv.");
    if (values.days !== undefined && !/^[1-9]\d{0,3}$/.test(values.days))
      throw new WrongUse("--days is a whole number.");
    return runServerCommand("archive", values, positionals);
  },
};
