import { address, block, line, type OptionDefinition } from "../definition";

/** Texts that operators write for their visitors (A100). */
export const contentOptions = {
  SystemName: { schema: line, default: "Weir", delicate: false, running: "none", card: "name" },
  Logo: { schema: line, default: "", delicate: false, running: "none", card: "logo" },
  Notice: { schema: block, default: "", delicate: true, running: "none", card: "notice" },
  HomePageContent: { schema: block, default: "", delicate: true, running: "none", card: "home" },
  About: { schema: block, default: "", delicate: true, running: "none", card: "about" },
  Footer: { schema: block, default: "", delicate: true, running: "none", card: "footer" },
  "general_setting.docs_link": { schema: address, default: "", delicate: true, running: "none", card: "modes" },
} as const satisfies Record<string, OptionDefinition>;
