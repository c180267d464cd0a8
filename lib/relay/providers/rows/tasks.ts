import { midjourneySecret } from "../auth";
import { CHANNEL_TYPE } from "./channel-type-ids";
import { defineRow } from "./define-row";

/** Drawing and music services. Their tasks run for minutes, so a channel test cannot send a quick message. */
export const taskRows = [
  defineRow({
    id: CHANNEL_TYPE.midjourney,
    name: "Midjourney Proxy",
    hue: "light-blue",
    position: 20,
    dialect: null,
    baseUrl: "https://oa.api2d.net",
    auth: midjourneySecret,
    // The plain proxy has no modes.
    serves: {
      drawing: { format: "mj", url: ({ baseUrl, path }) => baseUrl + path.replace(/^\/mj-\w+(?=\/mj\/)/, "") },
    },
    test: null,
    modelList: null,
    models: /^mj_(imagine|variation|reroll|blend|upscale|describe|upload)$/,
  }),
  defineRow({
    id: CHANNEL_TYPE.midjourneyPlus,
    name: "Midjourney Proxy Plus",
    hue: "blue",
    position: 30,
    dialect: null,
    baseUrl: "https://api.openai-sb.com",
    auth: midjourneySecret,
    serves: { drawing: { format: "mj" } },
    test: null,
    modelList: null,
    models: /^(mj_|swap_face)/,
  }),
  defineRow({
    id: CHANNEL_TYPE.suno,
    name: "Suno API",
    hue: "purple",
    position: 40,
    dialect: null,
    baseUrl: "",
    serves: { music: { format: "suno" } },
    test: null,
    modelList: null,
    models: /^suno_/,
    editor: { address: "suno", example: "https://suno.example", notice: "suno" },
  }),
];
