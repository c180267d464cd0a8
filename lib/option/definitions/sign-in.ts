import { address, flag, line, number, type OptionDefinition } from "../definition";

const WHITELIST = "gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com";

/** Login, registration and e-mail (contract §3.2). */
export const signInOptions = {
  PasswordLoginEnabled: { schema: flag, default: "true", delicate: true, card: "login" },
  PasswordRegisterEnabled: { schema: flag, default: "true", delicate: true, card: "login" },
  RegisterEnabled: { schema: flag, default: "true", delicate: true, card: "login" },
  EmailVerificationEnabled: { schema: flag, default: "false", delicate: true, card: "login" },
  GitHubOAuthEnabled: { schema: flag, default: "false", delicate: true, card: "login", needs: "GitHubClientId" },
  LinuxDOOAuthEnabled: { schema: flag, default: "false", delicate: true, card: "login", needs: "LinuxDOClientId" },
  WeChatAuthEnabled: { schema: flag, default: "false", delicate: true, card: "login", needs: "WeChatServerAddress" },
  TelegramOAuthEnabled: { schema: flag, default: "false", delicate: true, card: "login", needs: "TelegramBotToken" },
  TurnstileCheckEnabled: { schema: flag, default: "false", delicate: true, card: "login", needs: "TurnstileSiteKey" },
  EmailDomainRestrictionEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    card: "whitelist",
    needs: "EmailDomainWhitelist",
  },
  EmailAliasRestrictionEnabled: { schema: flag, default: "false", delicate: true, card: "whitelist" },
  EmailDomainWhitelist: { schema: line, default: WHITELIST, delicate: true, card: "whitelist", control: "tags" },
  SMTPServer: { schema: line, default: "", delicate: true, card: "smtp" },
  SMTPPort: { schema: number({ min: 1, max: 65_535, integer: true }), default: "587", delicate: true, card: "smtp" },
  SMTPAccount: { schema: line, default: "", delicate: true, card: "smtp" },
  SMTPFrom: { schema: line, default: "", delicate: true, card: "smtp" },
  SMTPToken: { schema: line, default: "", delicate: true, secret: true, card: "smtp" },
  SMTPSSLEnabled: { schema: flag, default: "false", delicate: true, card: "smtp" },
} as const satisfies Record<string, OptionDefinition>;

/** External accounts and the human check (contract §3.2). */
export const outsideAccountOptions = {
  GitHubClientId: { schema: line, default: "", delicate: true, card: "github" },
  GitHubClientSecret: { schema: line, default: "", delicate: true, secret: true, card: "github" },
  LinuxDOClientId: { schema: line, default: "", delicate: true, card: "linuxdo" },
  LinuxDOClientSecret: { schema: line, default: "", delicate: true, secret: true, card: "linuxdo" },
  WeChatServerAddress: { schema: address, default: "", delicate: true, card: "wechat" },
  WeChatServerToken: { schema: line, default: "", delicate: true, secret: true, card: "wechat" },
  WeChatAccountQRCodeImageURL: { schema: line, default: "", delicate: true, card: "wechat" },
  TelegramBotToken: { schema: line, default: "", delicate: true, secret: true, card: "telegram" },
  TelegramBotName: { schema: line, default: "", delicate: true, card: "telegram" },
  TurnstileSiteKey: { schema: line, default: "", delicate: true, card: "turnstile" },
  TurnstileSecretKey: { schema: line, default: "", delicate: true, secret: true, card: "turnstile" },
  "oidc.enabled": { schema: flag, default: "false", delicate: true, card: "oidc", needs: "oidc.client_id" },
  "oidc.well_known": { schema: address, default: "", delicate: true, card: "oidc" },
  "oidc.client_id": { schema: line, default: "", delicate: true, card: "oidc" },
  "oidc.client_secret": { schema: line, default: "", delicate: true, secret: true, card: "oidc" },
  "oidc.authorization_endpoint": { schema: address, default: "", delicate: true, card: "oidc" },
  "oidc.token_endpoint": { schema: address, default: "", delicate: true, card: "oidc" },
  "oidc.user_info_endpoint": { schema: address, default: "", delicate: true, card: "oidc" },
} as const satisfies Record<string, OptionDefinition>;
