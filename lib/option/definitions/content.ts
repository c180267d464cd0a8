import { address, block, line, type OptionDefinition } from "../definition";

/** Texts that operators write for their visitors (A100). */
export const contentOptions = {
  SystemName: { schema: line, default: "Weir", card: "name" },
  Logo: { schema: line, default: "", card: "logo" },
  Notice: { schema: block, default: "", card: "notice" },
  HomePageContent: { schema: block, default: "", card: "home" },
  About: { schema: block, default: "", card: "about" },
  Footer: { schema: block, default: "", card: "footer" },
  "general_setting.docs_link": { schema: address, default: "", card: "modes" },
} as const satisfies Record<string, OptionDefinition>;
