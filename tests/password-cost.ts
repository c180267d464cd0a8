/** Takes the place of lib/password-cost.ts in tests: thousands of sign-ins at its cost would take half a minute of CPU. */
export const PASSWORD_COST = 16;
