/** Every screen, with what must be signed in to see it. New pages are added here and are then crawled by every check. */
export const PUBLIC_SCREENS = [
  "/",
  "/login",
  "/login?expired=true",
  "/register",
  "/reset",
  "/user/reset",
  "/oauth/github?error=access_denied&state=x",
  "/pricing",
  "/about",
  "/no-such-page",
] as const;

export const CONSOLE_SCREENS = [
  "/detail",
  "/playground",
  "/channel",
  "/channel?create=true",
  "/token",
  "/token?create=true",
  "/redemption",
  "/topup",
  "/user",
  "/log",
  "/midjourney",
  "/task",
  "/audit",
  "/setting?tab=personal",
  "/setting?tab=operation",
  "/setting?tab=system",
  "/setting?tab=other",
] as const;
