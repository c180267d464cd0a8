/** Determines the menu entries; the flags are site settings (B133, B212). */
export type ShellMenu = {
  role: number;
  dashboard: boolean;
  drawing: boolean;
  task: boolean;
  capture: boolean;
  /** Names of the chat clients, in the operator's order. */
  chats: readonly string[];
  closedGroups: readonly MenuGroup[];
};

const USER = 1;
const ADMIN = 10;
const ROOT = 100;

/** The headings of the menu, in order; keys under "shell.groups" in the messages. */
export const MENU_GROUPS = ["work", "accounts", "activity", "system"] as const;
export type MenuGroup = (typeof MENU_GROUPS)[number];

/** Cookie with the closed groups of the menu, so that the server renders them that way. */
export const CLOSED_GROUPS_COOKIE = "menu-closed";

export const readClosedGroups = (text: string | undefined): MenuGroup[] =>
  MENU_GROUPS.filter((group) => text?.split(".").includes(group));

type Entry = {
  path: string;
  /** Key of its name under "shell" in the messages. */
  label: string;
  /** The minimum role for the page. It only hides the entry; the page checks again. */
  role: number;
  group: MenuGroup;
  /** The entry is shown only while this flag is on. */
  flag?: "dashboard" | "drawing" | "task" | "capture";
  /** The shortcut key after "g". */
  key?: string;
};

/** The console pages in the order of B130; pages that B130 does not list come last. */
const ENTRIES = [
  { path: "/playground", label: "playground", role: USER, group: "work", key: "p" },
  { path: "/channel", label: "channel", role: ADMIN, group: "work", key: "c" },
  { path: "/chat", label: "chat", role: USER, group: "work" },
  { path: "/token", label: "token", role: USER, group: "work", key: "t" },
  { path: "/detail", label: "detail", role: USER, group: "work", flag: "dashboard", key: "d" },
  { path: "/redemption", label: "redemption", role: ADMIN, group: "accounts", key: "r" },
  { path: "/topup", label: "topup", role: USER, group: "accounts", key: "w" },
  { path: "/user", label: "user", role: ADMIN, group: "accounts", key: "u" },
  { path: "/log", label: "log", role: USER, group: "activity", key: "l" },
  { path: "/midjourney", label: "midjourney", role: USER, group: "activity", flag: "drawing", key: "m" },
  { path: "/task", label: "task", role: USER, group: "activity", flag: "task", key: "a" },
  { path: "/capture", label: "capture", role: USER, group: "activity", flag: "capture" },
  { path: "/alert", label: "alert", role: USER, group: "activity" },
  { path: "/setting", label: "setting", role: USER, group: "system", key: "s" },
  { path: "/audit", label: "audit", role: ROOT, group: "system" },
  { path: "/docs/api", label: "apiDocs", role: USER, group: "system" },
] as const satisfies readonly Entry[];

export type MenuEntry = (typeof ENTRIES)[number];

/** Chat is there only while there is a chat client to link to. */
export function menuEntries(menu: ShellMenu): MenuEntry[] {
  return ENTRIES.filter(
    (entry) =>
      menu.role >= entry.role &&
      (!("flag" in entry) || menu[entry.flag]) &&
      (entry.label !== "chat" || menu.chats.length > 0),
  );
}

/** The entries under their headings; groups without an entry are left out. */
export function menuGroups(menu: ShellMenu): { group: MenuGroup; entries: MenuEntry[] }[] {
  const entries = menuEntries(menu);
  return MENU_GROUPS.map((group) => ({ group, entries: entries.filter((entry) => entry.group === group) })).filter(
    (part) => part.entries.length > 0,
  );
}

/** Target of the "console" link: the dashboard if enabled, else the tokens. */
export const consolePath = (menu: Pick<ShellMenu, "dashboard">) => (menu.dashboard ? "/detail" : "/token");

/** Whether a page belongs to the console: it has a menu entry, or is below one. */
export const isInConsole = (path: string) => ENTRIES.some((entry) => isCurrent(path, entry.path));

export const isCurrent = (path: string, entry: string) => path === entry || path.startsWith(`${entry}/`);
