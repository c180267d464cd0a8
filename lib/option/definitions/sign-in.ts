import { address, flag, line, number, type OptionDefinition } from "../definition";

const WHITELIST = "gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com";

/** Login, registration and e-mail (contract §3.2). */
export const signInOptions = {
  PasswordLoginEnabled: { schema: flag, default: "true", card: "login" },
  PasswordRegisterEnabled: { schema: flag, default: "true", card: "login" },
  RegisterEnabled: { schema: flag, default: "true", card: "login" },
  EmailVerificationEnabled: { schema: flag, default: "false", card: "login" },
  GitHubOAuthEnabled: { schema: flag, default: "false", card: "login", needs: "GitHubClientId" },
  LinuxDOOAuthEnabled: { schema: flag, default: "false", card: "login", needs: "LinuxDOClientId" },
  WeChatAuthEnabled: { schema: flag, default: "false", card: "login", needs: "WeChatServerAddress" },
  TelegramOAuthEnabled: { schema: flag, default: "false", card: "login", needs: "TelegramBotToken" },
  TurnstileCheckEnabled: { schema: flag, default: "false", card: "login", needs: "TurnstileSiteKey" },
  EmailDomainRestrictionEnabled: {
    schema: flag,
    default: "false",
    card: "whitelist",
    needs: "EmailDomainWhitelist",
  },
  EmailAliasRestrictionEnabled: { schema: flag, default: "false", card: "whitelist" },
  EmailDomainWhitelist: { schema: line, default: WHITELIST, card: "whitelist", control: "tags" },
  SMTPServer: { schema: line, default: "", card: "smtp" },
  SMTPPort: { schema: number({ min: 1, max: 65_535, integer: true }), default: "587", card: "smtp" },
  SMTPAccount: { schema: line, default: "", card: "smtp" },
  SMTPFrom: { schema: line, default: "", card: "smtp" },
  SMTPToken: { schema: line, default: "", secret: true, card: "smtp" },
  SMTPSSLEnabled: { schema: flag, default: "false", card: "smtp" },
} as const satisfies Record<string, OptionDefinition>;

/** External accounts and the human check (contract §3.2). */
export const outsideAccountOptions = {
  GitHubClientId: { schema: line, default: "", card: "github" },
  GitHubClientSecret: { schema: line, default: "", secret: true, card: "github" },
  LinuxDOClientId: { schema: line, default: "", card: "linuxdo" },
  LinuxDOClientSecret: { schema: line, default: "", secret: true, card: "linuxdo" },
  WeChatServerAddress: { schema: address, default: "", card: "wechat" },
  WeChatServerToken: { schema: line, default: "", secret: true, card: "wechat" },
  WeChatAccountQRCodeImageURL: { schema: line, default: "", card: "wechat" },
  TelegramBotToken: { schema: line, default: "", secret: true, card: "telegram" },
  TelegramBotName: { schema: line, default: "", card: "telegram" },
  TurnstileSiteKey: { schema: line, default: "", card: "turnstile" },
  TurnstileSecretKey: { schema: line, default: "", secret: true, card: "turnstile" },
  "oidc.enabled": { schema: flag, default: "false", card: "oidc", needs: "oidc.client_id" },
  "oidc.well_known": { schema: address, default: "", card: "oidc" },
  "oidc.client_id": { schema: line, default: "", card: "oidc" },
  "oidc.client_secret": { schema: line, default: "", secret: true, card: "oidc" },
  "oidc.authorization_endpoint": { schema: address, default: "", card: "oidc" },
  "oidc.token_endpoint": { schema: address, default: "", card: "oidc" },
  "oidc.user_info_endpoint": { schema: address, default: "", card: "oidc" },
} as const satisfies Record<string, OptionDefinition>;
