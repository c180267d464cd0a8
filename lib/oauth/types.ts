/** Services whose accounts can be used to sign in. Safe to import in the browser. */
export const OUTSIDE_PROVIDERS = ["github", "linuxdo", "oidc", "wechat", "telegram"] as const;
export type OutsideProvider = (typeof OUTSIDE_PROVIDERS)[number];

/** Providers of the OAuth 2.0 authorization code flow. */
export const CODE_PROVIDERS = ["github", "linuxdo", "oidc"] as const;
export type CodeProvider = (typeof CODE_PROVIDERS)[number];

/** Names that are the same in every language; WeChat has its own texts. */
export const PROVIDER_NAME = {
  github: "GitHub",
  linuxdo: "LinuxDO",
  oidc: "OIDC",
  wechat: "WeChat",
  telegram: "Telegram",
} as const satisfies Record<OutsideProvider, string>;

export function isCodeProvider(text: string): text is CodeProvider {
  return CODE_PROVIDERS.some((provider) => provider === text);
}

/** A user's identity at a provider. Only `id` identifies: names change owners, and an e-mail address proves nothing here. */
export type OutsideIdentity = {
  provider: OutsideProvider;
  /** The provider's stable id of the account. */
  id: string;
  /**
   * Where the id is valid, because the operator chooses the server: the issuer of OpenID Connect, the server's host for
   * others (see ./servers.ts). Absent for Telegram.
   */
  issuer?: string;
  /** The issuer under which the account may still be stored. */
  formerIssuer?: string;
  /** Display name of a new account; "" when the provider gives none. */
  displayName: string;
  /** User name wanted for a new account; null where the provider's names are not adopted. */
  preferredUsername: string | null;
};

/** The available external accounts, with what a screen needs to offer them. */
export type OutsideFlags = {
  github: boolean;
  linuxdo: boolean;
  oidc: boolean;
  wechat: { qrCode: string } | null;
  telegram: { botName: string } | null;
};

/** The external account ids of a user, under their API names; "" when not bound. */
export type Bindings = {
  github_id: string;
  linux_do_id: string;
  oidc_id: string;
  wechat_id: string;
  telegram_id: string;
};

type BoundUser = Record<"githubId" | "linuxDoId" | "oidcId" | "wechatId" | "telegramId", string | null>;

export function toBindings(user: BoundUser): Bindings {
  return {
    github_id: user.githubId ?? "",
    linux_do_id: user.linuxDoId ?? "",
    oidc_id: user.oidcId ?? "",
    wechat_id: user.wechatId ?? "",
    telegram_id: user.telegramId ?? "",
  };
}

export const BINDING_FIELD = {
  github: "github_id",
  linuxdo: "linux_do_id",
  oidc: "oidc_id",
  wechat: "wechat_id",
  telegram: "telegram_id",
} as const satisfies Record<OutsideProvider, keyof Bindings>;
