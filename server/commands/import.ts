import { writeFileSync } from "node:fs";
import { describeReport } from "@/lib/import/describe-report";
import { type ImportReport, runImport } from "@/lib/import/run-import";
import { openSource } from "@/lib/import/sources/open";
import type { ImportSettings, Kind, OnCollision, System } from "@/lib/import/types";
import { withCommandContext } from "../command-context";

type Values = {
  from: string;
  "dry-run"?: boolean;
  logs?: boolean;
  options?: boolean;
  "on-collision"?: OnCollision;
  report?: string;
};

const TOLD_EVERY_MS = 5_000;

/** `weir import`: bin/commands/import.mjs has the words. Returns the exit code. */
export async function run(values: Values, [system]: [System]): Promise<number> {
  const source = await openSource(values.from);
  try {
    const settings: ImportSettings = {
      system,
      dryRun: values["dry-run"] === true,
      withLogs: values.logs === true,
      withOptions: values.options === true,
      onCollision: values["on-collision"] ?? "skip",
      onProgress: createProgress(),
    };
    tell(values, await withCommandContext("weir-import", (ctx) => runImport(ctx, source, settings)));
    return 0;
  } finally {
    await source.close();
  }
}

/** Progress goes to the error output, so that the report can be piped. */
function createProgress(): ImportSettings["onProgress"] {
  let last = Date.now();
  return (kind: Kind, { read, moved }) => {
    if (Date.now() - last < TOLD_EVERY_MS) return;
    last = Date.now();
    process.stderr.write(`${kind}: ${read} read, ${moved} moved\n`);
  };
}

function tell(values: Values, report: ImportReport): void {
  process.stdout.write(describeReport(report));
  if (values.report !== undefined)
    writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
}
