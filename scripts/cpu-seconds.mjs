import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { cpuBudget } from "./cpu-budget.mjs";

// The CPU seconds of everything that a command starts.

const perl = "/usr/bin/perl";
const counter = join(import.meta.dirname, "count-cpu.pl");

/**
 * The command line that runs a command and writes the CPU seconds of all its processes into a file. Where they cannot be
 * counted (not Linux, no perl) it is the command itself, and there is no such file.
 * @param {string} file
 * @param {string[]} command
 * @param {number} niceness
 * @returns {string[]}
 */
export function counted(file, command, niceness = 0) {
  const isPossible = process.platform === "linux" && existsSync(perl);
  return isPossible ? [perl, counter, file, String(niceness), ...command] : command;
}

/** @returns {number | null} */
export function readCpuSeconds(file) {
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : null;
}

/**
 * What a stage took, in words, and why that is too much.
 * @param {string} stage
 * @param {number | null} seconds
 * @param {Record<string, number>} budget
 * @returns {{ text: string, failure: string | null }}
 */
export function judgeCpu(stage, seconds, budget = cpuBudget) {
  if (seconds === null) return { text: "CPU seconds unknown", failure: null };
  const most = budget[stage];
  const used = Math.round(seconds);
  if (most === undefined) return { text: `${used} CPU s`, failure: null };
  const failure = `took ${used} CPU seconds in all its processes; scripts/cpu-budget.mjs allows ${most}`;
  return { text: `${used} of ${most} CPU s`, failure: seconds > most ? failure : null };
}
