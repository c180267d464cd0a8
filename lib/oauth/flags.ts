import type { OptionValues } from "@/lib/option/registry";
import { refuseOff } from "./refusals";
import type { OutsideProvider } from "./types";

const SWITCH = {
  github: "GitHubOAuthEnabled",
  linuxdo: "LinuxDOOAuthEnabled",
  oidc: "oidc.enabled",
  wechat: "WeChatAuthEnabled",
  telegram: "TelegramOAuthEnabled",
} as const satisfies Record<OutsideProvider, keyof OptionValues>;

/** Whether the operator lets people sign in through this provider. */
export function isProviderOn(options: OptionValues, provider: OutsideProvider): boolean {
  return options[SWITCH[provider]];
}

/** Throws forbidden when the provider is switched off. */
export function assertProviderOn(options: OptionValues, provider: OutsideProvider): void {
  if (!isProviderOn(options, provider)) throw refuseOff(provider);
}
