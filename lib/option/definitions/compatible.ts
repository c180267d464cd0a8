import { number, type OptionDefinition } from "../definition";

const count = number({ min: 0, integer: true });

/**
 * Unused or legacy in contract §3.2, where clients read and write them; validated, stored and listed by the API like all
 * others. Without a card, because a switch without effect is misleading.
 */
export const compatibleOptions = {
  StreamCacheQueueLength: { schema: count, default: "0", delicate: false, running: "none", isUnused: true },
  FileUploadPermission: { schema: count, default: "0", delicate: false, running: "none", isUnused: true },
  FileDownloadPermission: { schema: count, default: "0", delicate: false, running: "none", isUnused: true },
  ImageUploadPermission: { schema: count, default: "0", delicate: false, running: "none", isUnused: true },
  ImageDownloadPermission: { schema: count, default: "0", delicate: false, running: "none", isUnused: true },
} as const satisfies Record<string, OptionDefinition>;
