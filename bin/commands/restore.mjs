import { runServerCommand } from "../run-built.mjs";

export const restore = {
  summary: "fills an empty database from a backup, all or nothing",
  details: `
Stop Weir on every machine first. The whole file is verified before anything is written; an older schema is migrated.
Everybody has to sign in again afterwards. docs/operations/backup.md has the steps.`,
  words: ["FILE"],
  options: {
    "passphrase-file": { type: "string", value: "FILE", description: "its first line is the passphrase" },
    check: { type: "boolean", description: "only verifies the file" },
    "secret-only": { type: "boolean", description: "puts only the secret back; the database is left alone" },
    replace: { type: "boolean", description: "replaces what is there, after a typed confirmation" },
    yes: { type: "boolean", description: "with --replace: without the confirmation" },
  },
  run: (values, positionals) => runServerCommand("restore", values, positionals),
};
