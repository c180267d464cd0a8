import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ServiceContext } from "@/lib/context";
import { env } from "@/lib/env";
import { describeReport, needsLook } from "@/tools/import/describe-report";
import { readConfig } from "@/tools/import/litellm/read-config";
import { runLitellm } from "@/tools/import/litellm/run-litellm";
import { type ImportReport, runImport } from "@/tools/import/run-import";
import { openSource } from "@/tools/import/sources/open";
import type { ImportSettings, Kind, OnCollision, System } from "@/tools/import/types";
import { withCommandContext } from "../command-context";
import { createLogDrain } from "../log-drain";

type Values = {
  from: string;
  database?: string;
  "dry-run"?: boolean;
  logs?: boolean;
  options?: boolean;
  "on-collision"?: OnCollision;
  balance?: string;
  "default-ratio"?: boolean;
  report?: string;
};

const TOLD_EVERY_MS = 5_000;

/** `weir import`: bin/commands/import.mjs has the words. Returns the exit code. */
export async function run(values: Values, [system]: [System | "litellm"]): Promise<number> {
  const report = system === "litellm" ? await importLitellm(values) : await importTables(values, system);
  const text = describeReport(report);
  process.stdout.write(text);
  if (values.report !== undefined)
    writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 });
  if (!report.dryRun) process.stdout.write(`\nThis page is in ${keepText(system, text)}.\n`);
  return needsLook(report) ? LOOK_CODE : 0;
}

/** Everything was imported that could be, and there is something to look at. */
const LOOK_CODE = 3;

/** The terminal may be gone when somebody wants to read it. */
function keepText(system: string, text: string): string {
  const folder = join(resolve(env().WEIR_DATA_DIR), "imports");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${system}-${new Date().toISOString().slice(0, 19).replaceAll(":", "")}.txt`);
  writeFileSync(file, text, { mode: 0o600 });
  return file;
}

const inContext = (work: (ctx: ServiceContext) => Promise<ImportReport>) => withCommandContext("weir-import", work);

async function importTables(values: Values, system: System): Promise<ImportReport> {
  const source = await openSource(values.from);
  try {
    const settings: ImportSettings = {
      system,
      dryRun: values["dry-run"] === true,
      withLogs: values.logs === true,
      withOptions: values.options === true,
      onCollision: values["on-collision"] ?? "skip",
      takesDefaultRatio: values["default-ratio"] === true,
      onProgress: createProgress(),
      onSums: createSumsProgress(),
    };
    return await inContext((ctx) => {
      const afterLogs = createLogDrain(ctx.sql, (text) => process.stderr.write(text));
      return runImport(ctx, source, { ...settings, ...(afterLogs ? { afterLogs } : {}) });
    });
  } finally {
    await source.close();
  }
}

async function importLitellm(values: Values): Promise<ImportReport> {
  const config = readConfig(readFileSync(values.from, "utf8"));
  const database = values.database === undefined ? null : await openSource(values.database, "--database");
  try {
    const source = { config, database, environment: process.env };
    const settings = {
      dryRun: values["dry-run"] === true,
      onCollision: values["on-collision"] ?? "skip",
      balance: Number(values.balance ?? 0),
    };
    return await inContext((ctx) => runLitellm(ctx, source, settings));
  } finally {
    await database?.close();
  }
}

/** A large log takes minutes. */
function createSumsProgress(): (hours: number) => void {
  let last = Date.now();
  return (hours) => {
    if (Date.now() - last < TOLD_EVERY_MS) return;
    last = Date.now();
    process.stderr.write(
      `charts: ${hours} hours summed. Everything is imported; a running Weir does the rest if you stop this.\n`,
    );
  };
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
