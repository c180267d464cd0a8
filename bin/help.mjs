import { usageOf } from "../scripts/arguments.mjs";

const table = (rows) => {
  const width = Math.max(0, ...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}\n`).join("");
};

export function describeAll(commands) {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary]);
  return `Usage: weir COMMAND [OPTIONS]\n\n${table(rows)}\nweir COMMAND --help says more about one. Exit codes: 0 done, 1 failed, 2 wrong use.\n`;
}

export function describeCommand(name, command) {
  const options = Object.entries(command.options ?? {}).map(([option, { type, value, description }]) => [
    type === "string" ? `--${option} ${value ?? "TEXT"}` : `--${option}`,
    description ?? "",
  ]);
  const details = command.details ? `\n${command.details.trim()}\n` : "";
  const list = options.length > 0 ? `\n${table(options)}` : "";
  return `Usage: ${usageOf(name, command)}\n\n${command.summary}\n${details}${list}`;
}
