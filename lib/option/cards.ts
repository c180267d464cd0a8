/** The cards of the settings page in their order, by tab (A073–A089). Safe to import in the browser. */
export const SETTING_CARDS = {
  operation: [
    "general",
    "drawing",
    "sensitive",
    "log",
    "capture",
    "dashboard",
    "monitoring",
    "failover",
    "claude",
    "gemini",
    "modelRules",
    "quota",
    "invite",
    "limits",
    "modes",
    "chats",
    "groups",
    "pricing",
  ],
  system: [
    "server",
    "worker",
    "payment",
    "stripe",
    "login",
    "whitelist",
    "smtp",
    "github",
    "linuxdo",
    "wechat",
    "telegram",
    "turnstile",
    "oidc",
    "notify",
  ],
  other: ["name", "logo", "notice", "home", "about", "footer", "statusPage"],
} as const;

export type OptionTab = keyof typeof SETTING_CARDS;
export type OptionCard = (typeof SETTING_CARDS)[OptionTab][number];

export const OPTION_TABS = Object.keys(SETTING_CARDS) as OptionTab[];

export function tabOf(card: OptionCard): OptionTab {
  const found = OPTION_TABS.find((tab) => SETTING_CARDS[tab].some((other) => other === card));
  if (!found) throw new Error(`no tab has the card ${card}`);
  return found;
}

/** Cards that stand on the page of another one; every other card has a page of its own. */
const SHARED_PAGES: Partial<Record<OptionCard, OptionCard>> = {
  invite: "quota",
  gemini: "claude",
  modelRules: "claude",
  worker: "server",
  stripe: "payment",
  whitelist: "login",
  turnstile: "login",
  linuxdo: "github",
  wechat: "github",
  telegram: "github",
  oidc: "github",
  logo: "name",
  footer: "name",
};

/** A page without options: the check of the books and refused charges. */
export const BOOKS_PAGE = "books";

/** The id of a settings page is that of its first card. */
export type SettingPageId = OptionCard | typeof BOOKS_PAGE;
export type SettingPageInfo = { id: SettingPageId; tab: OptionTab; cards: readonly OptionCard[] };

export function pageOf(card: OptionCard): OptionCard {
  return SHARED_PAGES[card] ?? card;
}

/** The pages of a tab, in the order of their first cards. */
export function pagesOf(tab: OptionTab): SettingPageInfo[] {
  const cards: readonly OptionCard[] = SETTING_CARDS[tab];
  const pages: SettingPageInfo[] = cards
    .filter((card) => pageOf(card) === card)
    .map((id) => ({ id, tab, cards: cards.filter((card) => pageOf(card) === id) }));
  return tab === "operation" ? [...pages, { id: BOOKS_PAGE, tab, cards: [] }] : pages;
}

/** The page with this id, or with a card of this id; undefined for any other text. */
export function findPage(tab: OptionTab, id: string | undefined): SettingPageInfo | undefined {
  return pagesOf(tab).find((page) => page.id === id || page.cards.some((card) => card === id));
}

/** The address of a card's page. `anchor` is an option or a card on it. */
export function settingPath(card: OptionCard, anchor?: string): string {
  const query = new URLSearchParams({ tab: tabOf(card), page: pageOf(card) });
  return `/setting?${query}${anchor === undefined ? "" : `#${encodeURIComponent(anchor)}`}`;
}
