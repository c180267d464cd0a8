import type { ReactNode } from "react";
import { Texts } from "@/components/shell/texts";

export default function ChatLinkLayout({ children }: { children: ReactNode }) {
  return <Texts of={["chat"]}>{children}</Texts>;
}
