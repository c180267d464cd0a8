/** The cost N of scrypt for new password hashes. A stored hash names its own. */
export const PASSWORD_COST = 16_384;
/** The cost N of scrypt for the passphrase of a new backup: about 0.2 s and 64 MiB. A file names its own. */
export const PASSPHRASE_COST = 65_536;
