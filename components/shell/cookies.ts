/** Marks the onboarding checklist as dismissed, so that the server skips its queries. */
export const ONBOARDING_COOKIE = "onboarding";

/** Cookie with the browser's time zone, so that the server knows when the user's day begins. */
export const TIME_ZONE_COOKIE = "time-zone";

const ONE_YEAR = 31_536_000;

/** Tells the server the time zone; takes effect with the next request. */
export function tellTimeZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
  document.cookie = `${TIME_ZONE_COOKIE}=${encodeURIComponent(timeZone)}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
}
