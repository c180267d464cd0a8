import { later } from "@/components/ui/later";

/** Shows answers; until its code is here they show as plain text. */
export const markdownCode = later(() => import("./message-markdown").then(({ MessageMarkdown }) => MessageMarkdown));
