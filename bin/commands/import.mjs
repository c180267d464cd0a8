import { WrongUse } from "../../scripts/arguments.mjs";
import { runServerCommand } from "../run-built.mjs";

const systems = ["new-api", "one-api", "litellm"];
const collisions = ["skip", "rename"];

export const importCommand = {
  summary: "moves accounts, keys, channels and more in from another system",
  details: `
  weir import new-api --from sqlite:/data/one-api.db --dry-run
  weir import new-api --from mysql://USER:PASSWORD@HOST/DATABASE
  weir import one-api --from postgres://USER:PASSWORD@HOST/DATABASE --logs
  weir import litellm --from config.yaml --database postgres://USER:PASSWORD@HOST/DATABASE

Works beside a running Weir, which serves what was imported at once. The other system's database is only read. If the command is
cut off, run it again: it goes on where it was, and what is here already is not brought twice. docs/moving has a guide
for each system. --from may also be the variable WEIR_IMPORT_FROM, so that the password is in no list of processes.

The report ends with what to look at and what mends it; it is kept in the data directory, in imports. Exit code 3: everything was
imported that could be, and there is something to look at.`,
  words: ["SYSTEM"],
  options: {
    from: {
      type: "string",
      value: "ADDRESS",
      description: "sqlite:FILE, mysql://… or postgres://…; litellm: config.yaml",
    },
    database: {
      type: "string",
      value: "ADDRESS",
      description: "litellm: its PostgreSQL, for users, teams, budgets and keys",
    },
    "dry-run": { type: "boolean", description: "reads everything, writes nothing, and says what would not carry over" },
    logs: { type: "boolean", description: "the usage log, too" },
    options: { type: "boolean", description: "the settings, too, where this Weir is in use already" },
    "on-collision": {
      type: "string",
      value: "skip|rename",
      description: "a name that is taken: leave out (default), or NAME-2",
    },
    "default-ratio": {
      type: "boolean",
      description: "one-api: models that it charged at its default ratio of 30 get that as their ratio",
    },
    balance: {
      type: "string",
      value: "DOLLARS",
      description: "litellm: the balance of each account that has no budget in all there",
    },
    report: { type: "string", value: "FILE", description: "writes the report as JSON, too" },
  },
  async run(values, [system]) {
    const from = values.from ?? process.env.WEIR_IMPORT_FROM;
    if (!systems.includes(system)) throw new WrongUse(`Usage: weir import ${systems.join("|")} --from ADDRESS`);
    if (!from) throw new WrongUse("Say where to read from: --from sqlite:FILE, mysql://… or postgres://…");
    const own = {
      litellm: ["logs", "options", "default-ratio"],
      "new-api": ["database", "balance", "default-ratio"],
      "one-api": ["database", "balance"],
    }[system];
    const wrong = own.find((name) => values[name] !== undefined);
    if (wrong) throw new WrongUse(`--${wrong} is not for ${system}.`);
    if (values["on-collision"] !== undefined && !collisions.includes(values["on-collision"]))
      throw new WrongUse(`--on-collision is ${collisions.join(" or ")}.`);
    if (values.balance !== undefined && !/^\d{1,9}(\.\d{1,6})?$/.test(values.balance))
      throw new WrongUse("--balance is a number of dollars, such as 100 or 0.5.");
    if (values.database !== undefined && /^(sqlite|mysql|mariadb):/.test(values.database))
      throw new WrongUse("--database is postgres://…: LiteLLM has no other.");
    return runServerCommand("import", { ...values, from }, [system]);
  },
};
