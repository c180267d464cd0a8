import { address, block, line, type OptionDefinition } from "../definition";

/** What operators write for their visitors (seed A §3, Content). */
export const contentOptions = {
  Notice: { schema: block, default: "" },
  SystemName: { schema: line, default: "Weir" },
  Logo: { schema: line, default: "" },
  Footer: { schema: block, default: "" },
  About: { schema: block, default: "" },
  HomePageContent: { schema: block, default: "" },
  "general_setting.docs_link": { schema: address, default: "" },
} as const satisfies Record<string, OptionDefinition>;
