import { address, line, type OptionDefinition } from "../definition";

/** Services for notifications: their addresses and the site's own credentials. */
export const notifyOptions = {
  /** Application token of WxPusher; without it users cannot bind WeChat push. */
  WxPusherAppToken: { schema: line, default: "", delicate: true, running: "none", secret: true, card: "notify" },
  WxPusherAddress: {
    schema: address,
    default: "https://wxpusher.zjiecode.com",
    delicate: true,
    running: "none",
    card: "notify",
  },
  BarkAddress: { schema: address, default: "https://api.day.app", delicate: true, running: "none", card: "notify" },
  DingTalkAddress: {
    schema: address,
    default: "https://oapi.dingtalk.com",
    delicate: true,
    running: "none",
    card: "notify",
  },
  FeishuAddress: {
    schema: address,
    default: "https://open.feishu.cn",
    delicate: true,
    running: "none",
    card: "notify",
  },
  WeComAddress: {
    schema: address,
    default: "https://qyapi.weixin.qq.com",
    delicate: true,
    running: "none",
    card: "notify",
  },
  TelegramApiAddress: {
    schema: address,
    default: "https://api.telegram.org",
    delicate: true,
    running: "none",
    card: "notify",
  },
  DiscordAddress: { schema: address, default: "https://discord.com", delicate: true, running: "none", card: "notify" },
} as const satisfies Record<string, OptionDefinition>;
