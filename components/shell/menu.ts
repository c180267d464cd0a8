/** Determines the menu entries; the flags are site settings (B133, B212). */
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
  /** Key of its name under "shell" in the messages. */
  label: string;
  /** The minimum role for the page. It only hides the entry; the page checks again. */
  role: number;
  /** The entry is shown only while this flag is on. */
  flag?: "dashboard" | "drawing" | "task";
  /** The shortcut key after "g". */
  key?: string;
};

/** The console pages in the order of B130; pages that B130 does not list come last. */
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
  { path: "/alert", label: "alert", role: USER },
  { path: "/audit", label: "audit", role: ROOT },
  { path: "/docs/api", label: "apiDocs", role: USER },
] as const satisfies readonly Entry[];

export type MenuEntry = (typeof ENTRIES)[number];

export function menuEntries(menu: ShellMenu): MenuEntry[] {
  return ENTRIES.filter((entry) => menu.role >= entry.role && (!("flag" in entry) || menu[entry.flag]));
}

/** Target of the "console" link: the dashboard if enabled, else the tokens. */
export const consolePath = (menu: Pick<ShellMenu, "dashboard">) => (menu.dashboard ? "/detail" : "/token");

export const isCurrent = (path: string, entry: string) => path === entry || path.startsWith(`${entry}/`);
