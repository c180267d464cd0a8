import { WrongUse } from "../../scripts/arguments.mjs";
import { runServerCommand } from "../run-built.mjs";

export const key = {
  summary: "rotate: seals everything that is sealed in the database under a new WEIR_SECRET",
  details: `
Stop Weir on every machine first: it is refused while one runs. One transaction: when it is cut off, the next start
finds out by itself which secret holds. Everybody has to sign in again; API keys stay.`,
  words: ["rotate"],
  options: {
    stdin: { type: "boolean", description: "takes the new secret from the first line of the input" },
    "keep-unreadable": {
      type: "boolean",
      description: "leaves values that the present secret does not open as they are (a lost secret)",
    },
  },
  async run(values, positionals) {
    if (positionals[0] !== "rotate") throw new WrongUse("Usage: weir key rotate [--stdin] [--keep-unreadable]");
    return runServerCommand("key", values, positionals);
  },
};
