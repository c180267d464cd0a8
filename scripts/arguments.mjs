import { parseArgs } from "node:util";

/** The command line is wrong: exit code 2. */
export class WrongUse extends Error {}

/**
 * Options and words of a command line. `command.options` is as in node:util's parseArgs, with a `description` for the
 * help; `command.words` names the words that must be there. Throws WrongUse.
 */
export function parseArguments(command, name, rest) {
  const usage = `Usage: ${usageOf(name, command)}`;
  let parsed;
  try {
    parsed = parseArgs({ args: rest, options: command.options ?? {}, allowPositionals: true });
  } catch (error) {
    throw new WrongUse(`${error.message}\n${usage}`);
  }
  const { least, most } = countsOf(command.words ?? []);
  const given = parsed.positionals.length;
  if (given < least || given > most) throw new WrongUse(usage);
  return { values: { ...parsed.values }, positionals: parsed.positionals };
}

/** `[NAME]` may be left out. */
function countsOf(words) {
  return { least: words.filter((word) => !word.startsWith("[")).length, most: words.length };
}

export function usageOf(name, command) {
  const options = Object.entries(command.options ?? {}).map(([option, { type, value }]) =>
    type === "string" ? `[--${option} ${value ?? "TEXT"}]` : `[--${option}]`,
  );
  return ["weir", name, ...(command.words ?? []), ...options].join(" ");
}
