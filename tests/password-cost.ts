/**
 * Takes the place of lib/password-cost.ts in tests: thousands of sign-ins at its cost would take half a minute of CPU, and the dozens
 * of backups of lib/backup/backup.test.ts ten seconds.
 */
export const PASSWORD_COST = 16;
export const PASSPHRASE_COST = 16;
