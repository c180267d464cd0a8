import { getPriority, setPriority } from "node:os";
import { runServerCommand } from "../run-built.mjs";

/** What the gateways do comes first. */
const NICENESS = 10;

export const backup = {
  summary: "writes the database, the secret and charges not booked yet to a file, while Weir runs",
  details: `
FILE must not exist; in a FOLDER the file is named weir-DATE-TIME.backup. The backup is read once more after writing.
It is encrypted by a passphrase: the first line of --passphrase-file, or WEIR_BACKUP_PASSPHRASE, or asked for.
docs/operations/backup.md has the daily backup, the restore and point-in-time recovery.`,
  words: ["FILE|FOLDER"],
  options: {
    "passphrase-file": { type: "string", value: "FILE", description: "its first line is the passphrase" },
    "without-secret": { type: "boolean", description: "leaves WEIR_SECRET out; keep it elsewhere" },
    plain: { type: "boolean", description: "unencrypted: whoever gets the file has all provider keys" },
    "without-logs": { type: "boolean", description: "leaves the usage log out; balances and sums stay" },
    keep: { type: "string", value: "N", description: "then keeps only the newest N backups of the folder" },
  },
  run(values, positionals) {
    // Under `nice -n 19` it stays there: only root may take that back.
    if (getPriority() < NICENESS) setPriority(NICENESS);
    return runServerCommand("backup", values, positionals);
  },
};
