import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { createDatabase } from "@/db/client";
import { type Env, env } from "@/lib/env";
import { loadOptions } from "@/lib/option/queries";
import { openCommandDatabase } from "../command-database";
import { checkClock, checkMigrations, checkSecret, checkServer } from "../doctor/database";
import { type Finding, messageOf, ok, problem } from "../doctor/finding";
import { checkLogStore } from "../doctor/log-store";
import { checkDataDirectory, checkDisk, checkNode, checkPort, checkTimeZones } from "../doctor/machine";
import { checkModelRules } from "../doctor/model-rules";
import { checkEgress, checkMail } from "../doctor/network";
import { checkReplica } from "../doctor/replica";
import { findSecret } from "../installation-secret";

type Values = { json?: boolean; "mail-to"?: string; "egress-url"?: string };

/** `weir doctor`: looks and changes nothing. Returns the exit code: 1 when there is a problem. */
export async function run(values: Values): Promise<number> {
  const settings = env();
  const directory = resolve(settings.WEIR_DATA_DIR);
  const findings: Finding[] = [
    checkNode(),
    checkTimeZones(),
    await checkPort(settings),
    checkDataDirectory(directory),
    checkDisk(directory),
    ...(await attempt("database", () => checkDatabase(settings, values))),
    ...(await attempt("egress", () => checkEgress(values["egress-url"] ?? "https://api.openai.com/"))),
  ];
  const problems = findings.filter(({ level }) => level === "problem").length;
  if (values.json) process.stdout.write(`${JSON.stringify({ problems, findings })}\n`);
  else for (const finding of findings) process.stdout.write(render(finding));
  return problems > 0 ? 1 : 0;
}

function render({ check, level, text, advice }: Finding): string {
  return `${level.padEnd(8)} ${check}: ${text}\n${advice ? `         ${advice}\n` : ""}`;
}

async function attempt(check: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  try {
    return await work();
  } catch (error) {
    return [problem(check, messageOf(error), "Look at DATABASE_URL, the server and its log.")];
  }
}

async function checkDatabase(settings: Env, values: Values): Promise<Finding[]> {
  const port = join(resolve(settings.WEIR_DATA_DIR), "postgres", "port");
  if (!settings.DATABASE_URL && !existsSync(port)) return [ok("database", "built in; the first start makes it")];
  const { url, started, close } = await openCommandDatabase(settings);
  const { sql, db, end } = createDatabase({ url, max: 1, applicationName: "weir-doctor", statementTimeoutMs: 15_000 });
  try {
    await sql`select 1`;
    const kind = settings.DATABASE_URL
      ? "DATABASE_URL answers"
      : `built in, ${started ? "was started for this" : "runs"}`;
    const secret = await checkSecret(sql, settings);
    const found = [ok("database", kind), ...(await checkServer(sql, settings)), await checkClock(sql), secret];
    found.push(await checkMigrations(sql), ...(await checkReplica(sql, settings)));
    const text = findSecret(resolve(settings.WEIR_DATA_DIR), settings.WEIR_SECRET);
    if (secret.level !== "ok" || text === null) return found;
    process.env.WEIR_SECRET = text;
    const [made] = await sql<{ there: boolean }[]>`select to_regclass('options') is not null as there`;
    if (made?.there) {
      const options = await loadOptions(db);
      found.push(await checkMail(options, values["mail-to"]), checkModelRules(options["models.rules"].length));
    }
    return [...found, ...(await checkLogStore(sql))];
  } finally {
    await end();
    await close();
  }
}
