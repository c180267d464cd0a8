/** Remembers that somebody has put the checklist of the first day away; the server then does not look. */
export const ONBOARDING_COOKIE = "onboarding";
