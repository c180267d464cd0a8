import type { OptionValues } from "@/lib/option/registry";
import { refuseOff } from "./refusals";
import type { OutsideFlags, OutsideProvider } from "./types";

const SWITCH = {
  github: "GitHubOAuthEnabled",
  linuxdo: "LinuxDOOAuthEnabled",
  oidc: "oidc.enabled",
  wechat: "WeChatAuthEnabled",
  telegram: "TelegramOAuthEnabled",
} as const satisfies Record<OutsideProvider, keyof OptionValues>;

export function isProviderOn(options: OptionValues, provider: OutsideProvider): boolean {
  return options[SWITCH[provider]];
}

export function assertProviderOn(options: OptionValues, provider: OutsideProvider): void {
  if (!isProviderOn(options, provider)) throw refuseOff(provider);
}

/** What the pages for sign-in, registration and personal settings offer. */
export function outsideFlags(options: OptionValues): OutsideFlags {
  return {
    github: options.GitHubOAuthEnabled,
    linuxdo: options.LinuxDOOAuthEnabled,
    oidc: options["oidc.enabled"],
    wechat: options.WeChatAuthEnabled ? { qrCode: options.WeChatAccountQRCodeImageURL } : null,
    telegram: options.TelegramOAuthEnabled ? { botName: options.TelegramBotName } : null,
  };
}
