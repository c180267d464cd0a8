import { address, line, type OptionDefinition } from "../definition";

/** Services for notifications: their addresses and the site's own credentials. */
export const notifyOptions = {
  /** Application token of WxPusher; without it users cannot bind WeChat push. */
  WxPusherAppToken: { schema: line, default: "", secret: true, card: "notify" },
  WxPusherAddress: { schema: address, default: "https://wxpusher.zjiecode.com", card: "notify" },
  BarkAddress: { schema: address, default: "https://api.day.app", card: "notify" },
  DingTalkAddress: { schema: address, default: "https://oapi.dingtalk.com", card: "notify" },
  FeishuAddress: { schema: address, default: "https://open.feishu.cn", card: "notify" },
  WeComAddress: { schema: address, default: "https://qyapi.weixin.qq.com", card: "notify" },
  TelegramApiAddress: { schema: address, default: "https://api.telegram.org", card: "notify" },
  DiscordAddress: { schema: address, default: "https://discord.com", card: "notify" },
} as const satisfies Record<string, OptionDefinition>;
