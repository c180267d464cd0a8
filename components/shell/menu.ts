/** What decides which entries the menu has; the flags are the site's (B133, B212). */
export type ShellMenu = {
  role: number;
  dashboard: boolean;
  drawing: boolean;
  task: boolean;
  /** Names of the chat clients, in the operator's order. */
  chats: readonly string[];
};

const USER = 1;
const ADMIN = 10;
const ROOT = 100;

type Entry = {
  path: string;
  /** Key under "shell" of its name. */
  label: string;
  /** The least role that may open the page; the page checks again. */
  role: number;
  /** Only while this flag is on. */
  flag?: "dashboard" | "drawing" | "task";
  /** The key after "g" that leads there. */
  key?: string;
};

/** The pages of the console in the order of B130; what B130 does not know stands behind. */
const ENTRIES = [
  { path: "/playground", label: "playground", role: USER, key: "p" },
  { path: "/channel", label: "channel", role: ADMIN, key: "c" },
  { path: "/chat", label: "chat", role: USER },
  { path: "/token", label: "token", role: USER, key: "t" },
  { path: "/detail", label: "detail", role: USER, flag: "dashboard", key: "d" },
  { path: "/redemption", label: "redemption", role: ADMIN, key: "r" },
  { path: "/topup", label: "topup", role: USER, key: "w" },
  { path: "/user", label: "user", role: ADMIN, key: "u" },
  { path: "/log", label: "log", role: USER, key: "l" },
  { path: "/midjourney", label: "midjourney", role: USER, flag: "drawing", key: "m" },
  { path: "/task", label: "task", role: USER, flag: "task", key: "a" },
  { path: "/setting", label: "setting", role: USER, key: "s" },
  { path: "/audit", label: "audit", role: ROOT },
  { path: "/docs/api", label: "apiDocs", role: USER },
] as const satisfies readonly Entry[];

export type MenuEntry = (typeof ENTRIES)[number];

/** The entries that somebody sees. */
export function menuEntries(menu: ShellMenu): MenuEntry[] {
  return ENTRIES.filter((entry) => menu.role >= entry.role && (!("flag" in entry) || menu[entry.flag]));
}

/** Where "console" leads: the dashboard, while there is one. */
export const consolePath = (menu: Pick<ShellMenu, "dashboard">) => (menu.dashboard ? "/detail" : "/token");

export const isCurrent = (path: string, entry: string) => path === entry || path.startsWith(`${entry}/`);
