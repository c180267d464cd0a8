import { address, block, line, type OptionDefinition } from "../definition";
import { isImageAddress } from "../image-address";

const image = line.refine((text) => text === "" || isImageAddress(text), { message: "image" });

/** Texts that operators write for their visitors (A100). */
export const contentOptions = {
  SystemName: { schema: line, default: "Weir", delicate: false, running: "none", card: "name" },
  Logo: { schema: image, default: "", delicate: false, running: "none", card: "logo" },
  Notice: { schema: block, default: "", delicate: true, running: "none", card: "notice" },
  HomePageContent: { schema: block, default: "", delicate: true, running: "none", card: "home" },
  About: { schema: block, default: "", delicate: true, running: "none", card: "about" },
  Footer: { schema: block, default: "", delicate: true, running: "none", card: "footer" },
  "general_setting.docs_link": { schema: address, default: "", delicate: true, running: "none", card: "modes" },
} as const satisfies Record<string, OptionDefinition>;
