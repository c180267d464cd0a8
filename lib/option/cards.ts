/** The cards of the settings page in their order, by tab (A073–A089). Safe to import in the browser. */
export const SETTING_CARDS = {
  operation: [
    "general",
    "drawing",
    "sensitive",
    "log",
    "dashboard",
    "monitoring",
    "failover",
    "claude",
    "gemini",
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
  other: ["name", "logo", "notice", "home", "about", "footer"],
} as const;

export type OptionTab = keyof typeof SETTING_CARDS;
export type OptionCard = (typeof SETTING_CARDS)[OptionTab][number];

export const OPTION_TABS = Object.keys(SETTING_CARDS) as OptionTab[];

export function tabOf(card: OptionCard): OptionTab {
  const found = OPTION_TABS.find((tab) => SETTING_CARDS[tab].some((other) => other === card));
  if (!found) throw new Error(`no tab has the card ${card}`);
  return found;
}
