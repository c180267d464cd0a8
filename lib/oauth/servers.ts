import type { OptionValues } from "@/lib/option/registry";

/** Providers whose server the operator chooses and whose ids are numbered by that server. */
export type ServedProvider = "github" | "linuxdo" | "wechat";

const ADDRESS = {
  github: "GitHubApiAddress",
  linuxdo: "LinuxDOServerAddress",
  wechat: "WeChatServerAddress",
} as const satisfies Record<ServedProvider, keyof OptionValues>;

/**
 * The host that says who somebody is. An id counts only at the host it came from: the same id at another server is
 * somebody else. A change of scheme or path is none of the server. "" = none is configured.
 */
export function serverOf(options: OptionValues, provider: ServedProvider): string {
  const address = options[ADDRESS[provider]];
  return URL.canParse(address) ? new URL(address).host : "";
}
