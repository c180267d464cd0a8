/** The page after signing in when no other was asked for. */
export const LANDING_PAGE = "/token";

const PATH_MAX = 2_000;

/** The page to open after signing in: the wanted path if it is on this site, else the landing page. Prevents open redirects. */
export function redirectTarget(wanted: string | string[] | undefined): string {
  if (typeof wanted !== "string" || wanted.length > PATH_MAX || !/^\/(?![/\\])/.test(wanted)) return LANDING_PAGE;
  const base = "http://site.invalid";
  if (!URL.canParse(wanted, base)) return LANDING_PAGE;
  const { origin, pathname, search, hash } = new URL(wanted, base);
  // Browsers drop tabs and line breaks in URLs, so a path can turn into one that starts with "//".
  if (origin !== base || pathname.startsWith("//") || pathname === "/login") return LANDING_PAGE;
  return `${pathname}${search}${hash}`;
}
