import { address, domains, flag, line, number, type OptionDefinition } from "../definition";
import { isScriptAddress } from "../image-address";

/** In an <img>, where nothing runs: a picture may be in the address itself, however it is encoded. */
const shownImage = line.refine((text) => /^data:image\//i.test(text) || !isScriptAddress(text), { message: "script" });

const WHITELIST = "gmail.com,163.com,126.com,qq.com,outlook.com,hotmail.com,icloud.com,yahoo.com,foxmail.com";

/** Login, registration and e-mail (contract §3.2). */
export const signInOptions = {
  /** Whether scripts with a session need the proof that people in a browser need. */
  StepUpForApi: { schema: flag, default: "true", delicate: true, running: "none", card: "login" },
  PasswordLoginEnabled: { schema: flag, default: "true", delicate: true, running: "none", card: "login" },
  PasswordRegisterEnabled: { schema: flag, default: "true", delicate: true, running: "none", card: "login" },
  RegisterEnabled: { schema: flag, default: "true", delicate: true, running: "none", card: "login" },
  EmailVerificationEnabled: { schema: flag, default: "false", delicate: true, running: "none", card: "login" },
  GitHubOAuthEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "login",
    needs: "GitHubClientId",
  },
  LinuxDOOAuthEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "login",
    needs: "LinuxDOClientId",
  },
  WeChatAuthEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "login",
    needs: "WeChatServerAddress",
  },
  TelegramOAuthEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "login",
    needs: "TelegramBotToken",
  },
  TurnstileCheckEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "login",
    needs: "TurnstileSiteKey",
  },
  EmailDomainRestrictionEnabled: {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "whitelist",
    needs: "EmailDomainWhitelist",
  },
  EmailAliasRestrictionEnabled: { schema: flag, default: "false", delicate: true, running: "none", card: "whitelist" },
  EmailDomainWhitelist: {
    schema: domains,
    default: WHITELIST,
    delicate: true,
    running: "none",
    card: "whitelist",
  },
  SMTPServer: { schema: line, default: "", delicate: true, running: "none", card: "smtp" },
  SMTPPort: {
    schema: number({ min: 1, max: 65_535, integer: true }),
    default: "587",
    delicate: true,
    running: "none",
    card: "smtp",
  },
  SMTPAccount: { schema: line, default: "", delicate: true, running: "none", card: "smtp" },
  SMTPFrom: { schema: line, default: "", delicate: true, running: "none", card: "smtp" },
  SMTPToken: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "smtp" },
  SMTPSSLEnabled: { schema: flag, default: "false", delicate: true, running: "none", card: "smtp" },
} as const satisfies Record<string, OptionDefinition>;

/** External accounts and the human check (contract §3.2). */
export const outsideAccountOptions = {
  GitHubClientId: { schema: line, default: "", delicate: true, running: "none", card: "github" },
  GitHubClientSecret: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "github" },
  LinuxDOClientId: { schema: line, default: "", delicate: true, running: "none", card: "linuxdo" },
  LinuxDOClientSecret: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "linuxdo" },
  WeChatServerAddress: { schema: address, default: "", delicate: true, running: "none", card: "wechat" },
  WeChatServerToken: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "wechat" },
  WeChatAccountQRCodeImageURL: { schema: shownImage, default: "", delicate: true, running: "none", card: "wechat" },
  TelegramBotToken: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "telegram" },
  TelegramBotName: { schema: line, default: "", delicate: true, running: "none", card: "telegram" },
  TurnstileSiteKey: { schema: line, default: "", delicate: true, running: "none", card: "turnstile" },
  TurnstileSecretKey: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "turnstile" },
  "oidc.enabled": {
    schema: flag,
    default: "false",
    delicate: true,
    running: "none",
    card: "oidc",
    needs: "oidc.client_id",
  },
  "oidc.well_known": { schema: address, default: "", delicate: true, running: "none", card: "oidc" },
  "oidc.client_id": { schema: line, default: "", delicate: true, running: "none", card: "oidc" },
  "oidc.client_secret": { schema: line, default: "", delicate: true, running: "none", secret: true, card: "oidc" },
  "oidc.authorization_endpoint": { schema: address, default: "", delicate: true, running: "none", card: "oidc" },
  "oidc.token_endpoint": { schema: address, default: "", delicate: true, running: "none", card: "oidc" },
  "oidc.user_info_endpoint": { schema: address, default: "", delicate: true, running: "none", card: "oidc" },
} as const satisfies Record<string, OptionDefinition>;

/** Options for sign-up and invitations beyond the contract; the defaults keep the behaviour that the requirements describe. */
export const accountOptions = {
  /** Every new account gets its own API key, unlimited and never expiring (contract §9.1). */
  DefaultTokenEnabled: { schema: flag, default: "false", delicate: false, running: "none", card: "modes" },
  /** Rewarded invitations per inviter in 24 hours; 0 = no limit. */
  InvitationDailyLimit: {
    schema: number({ min: 0, max: 100_000, integer: true }),
    default: "20",
    delicate: false,
    running: "none",
    card: "invite",
  },
  /** No reward for an invitee with the inviter's address, or with that of another recent invitee. */
  InvitationAddressCheckEnabled: { schema: flag, default: "true", delicate: false, running: "none", card: "invite" },
  /** Share of an invitee's paid top-ups that goes to the inviter's pending earnings, in percent; 0 = none. */
  AffiliateDividendPercent: {
    schema: number({ min: 0, max: 100 }),
    default: "0",
    delicate: false,
    running: "none",
    card: "invite",
    unit: "percent",
  },
} as const satisfies Record<string, OptionDefinition>;
