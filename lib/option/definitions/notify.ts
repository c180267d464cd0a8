import { address, line, type OptionDefinition } from "../definition";

/** Services that carry notifications: where they are reached, and what is the site's own at them. */
export const notifyOptions = {
  /** Application token of WxPusher; without it users cannot bind WeChat push. */
  WxPusherAppToken: { schema: line, default: "", secret: true },
  WxPusherAddress: { schema: address, default: "https://wxpusher.zjiecode.com" },
  BarkAddress: { schema: address, default: "https://api.day.app" },
  DingTalkAddress: { schema: address, default: "https://oapi.dingtalk.com" },
  FeishuAddress: { schema: address, default: "https://open.feishu.cn" },
  WeComAddress: { schema: address, default: "https://qyapi.weixin.qq.com" },
  TelegramApiAddress: { schema: address, default: "https://api.telegram.org" },
  DiscordAddress: { schema: address, default: "https://discord.com" },
} as const satisfies Record<string, OptionDefinition>;
