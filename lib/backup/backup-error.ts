/** A failure whose message says to the operator what is wrong and what to do. */
export class BackupError extends Error {}

/** The file is not what was written. */
export class DamagedBackup extends BackupError {
  constructor(what: string, options?: ErrorOptions) {
    super(`The backup is damaged or incomplete: ${what}. Nothing was changed. Use another backup.`, options);
  }
}
