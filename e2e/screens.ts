/** Every screen, by the account it needs. Add new pages here: every crawling test then covers them. */
export const PUBLIC_SCREENS = [
  "/",
  "/login",
  "/login?expired=true",
  "/register",
  "/reset",
  "/user/reset",
  "/oauth/github?error=access_denied&state=x",
  "/pricing",
  "/status",
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
  "/redemption?create=true",
  "/topup",
  "/topup?tab=ledger",
  "/topup?tab=all",
  "/topup?tab=callbacks",
  "/user",
  "/user?create=true",
  "/user?edit=1",
  "/user/edit",
  "/user/1",
  "/log",
  "/midjourney",
  "/task",
  "/docs/api",
  "/alert",
  "/capture",
  "/alert?alerts=new",
  "/audit",
  "/activity",
  "/setting?tab=personal",
  "/setting?tab=operation",
  "/setting?tab=operation&page=limits",
  "/setting?tab=operation&page=pricing",
  "/setting?tab=operation&page=failover",
  "/setting?tab=system&page=login",
  "/setting?tab=system&page=smtp",
  "/setting?tab=other",
  "/setting/prices",
  "/setting/prices/list",
  "/setting/prices/history",
  "/setting/prices/what-if",
] as const;

/** Whether the address of a screen is one of this route, as `/user/1` is of `/user/[id]`. */
export function isOfRoute(screen: string, route: string): boolean {
  const pattern = route.replace(/\[\[?\.{3}[^/]*\]/g, ".+").replace(/\[[^/]*\]/g, "[^/]+");
  return new RegExp(`^${pattern}$`).test(screen.split("?")[0] ?? "");
}
