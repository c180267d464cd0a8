import { archive } from "./commands/archive.mjs";
import { backup } from "./commands/backup.mjs";
import { bench } from "./commands/bench.mjs";
import { benchLists } from "./commands/bench-lists.mjs";
import { build } from "./commands/build.mjs";
import { demo } from "./commands/demo.mjs";
import { dev } from "./commands/dev.mjs";
import { doctor } from "./commands/doctor.mjs";
import { importCommand } from "./commands/import.mjs";
import { key } from "./commands/key.mjs";
import { migrate } from "./commands/migrate.mjs";
import { reconcile } from "./commands/reconcile.mjs";
import { restore } from "./commands/restore.mjs";
import { start } from "./commands/start.mjs";
import { user } from "./commands/user.mjs";

/**
 * All commands by name, in the order of `weir --help`. A command has:
 * - `summary`: one line of help; `details`: more of it, optional;
 * - `words`: names of the words after the command, `[NAME]` for one that may be left out; none by default;
 * - `options`: as for node:util's parseArgs, with `description` and, for texts, `value` for the help;
 * - `run(values, positionals)`: returns the exit code, or nothing if it ends the process itself;
 * - `handsOn`: the arguments are not looked at but handed to `run` as they are.
 * Commands that need the server's code are in server/commands (see run-built.mjs).
 */
export const commands = {
  start,
  demo,
  dev,
  build,
  doctor,
  migrate,
  user,
  key,
  import: importCommand,
  reconcile,
  backup,
  restore,
  archive,
  bench,
  "bench-lists": benchLists,
};
