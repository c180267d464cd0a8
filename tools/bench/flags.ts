import { parseArgs } from "node:util";
import { AGAINST_FORM } from "./against";
import { pinsByDefault } from "./cores";
import { TREES_FORM } from "./trees";

const texts = {
  rounds: ["9", "rounds of each phase; a figure is their median"],
  seconds: ["2", "seconds of a round"],
  warm: ["10", "seconds before the rounds that are not counted"],
  phases: [
    "requests,rate,light,streams",
    "what is measured; besides these briefs (streams of a few chunks), allocations, soak, faults, translation and realtime",
  ],
  only: [
    "direct,floor,nginx,weir",
    "what takes part, also log-store (Weir with ClickHouse) and service (all that npm start starts); gateways of --against always do",
  ],
  trees: ["", `other versions of Weir in place of this one: ${TREES_FORM}`],
  seed: ["", "a number from which the order in each round follows (a new one)"],
  callers: ["64,256", "callers of whole answers, each number in turn"],
  rate: ["2000", "whole answers a second in the phase rate"],
  "light-rate": ["50", "whole answers a second in the phase light"],
  streams: ["100", "streams at a time"],
  "upstream-host": ["127.0.0.1", "address of this machine at which the fake upstream listens"],
  "upstream-port": ["", "its port (4100 with --against, otherwise any free one)"],
  wait: ["0", "seconds in which the gateways of --against may still be set up"],
  sessions: ["100", "sessions of the phase realtime"],
  "soak-minutes": ["120", "minutes of the phase soak"],
  "soak-rate": ["50", "requests a second of the phase soak"],
  "slow-readers": ["6", "its readers of large streams"],
} as const satisfies Record<string, readonly [string, string]>;

type TextFlag = keyof typeof texts;
export type Flags = Record<TextFlag, string> & { quick: boolean; pin: boolean; against: string[] };

/** Options of the command line. Throws if there are others, or if one that is a number is none. */
export function parseFlags(args: readonly string[]): Flags | "help" {
  const options = Object.fromEntries(
    Object.entries(texts).map(([name, [value]]) => [name, { type: "string" as const, default: value }]),
  ) as Record<TextFlag, { type: "string"; default: string }>;
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...options,
      quick: { type: "boolean", default: false },
      pin: { type: "boolean" },
      "no-pin": { type: "boolean", default: false },
      against: { type: "string", multiple: true, default: [] as string[] },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const { help, pin, "no-pin": isFree, ...flags } = values;
  if (help) return "help";
  for (const [name, [value]] of Object.entries(texts) as [TextFlag, readonly [string, string]][])
    if (/^\d+$/.test(value) && !/^\d+(\.\d+)?$/.test(flags[name]))
      throw new Error(`--${name} must be a number, not "${flags[name]}"`);
  if (!/^\d{0,5}$/.test(flags["upstream-port"])) throw new Error(`--upstream-port must be a port`);
  if (!/^\d*$/.test(flags.seed)) throw new Error(`--seed must be a number, not "${flags.seed}"`);
  if (!/^[1-9]\d*(,[1-9]\d*)*$/.test(flags.callers))
    throw new Error(`--callers must be numbers separated by commas, not "${flags.callers}"`);
  // Another's processes stay where they are, so Weir's do too.
  const pinsHere = pin ?? (flags.against.length === 0 && pinsByDefault());
  return { ...flags, pin: pinsHere && !isFree };
}

export function usage(): string {
  const rows = Object.entries(texts).map(([name, [value, text]]) => [
    `--${name} ${value || (name === "upstream-port" ? "PORT" : "…")}`,
    text,
  ]);
  rows.unshift([`--against …`, `another gateway, ${AGAINST_FORM}; may be repeated`]);
  rows.push(["--pin, --no-pin", "what is measured has a core of its own (where there are two, and taskset)"]);
  rows.push(["--quick", "the phase faults with small limits"]);
  const width = Math.max(...rows.map(([left = ""]) => left.length));
  const lines = rows.map(([left = "", right]) => `  ${left.padEnd(width)}  ${right}`);
  return ["Usage: weir bench [OPTIONS]    (tools/bench/README.md says more)", "", ...lines].join("\n");
}
