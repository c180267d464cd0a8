/** Marks the onboarding checklist as dismissed, so that the server skips its queries. */
export const ONBOARDING_COOKIE = "onboarding";
