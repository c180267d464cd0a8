/** In which cookie a browser tells its time zone, so that the server knows when the reader's day began. */
export const TIME_ZONE_COOKIE = "time-zone";

const ONE_YEAR = 31_536_000;

/** Tells the server the browser's time zone from the next page on. */
export function tellTimeZone(): void {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every supported browser
  document.cookie = `${TIME_ZONE_COOKIE}=${encodeURIComponent(timeZone)}; path=/; max-age=${ONE_YEAR}; samesite=lax`;
}
