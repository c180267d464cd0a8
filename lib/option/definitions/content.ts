import { address, block, line, type OptionDefinition } from "../definition";

/** Texts that operators write for their visitors (A100). */
export const contentOptions = {
  SystemName: { schema: line, default: "Weir", delicate: false, card: "name" },
  Logo: { schema: line, default: "", delicate: false, card: "logo" },
  Notice: { schema: block, default: "", delicate: true, card: "notice" },
  HomePageContent: { schema: block, default: "", delicate: true, card: "home" },
  About: { schema: block, default: "", delicate: true, card: "about" },
  Footer: { schema: block, default: "", delicate: true, card: "footer" },
  "general_setting.docs_link": { schema: address, default: "", delicate: true, card: "modes" },
} as const satisfies Record<string, OptionDefinition>;
