/** Where somebody who signs in goes when they came for nothing in particular. */
export const LANDING_PAGE = "/token";

const PATH_MAX = 2_000;

/** The page to go to after signing in, if it is one of this site; else the landing page. Nobody is led elsewhere by it. */
export function redirectTarget(wanted: string | string[] | undefined): string {
  if (typeof wanted !== "string" || wanted.length > PATH_MAX || !/^\/(?![/\\])/.test(wanted)) return LANDING_PAGE;
  const base = "http://site.invalid";
  if (!URL.canParse(wanted, base)) return LANDING_PAGE;
  const { origin, pathname, search, hash } = new URL(wanted, base);
  // Browsers drop tabs and line breaks from addresses, which could make "//" of what is none here.
  if (origin !== base || pathname.startsWith("//") || pathname === "/login") return LANDING_PAGE;
  return `${pathname}${search}${hash}`;
}
