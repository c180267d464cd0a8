#!/usr/bin/env node
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArguments, WrongUse } from "../scripts/arguments.mjs";
import { loadEnvFile } from "../scripts/env-file.mjs";
import { checkNode } from "../scripts/steps.mjs";
import { commands } from "./commands.mjs";
import { describeAll, describeCommand } from "./help.mjs";

// Exit codes: 0 = done, 1 = failed, 2 = wrong use.

async function main(words) {
  const [name, ...rest] = words;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(describeAll(commands));
    return name === undefined ? 2 : 0;
  }
  if (!Object.hasOwn(commands, name)) throw new WrongUse(`There is no command "${name}". weir --help lists them.`);
  const command = commands[name];
  // What is handed on belongs to the program behind it.
  if (!command.handsOn && rest.some((word) => word === "--help" || word === "-h")) {
    process.stdout.write(describeCommand(name, command));
    return 0;
  }
  if (command.handsOn) return command.run({}, rest);
  const { values, positionals } = parseArguments(command, name, rest);
  return command.run(values, positionals);
}

process.chdir(dirname(dirname(fileURLToPath(import.meta.url))));
try {
  checkNode();
  loadEnvFile(".env");
  // A command that goes on running (start, dev) returns nothing and ends the process itself.
  const code = await main(process.argv.slice(2));
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(error instanceof WrongUse ? 2 : 1);
}
