/** The cost N of scrypt for new password hashes. A stored hash names its own. */
export const PASSWORD_COST = 16_384;
